# SPDX-License-Identifier: Apache-2.0
"""Measure how smoothly pages of the race viewer play, on this processor and on a quarter of it.

.venv/bin/python viewer/frames.py results/viewer/one-knob-grid.html
"""

import sys
import time
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

SECONDS = 5
FRAME_TIMES = """milliseconds => new Promise(done => {
    const times = [];
    let last = performance.now();
    const end = last + milliseconds;
    function frame() {
        const now = performance.now();
        times.push(now - last);
        last = now;
        if (now < end) requestAnimationFrame(frame); else done(times);
    }
    requestAnimationFrame(frame);
})"""


def measure(browser: Browser, page_file: Path, slowdown: int) -> str:
    """Play the page and say how long its frames took."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    start = time.monotonic()
    page.goto(page_file.resolve().as_uri())
    page.wait_for_selector("html[data-ready]")
    ready = time.monotonic() - start
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": slowdown})
    page.keyboard.press("r")
    page.keyboard.press("Space")
    times = sorted(page.evaluate(FRAME_TIMES, 1000 * SECONDS))
    page.close()
    return (
        f"{page_file.name}, processor over {slowdown}: first frame after {ready:.2f} s, "
        f"{len(times) / SECONDS:.0f} frames/s, median {times[len(times) // 2]:.1f} ms, "
        f"95% within {times[int(0.95 * len(times))]:.1f} ms, longest {times[-1]:.1f} ms"
    )


def main() -> None:
    """Measure the pages that the command line names."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"]
        )
        for name in sys.argv[1:]:
            for slowdown in (1, 4):
                print(measure(browser, Path(name), slowdown), flush=True)


if __name__ == "__main__":
    main()
