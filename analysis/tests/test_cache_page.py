# SPDX-License-Identifier: Apache-2.0
"""The page on which to play with a cache: its counts are the simulator's, and a reader can play."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from browsing import Troubles, faults_of_axe, needs_axe, needs_chromium, opened
from outcore_analysis.__main__ import main
from outcore_analysis.traces import TraceError, read_trace
from outcore_analysis.viewer import ViewerError
from outcore_analysis.viewer.play import played_of, write_play
from recorded import make_grid, needs_binary, run_binary
from workbench import ROOT

sys.path.insert(0, str(ROOT / "tests/command_line"))
from traces import Rounds, write_trace

POLICIES = {"OPT": "opt", "SUB": "sub", "LRU": "lru", "CLOCK": "clock", "S3-FIFO": "s3fifo"}


def random_rounds(seed: int) -> Rounds:
    """Return rounds of which some come back to the same blocks, in runs and alone."""
    draw = random.Random(seed)
    blocks = draw.choice([6, 20, 70])
    rounds: Rounds = [[draw.randrange(blocks) for _ in range(draw.choice([0, 5]))]]
    for _ in range(draw.randrange(1, 30)):
        first = draw.randrange(blocks)
        rounds.append([(first + i) % blocks for i in range(draw.randrange(blocks))])
        rounds[-1] += [draw.randrange(blocks) for _ in range(draw.randrange(12))]
    return rounds


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of a real search by rounds."""
    folder = tmp_path_factory.mktemp("searched")
    graph, trace = make_grid(folder, 48), folder / "search.oct"
    run_binary("layout", graph, "--preset", "csr")
    words = ["--workload", "bfs", "--layout", "csr", "--frames", "16K", "--depth", "2"]
    run_binary("run", graph, "--engine", "concurrent", *words, "--threads", "1", "--trace", trace)
    return trace


@pytest.fixture(scope="module")
def address(searched: Path) -> str:
    out = searched.with_suffix(".html")
    write_play(searched, out)
    return out.as_uri()


def shown(browser: Browser, address: str, width: int, scheme: str) -> tuple[Page, Troubles]:
    page, troubles = opened(browser, address, width, scheme)
    page.wait_for_selector("html[data-ready]")
    return page, troubles


def table_of(page: Page) -> tuple[list[int], dict[str, list[int]]]:
    """Return the page's sizes, and the misses of each policy at these."""
    rows = page.evaluate(
        """[...document.querySelectorAll("table.all tr")].map(row =>
            [...row.cells].map(cell => cell.textContent.trim()))"""
    )
    head, *others = rows
    return list(map(int, head[1:])), {row[0]: list(map(int, row[1:])) for row in others}


def simulated(trace: Path, sizes: list[int]) -> dict[str, list[int]]:
    """Return what outcore cachesim counts."""
    asked = [
        "--policy",
        ",".join(POLICIES.values()),
        "--sizes",
        ",".join(f"{4 * s}K" for s in sizes),
    ]
    rows = json.loads(run_binary("cachesim", trace, *asked, "--json"))["rows"]
    return {
        name: [row["misses"] for row in rows if row["policy"] == policy]
        for name, policy in POLICIES.items()
    }


@needs_binary
def test_a_trace_is_read_as_the_binary_reads_it(searched: Path) -> None:
    trace = read_trace(searched)
    told = json.loads(run_binary("trace", searched, "--json"))
    assert trace.accesses == told["accesses"]
    assert [len(asked) for asked in trace.rounds[1:]] == [
        one["accesses"] for one in told["per_round"]
    ]
    printed = run_binary("trace", searched, "--events", "--json").splitlines()
    runs = [one for line in printed if "unit" in (one := json.loads(line))]
    units = [run["unit"] + n for run in runs for n in range(run["units"])]
    assert units == [unit for asked in trace.rounds for unit in asked]


@needs_chromium
@needs_binary
@pytest.mark.parametrize("seed", range(6))
def test_misses_of_random_traces_are_the_simulators(
    seed: int, browser: Browser, tmp_path: Path
) -> None:
    trace = write_trace(tmp_path / "random.oct", random_rounds(seed), units=80)
    write_play(trace, tmp_path / "cache.html")
    page, troubles = shown(browser, (tmp_path / "cache.html").as_uri(), 1440, "light")
    sizes, misses = table_of(page)
    assert sizes[0] == 1
    assert misses == simulated(trace, sizes)
    assert troubles == []
    page.context.close()


@needs_chromium
@needs_binary
def test_misses_of_a_real_trace_are_the_simulators(
    browser: Browser, address: str, searched: Path
) -> None:
    page, _ = shown(browser, address, 1440, "light")
    sizes, misses = table_of(page)
    assert misses == simulated(searched, sizes)
    # Policy and size are chosen by keyboard, and the misses are there at once.
    for policy in POLICIES:
        page.locator("select").first.select_option(policy)
        slider = page.get_by_role("slider")
        slider.focus()
        slider.press("Home")
        slider.press("ArrowRight")
        slider.press("ArrowRight")
        said = page.locator(".total").inner_text()
        assert f"{policy} with 3 frames" in said
        assert page.locator(".total b").inner_text() == f"{misses[policy][2]:,}"
    page.context.close()


@needs_chromium
@needs_binary
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440, 1920])
def test_everything_is_seen_and_nothing_complains(
    width: int, scheme: str, browser: Browser, address: str
) -> None:
    page, troubles = shown(browser, address, width, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    assert page.locator("polyline").count() == len(POLICIES)
    colours = page.locator("canvas.accesses").evaluate(
        """canvas => new Set(new Uint32Array(canvas.getContext("2d").getImageData(
            0, 0, canvas.width, canvas.height).data.buffer)).size"""
    )
    assert colours > 2, "hits and misses are drawn"
    assert troubles == []
    page.context.close()


def next_use(rounds: Rounds, at: int, block: int) -> float:
    """Return after how many accesses a block is used again, by hand."""
    flat = [unit for asked in rounds for unit in asked]
    return flat.index(block, at + 1) - at if block in flat[at + 1 :] else float("inf")


@needs_chromium
@needs_binary
def test_the_reader_drops_a_block_by_keyboard_and_hears_what_opt_does(
    browser: Browser, address: str, searched: Path
) -> None:
    rounds = read_trace(searched).rounds
    flat = [unit for asked in rounds for unit in asked]
    page, troubles = shown(browser, address, 1440, "light")
    game = page.locator("section", has=page.locator("h2", has_text="Which block"))
    for question in range(1, 6):
        wanted = int(game.locator(".wanted").inner_text())
        frames = [int(text) for text in game.locator(".frame b").all_inner_texts()]
        assert len(frames) == 4
        assert wanted not in frames
        assert not game.get_by_role("button", name="Next question").is_enabled()
        page.keyboard.press("2")
        at = int(game.locator("p").last.inner_text().split()[1].replace(",", "")) - 1
        assert flat[at] == wanted
        uses = [next_use(rounds, at, block) for block in frames]
        best = {n for n, use in enumerate(uses) if use == max(uses)}
        told = game.locator(".frame").all()
        assert {n for n, one in enumerate(told) if "OPT drops" in one.inner_text()} == best
        assert "you dropped this" in told[1].inner_text()
        said = game.locator("[role=status]").inner_text()
        assert said.startswith("As OPT would" if 1 in best else "OPT would drop block")
        assert f"of {question} as OPT would" in game.locator("p").last.inner_text()
        page.keyboard.press("n")
    page.keyboard.press("r")
    assert "as OPT would" not in game.locator("p").last.inner_text()
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert troubles == []
    page.context.close()


@needs_axe
@needs_chromium
@needs_binary
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1440])
def test_axe_finds_no_fault(width: int, scheme: str, browser: Browser, address: str) -> None:
    page, _ = shown(browser, address, width, scheme)
    page.keyboard.press("1")
    assert faults_of_axe(page) == []
    page.context.close()


def test_what_is_no_small_trace_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    many = write_trace(tmp_path / "many.oct", [[], list(range(100)) * 201])
    with pytest.raises(ViewerError, match=r"many.oct: 20,100 accesses to 100 blocks; .*20,000"):
        played_of(read_trace(many))
    one = write_trace(tmp_path / "one.oct", [[], [3, 3]])
    with pytest.raises(ViewerError, match="2 accesses to 1 blocks"):
        played_of(read_trace(one))
    cut = tmp_path / "cut.oct"
    cut.write_bytes(many.read_bytes()[:-9])
    with pytest.raises(TraceError, match=r"cut.oct: does not decode"):
        read_trace(cut)
    other = tmp_path / "other.oct"
    other.write_text('{"outcore_events": 1}\n')
    assert main(["cache", str(other), "-o", str(tmp_path / "x.html")]) == 2
    assert "found no header of an access trace of version 1" in capsys.readouterr().err
    with pytest.raises(TraceError, match="cannot be read"):
        read_trace(tmp_path / "missing")


def test_a_page_holds_the_whole_trace(tmp_path: Path) -> None:
    trace = read_trace(write_trace(tmp_path / "t.oct", [[7], [1, 2, 3], [], [2]], units=9))
    shown: dict[str, Any] = played_of(trace)
    assert shown["rounds"] == [[7], [1, 2, 3], [], [2]]
    assert shown["units"] == 9
    assert shown["title"] == "Play with the cache: none on toy"
    assert ("accesses", "5 to 4 blocks, in 3 rounds") in shown["facts"]
