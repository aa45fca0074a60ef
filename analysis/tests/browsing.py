# SPDX-License-Identifier: Apache-2.0
"""Pages in a browser: Debian's Chromium, or the one that OUTCORE_CHROMIUM names.

OUTCORE_AXE names npm's axe-core/axe.min.js; without it accessibility is not audited.
"""

import os
import shutil

import pytest
from playwright.sync_api import Browser, Page

CHROMIUM = os.environ.get("OUTCORE_CHROMIUM") or shutil.which("chromium")
needs_chromium = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium: install Debian's, or name one with OUTCORE_CHROMIUM"
)
needs_axe = pytest.mark.skipif(
    "OUTCORE_AXE" not in os.environ, reason="OUTCORE_AXE names no axe.min.js"
)


class Troubles(list[str]):
    """What the console says, and what the page requests from the network."""

    def listen(self, page: Page) -> None:
        page.on("console", lambda message: self.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.append(str(error)))
        page.on(
            "request",
            lambda request: (
                None if request.url.startswith(("file:", "data:")) else self.append(request.url)
            ),
        )


def opened(browser: Browser, address: str, width: int, scheme: str) -> tuple[Page, Troubles]:
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
    )
    page, troubles = context.new_page(), Troubles()
    troubles.listen(page)
    page.goto(address)
    return page, troubles


def faults_of_axe(page: Page) -> list[tuple[str, list[str]]]:
    """Return what axe finds: each rule, with the first elements that break it."""
    page.add_script_tag(path=os.environ["OUTCORE_AXE"])
    found = page.evaluate("axe.run()")
    assert len(found["passes"]) > 15
    return [
        (fault["id"], [node["html"][:90] for node in fault["nodes"][:3]])
        for fault in found["violations"]
    ]
