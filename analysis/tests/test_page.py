# SPDX-License-Identifier: Apache-2.0
"""The page in a browser: it shows everything, in any width, by keyboard, in dark and in light."""

import json
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from browsing import faults_of_axe, needs_axe, needs_chromium, opened
from outcore_analysis.__main__ import main
from workbench import ROOT, Workbench

pytestmark = needs_chromium
WIDTHS = [375, 768, 1280, 1920]


@pytest.fixture(scope="module")
def address(finished: Workbench, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the stub's campaign, with the claims of all papers, alone in its folder."""
    folder = tmp_path_factory.mktemp("page")
    files = sorted(str(path) for path in (ROOT / "configs/claims").glob("*.yaml"))
    config = json.dumps(finished.config | {"claims": files})
    for step, out in (("figures", folder / "figures"), ("report", folder / "index.html")):
        assert main([step, "--config", config, "--out", str(out)]) == 0
    shutil.rmtree(folder / "figures")
    assert (folder / "index.html").stat().st_size < 3_000_000
    return (folder / "index.html").as_uri()


def draw_all(page: Page) -> int:
    """Unfold everything, scroll until every chart is drawn, and return how many there are."""
    page.evaluate("document.querySelectorAll('details').forEach(fold => { fold.open = true; })")
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
    sections = ["overview", "own", "verdicts", "paper-acgraph", "layouts", "machine", "gaps"]
    for name in [*sections, "records"]:
        assert page.locator(f"section#{name}").is_visible()
    assert troubles == []
    page.context.close()


def test_on_a_phone_the_overview_is_read_without_scrolling_sideways(
    browser: Browser, address: str
) -> None:
    page, _ = opened(browser, address, 375, "light")
    page.evaluate("document.getElementById('numbers').open = true")
    wide = "grid => grid.closest('.scroll').scrollWidth - grid.closest('.scroll').clientWidth"
    assert page.locator("table.grid").evaluate_all(f"grids => grids.map({wide})") == [0, 0]
    assert page.locator("table.matrix").evaluate_all(f"grids => grids.map({wide})") == [0]
    assert page.locator("table.matrix td .engine").first.is_visible()
    fields = page.locator("table.grid td")
    assert page.locator("table.grid td > .engine").count() == fields.count() > 0
    assert fields.first.locator(".engine").is_visible()
    page.context.close()


def contrast(page: Page, selector: str) -> float:
    """Return WCAG's contrast ratio of an element's colour to its background."""
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
        ".answers li",
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
    files = page.locator("button.file")
    names = set(files.evaluate_all("all => all.map(one => one.dataset.name.split('.').pop())"))
    assert names == {"csv", "pdf"}
    page.locator("button[data-name='runtime.csv']").scroll_into_view_if_needed()
    with page.expect_download() as download:
        page.locator("button[data-name='runtime.csv']").click()
    assert download.value.suggested_filename == "runtime.csv"
    assert "median" in Path(download.value.path()).read_text().splitlines()[0]
    assert troubles == []
    page.context.close()


def test_pointing_at_a_chart_tells_its_numbers(browser: Browser, address: str) -> None:
    page, _ = opened(browser, address, 1280, "light")
    chart = page.locator("#figure-runtime .chart").first
    chart.scroll_into_view_if_needed()
    chart.locator(".mark-symbol.role-mark path").first.hover()
    tip = page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible")
    assert "3 trials" in tip.inner_text()
    page.context.close()


def test_the_matrix_is_sorted_and_leaves_the_figures_of_a_race(
    browser: Browser, address: str
) -> None:
    page, _ = opened(browser, address, 1280, "light")
    names = page.locator(".matrix tbody .pick")
    assert names.all_inner_texts() == ["BFS", "BFS", "PageRank", "PageRank"]
    page.select_option("#sort select", label="graph")
    graphs = page.locator(".matrix tbody .graph").all_inner_texts()
    assert graphs == sorted(graphs, key=str.lower)
    assert set(graphs) == {"Kronecker 10", "a square"}
    everything = page.locator("#own .panel:visible").count()
    page.locator(".pick[data-graph='kron'][data-workload='pagerank']").click()
    shown = page.locator("#own .panel:visible")
    assert 0 < shown.count() < everything
    for panel in shown.all():
        assert panel.get_attribute("data-graph") == "kron"
        assert panel.get_attribute("data-workload") in (None, "pagerank")
    assert "PageRank on Kronecker 10" in page.locator("#sort output").inner_text()
    page.locator("#sort .all").click()
    assert page.locator("#own .panel:visible").count() == everything
    page.context.close()


def test_a_record_is_unpacked_when_it_is_opened(browser: Browser, address: str) -> None:
    page, troubles = opened(browser, address, 1280, "light")
    cell = page.locator("#records details.cell").first
    cell.locator("summary").first.click()
    cell.locator("details summary").first.click()
    text = cell.locator("pre").first
    text.wait_for(state="visible")
    assert json.loads(text.inner_text())["outcome"]["status"] == "ok"
    assert troubles == []
    page.context.close()


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440])
def test_axe_finds_no_fault(width: int, scheme: str, browser: Browser, address: str) -> None:
    page, _ = opened(browser, address, width, scheme)
    draw_all(page)
    assert faults_of_axe(page) == []
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
