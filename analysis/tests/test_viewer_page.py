# SPDX-License-Identifier: Apache-2.0
"""The race viewer in a browser: it plays, by keyboard too, at any width, in dark and in light."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from browsing import Troubles, faults_of_axe, needs_axe, needs_chromium, opened
from outcore_analysis.events import read_events
from outcore_analysis.viewer import shown_of, write_page, write_shown
from outcore_analysis.viewer.perfect import perfect_run
from recorded import MODES, Run, events_of, lane_of, make_grid, needs_binary, record

pytestmark = [needs_chromium, needs_binary]


@pytest.fixture(scope="module")
def address(searches: dict[str, Run], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of two searches of a graph that is drawn."""
    out = tmp_path_factory.mktemp("viewer") / "race.html"
    write_page([searches[mode][0] for mode in MODES], out)
    return out.as_uri()


def shown(browser: Browser, address: str, width: int, scheme: str) -> tuple[Page, Troubles]:
    """Open the page and wait until it is drawn."""
    page, troubles = opened(browser, address, width, scheme)
    page.wait_for_selector("html[data-ready]")
    return page, troubles


def clock(page: Page) -> float:
    """Return where the clock stands, in thousandths of the whole."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return float(page.locator(".scrub").input_value())


def kilobytes(count: int) -> str:
    """Return bytes as the page writes them, of less than a megabyte."""
    assert 1000 <= count < 999_500
    digits = 2 if count < 10_000 else 1 if count < 100_000 else 0
    return f"{count / 1000:.{digits}f} KB"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440, 1920])
def test_everything_is_seen_and_nothing_complains(
    width: int, scheme: str, browser: Browser, address: str
) -> None:
    page, troubles = shown(browser, address, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.locator("section.run").count() == 2
    assert page.locator(".strip canvas").count() == 6
    for canvas in page.locator("section.run canvas").all():
        colours = canvas.evaluate(
            """canvas => new Set(new Uint32Array(canvas.getContext("2d").getImageData(
                0, 0, canvas.width, canvas.height).data.buffer)).size"""
        )
        assert colours > 1, "something is drawn"
    assert troubles == []
    page.context.close()


def test_each_control_has_a_key(browser: Browser, address: str) -> None:
    page, troubles = shown(browser, address, 1440, "light")
    assert clock(page) == 0
    page.keyboard.press("ArrowRight")
    assert clock(page) == pytest.approx(5)
    page.keyboard.press("ArrowLeft")
    assert clock(page) == 0
    page.keyboard.press("n")
    second = clock(page)
    assert page.locator(".caption").nth(1).inner_text().startswith("Round 2 begins")
    page.keyboard.press("n")
    assert clock(page) > second
    page.keyboard.press("b")
    assert clock(page) == pytest.approx(second)
    page.keyboard.press("p")
    assert clock(page) > 0
    assert page.get_by_text("They part at").is_visible()
    page.keyboard.press("r")
    assert clock(page) == 0
    assert not page.get_by_text("They part at").is_visible()
    slower = page.locator("select").input_value()
    page.keyboard.press("g")
    assert float(page.locator("select").input_value()) <= float(slower)
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("f")
    page.keyboard.press("Space")
    page.wait_for_function("document.querySelector('.scrub').value > 0")
    page.keyboard.press("Space")
    stands = clock(page)
    assert clock(page) == stands
    assert troubles == []
    page.context.close()


def test_the_keyboard_reaches_every_control(browser: Browser, address: str) -> None:
    page, _ = shown(browser, address, 1440, "light")
    controls = page.locator("button:enabled, input, select").count()
    reached = set()
    for _ in range(controls + 1):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.outerHTML.slice(0, 60)"))
    assert len({one for one in reached if one.startswith(("<button", "<input", "<select"))}) == (
        controls
    )
    page.context.close()


def test_at_the_end_the_page_says_what_the_records_say(
    browser: Browser, address: str, searches: dict[str, Run]
) -> None:
    page, _ = shown(browser, address, 1440, "light")
    page.locator(".scrub").fill("1000")
    clock(page)
    for n, mode in enumerate(MODES):
        record = searches[mode][1]
        lane = page.locator("section.run").nth(n)
        value = lane.locator("dd").all_inner_texts()
        assert f"{record['work']['edges_processed']:,}" in value
        assert kilobytes(record["io"]["requested_bytes"]) in lane.locator(".total").inner_text()
        assert "100%" in value, "all that were found are final"
        assert lane.locator(".caption").inner_text().startswith("Done after")
    page.context.close()


def test_where_a_round_begins_the_page_says_what_the_record_says(
    browser: Browser, address: str, searches: dict[str, Run]
) -> None:
    """By other means: the engine's own counts of each round, from which no event is made."""
    page, _ = shown(browser, address, 1440, "light")
    rounds = searches["sync"][1]["rounds"]
    lane = page.locator("section.run").nth(1)
    for number in range(1, 8):
        page.keyboard.press("n")
        clock(page)
        frontier = rounds[number]["frontier"]
        vertices = f"{frontier} active {'vertex' if frontier == 1 else 'vertices'}"
        said = lane.locator(".caption").inner_text()
        assert said.startswith(f"Round {number + 1} begins with {vertices}:")
        values = lane.locator("dd").all_inner_texts()
        assert f"{sum(one['edges'] for one in rounds[:number]):,}" in values
        assert f"{number + 1} of {len(rounds)}" in values
        read = sum(one["requested_bytes"] for one in rounds[:number])
        assert kilobytes(read) in lane.locator(".total").inner_text()
    page.context.close()


@pytest.mark.parametrize("form", ["PNG", "SVG"])
def test_the_present_moment_is_a_picture(
    form: str, browser: Browser, address: str, tmp_path: Path
) -> None:
    page, _ = shown(browser, address, 1440, "light")
    page.keyboard.press("p")
    with page.expect_download() as download:
        page.get_by_role("button", name=form).click()
    assert download.value.suggested_filename == f"bfs_on_grid32.{form.lower()}"
    picture = Path(download.value.path()).read_bytes()
    if form == "PNG":
        assert picture.startswith(b"\x89PNG")
        assert len(picture) > 20_000
    else:
        text = picture.decode()
        assert len(re.findall(r"<circle cx=\"\d", text)) == 2 * 1024
        assert "async_block:mode=sync" in text
        assert page.locator(".total b").first.inner_text() in text
    page.context.close()


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440])
def test_axe_finds_no_fault(width: int, scheme: str, browser: Browser, address: str) -> None:
    page, _ = shown(browser, address, width, scheme)
    page.keyboard.press("p")
    clock(page)
    assert faults_of_axe(page) == []
    page.context.close()


def test_a_map_of_a_million_blocks_shows_several_in_a_square_and_says_so(
    browser: Browser, tmp_path: Path
) -> None:
    blocks = [0, 0, 999_999, 999_999]
    run = events_of([lane_of(["asked", "arrived", "asked", "arrived"], blocks)], 1_000_000)
    write_shown(shown_of([run]), tmp_path / "race.html")
    page, troubles = shown(browser, (tmp_path / "race.html").as_uri(), 1440, "light")
    assert page.get_by_text(
        "1,000,000 blocks, in order, a square stands for 123 blocks"
    ).is_visible()
    assert page.get_by_role("button", name="Where they part").is_disabled()
    page.keyboard.press("p")
    page.locator(".scrub").fill("1000")
    clock(page)
    assert "8.19 KB" in page.locator(".total").inner_text()
    assert troubles == []
    page.context.close()


def test_a_run_that_failed_says_so_on_its_page(
    browser: Browser, runs: dict[str, Run], tmp_path: Path
) -> None:
    failed = {"status": "failed", "reason": "read: I/O error"}
    run = replace(read_events(runs["sync"][0]), end=failed)
    write_shown(shown_of([run]), tmp_path / "race.html")
    page, _ = shown(browser, (tmp_path / "race.html").as_uri(), 1440, "dark")
    assert page.locator(".warning").inner_text() == "The run failed: read: I/O error."
    page.locator(".scrub").fill("1000")
    clock(page)
    assert page.locator(".caption").inner_text() == "The run failed here: read: I/O error."
    page.context.close()


def test_more_events_than_are_kept_are_sampled_and_the_page_says_so(
    browser: Browser, tmp_path: Path
) -> None:
    graph = make_grid(tmp_path, 256)
    words = ["--engine", "async_block:mode=sync", "--workload", "bfs", "--frames", "16K"]
    events, run = record(graph, "long", *words, "--threads", "1", "--depth", "2")
    assert sum(map(len, read_events(events).lanes)) > 200_000
    out = tmp_path / "race.html"
    write_page([events, events], out)
    assert out.stat().st_size < 2_000_000
    page, troubles = shown(browser, out.as_uri(), 1440, "light")
    warning = page.locator(".warning").first.inner_text()
    assert re.fullmatch(
        "There were too many events to keep: from some moment on only one in 2 blocks is drawn. "
        "Bytes so far are estimated from these.",
        warning,
    )
    page.locator(".scrub").fill("1000")
    clock(page)
    read = run["io"]["requested_bytes"]
    assert f"{read / 1e6:.0f} MB" in page.locator(".total").first.inner_text(), "exact at the end"
    assert f"{run['work']['edges_processed']:,}" in page.locator("dd").all_inner_texts()
    assert troubles == []
    page.context.close()


def test_a_perfect_cache_has_a_lane_without_threads(
    browser: Browser, runs: dict[str, Run], tmp_path: Path
) -> None:
    measured = read_events(runs["sync"][0])
    perfect = perfect_run(measured)
    assert perfect is not None
    write_shown(shown_of([measured, perfect], names=["LRU", "OPT"]), tmp_path / "race.html")
    page, troubles = shown(browser, (tmp_path / "race.html").as_uri(), 1440, "light")
    page.locator(".scrub").fill("1000")
    clock(page)
    first, second = page.locator("section.run").all()
    assert first.locator(".workers").count() == 1
    assert second.locator(".workers").count() == 0
    assert second.locator(".warning").inner_text().startswith("Not measured")
    numbers = first.locator("dd").all_inner_texts()
    assert second.locator(".total b").inner_text() in numbers, "what a perfect cache reads"
    page.keyboard.press("p")
    assert clock(page) > 0
    assert troubles == []
    page.context.close()
