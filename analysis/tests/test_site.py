# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: whole, without a network, and no link that leads nowhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from browsing import CHROMIUM, faults_of_axe, needs_axe, needs_chromium, opened
from workbench import ROOT

# Lessons are not run here: test_lessons.py does that.
# A page of each kind: prose, commands, tables with empty corners, wide tables, a lesson.
AUDITED = [
    *("docs/site/front", "docs/guide", "docs/engines/binning", "docs/tables"),
    "analysis/lessons/lesson1_rounds",
]
UNRUN = ["-D", "nb_execution_mode=off"]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "site"
    subprocess.run([ROOT / "scripts/site", folder, *UNRUN], check=True, timeout=300)
    return folder


def test_every_page_and_every_lesson_is_there(site: Path) -> None:
    listed = ["git", "ls-files", "docs/*.md", "*README.md", "analysis/lessons/*.py"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    pages = {path.relative_to(site) for path in site.rglob("*.html")}
    assert {Path(name).with_suffix(".html") for name in files.split()} <= pages


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    loads = re.compile(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//""")
    for page in site.rglob("*.html"):
        assert not loads.search(page.read_text()), page
    for style in site.rglob("*.css"):
        assert not re.search(
            r"""url\(["']?(?:https?:)?//|@import ["'](?:https?:)?//""", style.read_text()
        )


@needs_chromium
def test_it_is_found_by_its_search_in_a_folder_without_a_network(site: Path) -> None:
    faults: list[str] = []
    asked: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_context(offline=True).new_page()
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.wait_for_url("**/docs/site/front.html")
        page.fill("input.sidebar-search", "Belady")
        page.press("input.sidebar-search", "Enter")
        page.click("#search-results >> text=Lesson 2")
        assert page.text_content("h1").startswith("Lesson 2")  # type: ignore[union-attr]
        browser.close()
    assert not faults
    assert all(url.startswith("file:") for url in asked)


@needs_axe
@needs_chromium
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 375)])
@pytest.mark.parametrize("name", AUDITED)
def test_axe_finds_no_fault(
    name: str, scheme: str, width: int, site: Path, browser: Browser
) -> None:
    page, troubles = opened(browser, (site / f"{name}.html").as_uri(), width, scheme)
    # Asked first: what axe reads of the page's styles, a browser refuses for files.
    assert troubles == []
    assert faults_of_axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.close()


def test_what_leads_nowhere_is_refused_by_name(tmp_path: Path) -> None:
    front = tmp_path / "docs/site/front.md"
    front.parent.mkdir(parents=True)
    front.write_text("# Front\n\n```{toctree}\n../../README\n```\n")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "-q", *UNRUN]
    command += ["-c", str(ROOT / "docs/site"), "-b", "dummy", str(tmp_path), str(tmp_path / "out")]
    readme = tmp_path / "README.md"
    readme.write_text("# Good\n\nSee [itself](#good) and [the front](docs/site/front.md).\n")
    subprocess.run(command, check=True, timeout=300)

    links = {"gone.md": 3, "README.md#gone": 5, "gone.json": 7}
    text = [f"[a link]({target})" for target in links] + ["![a picture](gone.png)"]
    readme.write_text("\n\n".join(["# Bad", *text]))
    (tmp_path / "docs/unlisted.md").write_text("# A page that no list names\n")
    bad = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert bad.returncode != 0
    for target, line in links.items():
        name = re.escape(target.removeprefix("README.md#"))
        assert re.search(rf"README.md:{line}: WARNING: .*'{name}'", bad.stderr), bad.stderr
    assert re.search(r"README.md:.* WARNING: image .*gone.png", bad.stderr)
    assert re.search(r"docs/unlisted.md: WARNING: .*toctree", bad.stderr)
