# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: it shows everything, on any width, by keyboard, in dark and in light.

The browser is Debian's Chromium, or the one that OUTCORE_CHROMIUM names; without one the tests are
skipped.
"""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from outcore_analysis.__main__ import main
from workbench import ROOT, Workbench

CHROMIUM = os.environ.get("OUTCORE_CHROMIUM") or shutil.which("chromium")
pytestmark = pytest.mark.skipif(
    not CHROMIUM, reason="no Chromium: install Debian's, or name one with OUTCORE_CHROMIUM"
)
WIDTHS = [375, 768, 1280, 1920]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def address(finished: Workbench, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the stub's campaign, with the claims of all papers, alone in its folder."""
    folder = tmp_path_factory.mktemp("page")
    files = sorted(str(path) for path in (ROOT / "configs/claims").glob("*.yaml"))
    config = json.dumps(finished.config | {"claims": files})
    for step, out in (("figures", folder / "figures"), ("report", folder / "index.html")):
        assert main([step, "--config", config, "--out", str(out)]) == 0
    shutil.rmtree(folder / "figures")
    assert (folder / "index.html").stat().st_size < 10_000_000
    return (folder / "index.html").as_uri()


class Troubles(list[str]):
    """What the console says, and what the page asks of the network."""

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


def draw_all(page: Page) -> int:
    """Goes down the page until every chart is drawn; how many there are."""
    charts = page.locator(".chart")
    for i in range(charts.count()):
        charts.nth(i).scroll_into_view_if_needed()
        charts.nth(i).locator("svg").first.wait_for()
    return charts.count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_everything_is_seen_and_nothing_complains(
    width: int, scheme: str, browser: Browser, address: str
) -> None:
    page, troubles = opened(browser, address, width, scheme)
    assert draw_all(page) >= 14
    assert page.evaluate("document.documentElement.scrollWidth") == width
    cut = page.evaluate(
        """[...document.querySelectorAll('main *')].filter(e => {
            const box = e.getBoundingClientRect(), scroll = e.closest('.scroll, pre');
            return !scroll && e.checkVisibility() && box.width && box.right > innerWidth + 1;
        }).map(e => e.outerHTML.slice(0, 90))"""
    )
    assert cut == []
    for name in ("overview", "verdicts", "paper-acgraph", "own", "machine", "gaps", "records"):
        assert page.locator(f"section#{name}").is_visible()
    assert troubles == []
    page.context.close()


def test_on_a_phone_the_overview_is_read_without_scrolling_sideways(
    browser: Browser, address: str
) -> None:
    page, _ = opened(browser, address, 375, "light")
    wide = "grid => grid.closest('.scroll').scrollWidth - grid.closest('.scroll').clientWidth"
    assert page.locator("table.grid").evaluate_all(f"grids => grids.map({wide})") == [0, 0]
    fields = page.locator("table.grid td")
    assert page.locator("table.grid td > .engine").count() == fields.count() > 0
    assert fields.first.locator(".engine").is_visible()
    page.context.close()


def contrast(page: Page, selector: str) -> float:
    """WCAG's ratio of an element's colour to the ground that it stands on."""
    ratio: float = page.evaluate(
        """selector => {
            const light = text => {
                const [r, g, b] = text.match(/[0-9.]+/g).map(Number).map(v => v / 255).map(
                    v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const e = document.querySelector(selector);
            let ground = e;
            while (/rgba\\(.*, 0\\)/.test(getComputedStyle(ground).backgroundColor)) {
                ground = ground.parentElement;
            }
            const style = getComputedStyle(e);
            const ink = e instanceof SVGElement && style.fill !== 'none' ? style.fill : style.color;
            const pair = [light(ink), light(getComputedStyle(ground).backgroundColor)];
            return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
        }""",
        selector,
    )
    return ratio


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_dark_and_light(scheme: str, browser: Browser, address: str) -> None:
    page, _ = opened(browser, address, 1280, scheme)
    draw_all(page)
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(20, 24, 27)") == (scheme == "dark")
    for selector in (
        "h1",
        ".lead",
        ".faint",
        ".place",
        "nav a",
        ".badge",
        "figcaption",
        ".chart text",
    ):
        assert contrast(page, selector) >= 4.5, selector
    page.context.close()


def test_links_lead_to_what_is_then_seen(browser: Browser, address: str) -> None:
    page, troubles = opened(browser, address, 1280, "light")
    targets = page.evaluate(
        "[...new Set([...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.hash))]"
    )
    assert len(targets) > 20
    for target in targets:
        page.evaluate("target => { location.hash = target; }", target)
        page.wait_for_function("t => location.hash === t", arg=target)
        assert page.locator(f"[id='{target[1:]}']").first.is_visible(), target
    files = page.locator("a[download]")
    names = set(files.evaluate_all("all => all.map(a => a.download.split('.').pop())"))
    assert names == {"csv", "pdf", "png"}
    page.locator("a[download='runtime.csv']").scroll_into_view_if_needed()
    with page.expect_download() as download:
        page.locator("a[download='runtime.csv']").click()
    assert "median" in Path(download.value.path()).read_text().splitlines()[0]
    assert troubles == []
    page.context.close()


def test_pointing_at_a_chart_tells_its_numbers(browser: Browser, address: str) -> None:
    page, _ = opened(browser, address, 1280, "light")
    chart = page.locator("#figure-runtime .chart").first
    chart.scroll_into_view_if_needed()
    chart.locator(".mark-rect path").first.hover()
    tip = page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible")
    assert "3 trials" in tip.inner_text()
    page.context.close()


def test_statements_can_be_found_among_many(browser: Browser, address: str) -> None:
    page, _ = opened(browser, address, 1280, "light")
    output = page.locator("#filter output")
    many = int(output.inner_text().split()[0])
    assert many > 100
    shown = page.locator(".claim:visible").count()
    assert 0 < shown < many, "those without an answer are folded"
    page.fill("#filter input[type=search]", "k-core")
    found = int(output.inner_text().split()[0])
    assert 0 < found < 30
    assert page.locator(".claim:visible").count() == found
    page.fill("#filter input[type=search]", "")
    page.uncheck("#filter input[value='not run']")
    assert page.locator(".claim.not-run:visible").count() == 0
    page.context.close()


def test_the_page_works_by_keyboard(browser: Browser, address: str) -> None:
    page, _ = opened(browser, address, 1280, "light")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    page.wait_for_function("location.hash === '#overview'")
    fold = page.locator("#records details.cell > summary").first
    fold.focus()
    page.keyboard.press("Enter")
    assert page.locator("#records details.cell").first.evaluate("e => e.open")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    outline = fold.evaluate("e => getComputedStyle(e).outlineStyle")
    assert outline == "solid"
    box = page.locator("#filter input[value='not run']")
    box.focus()
    page.keyboard.press("Space")
    assert not box.is_checked()
    page.context.close()


def test_the_page_reads_without_scripts(browser: Browser, address: str) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    assert page.locator("#figure-runtime noscript svg").first.is_visible()
    context.close()
