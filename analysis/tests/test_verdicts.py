# SPDX-License-Identifier: Apache-2.0
"""What a value must be before it is judged, and what is shown beside a verdict."""

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from outcore_analysis.claims import Claim, Verdict, contradictions, judge, read_claims
from outcore_analysis.numberline import number_line
from outcore_analysis.records import TABLES
from outcore_analysis.since import FILE, UNDATED, Since, dates_from_git
from outcore_analysis.standing import (
    contradiction_text,
    counts,
    marks,
    standing,
    waiting,
)
from outcore_analysis.yamllines import ConfigError
from workbench import ROOT, Workbench

FILES = sorted(str(path) for path in (ROOT / "configs/claims").glob("*.yaml"))
CLAIMS = {claim.id: replace(claim, since=UNDATED) for claim in read_claims(FILES)}
RUN = {
    "host": "h", "graph": "g", "family": "kronecker", "engine": "async_block", "workload": "bfs",
    "layout": "acgraph", "status": "ok", "traced": False, "config": "c",
    "started_at": "2026-11-24T08:00:00Z",
}  # fmt: skip


def tables(*rows: dict[str, Any]) -> dict[str, pd.DataFrame]:
    found = {
        name: pd.DataFrame([], columns=[column.name for column in columns])
        for name, columns in TABLES.items()
    }
    runs = [RUN | {"trial": 1, "record": f"run-{i}"} | row for i, row in enumerate(rows)]
    found["runs"] = pd.DataFrame(runs, columns=found["runs"].columns)
    return found


def claim(expression: str, **changed: Any) -> Claim:
    same = CLAIMS["acgraph-fig10-bfs-bytes"]
    plain = {"conditions": {}, "direction": "about", "paper_low": 0.5, "paper_high": 0.5}
    return replace(same, **(plain | {"tolerance": 1.5, "partly": 2.0} | changed),
                   expression=expression)  # fmt: skip


def of_three_trials(column: str, *values: float) -> dict[str, pd.DataFrame]:
    return tables(*({"trial": i + 1, column: value} for i, value in enumerate(values)))


# "Over 99%", "fewer than 7 bytes", "no bottleneck", "the same": bounds that the paper states.
STATED_AS_BOUNDS = {
    "cave-fig12b-graphx",
    *("acgraph-fig2-policies-wcc", "acgraph-sec31-wcc-first-rounds", "acgraph-sec32-long-tail"),
    *("acgraph-fig10-bfs-bytes", "acgraph-fig10-async-bytes", "acgraph-fig12-rate-cave"),
    *("acgraph-fig12-kcore-saturates", "acgraph-fig13-mis-flat", "acgraph-table1-preprocessing"),
    *("acgraph-fig17-preprocessing", "cave-fig6-lock", "cave-fig10a-graphchi-least"),
    *("cave-fig10a-gridgraph-least", "cave-fig10b-cpu", "cave-fig12a-graphchi-least"),
    *("chunkgraph-table4-cuts-after", "chunkgraph-fig10-mmap-instructions"),
    *("chunkgraph-fig17-preprocessing", "losc-fig1-construction-share", "losc-fig10-psw-threads"),
    "xpgraph-fig4-threads",
}
SHARE = claim('runs("edges_processed") / runs("edges")', share=True)


def test_a_share_above_one_is_not_judged() -> None:
    verdict = judge(SHARE, tables({"edges_processed": 133.0, "edges": 100.0}))
    assert verdict.verdict == "not run"
    assert "133% of a whole is impossible" in verdict.reason
    assert judge(SHARE, tables({"edges_processed": 60.0, "edges": 100.0})).verdict == "reproduced"


def test_one_slow_trial_is_no_denominator_for_runs_that_cannot_tell_theirs() -> None:
    """The peak of one slow run must not count as the device's when the others have none."""
    rate = claim('runs("read_rate", engine="async_block") / largest(runs("peak_read_rate"))')
    rows = [{"read_rate": 400.0, "peak_read_rate": None}]
    rows += [{"engine": "concurrent", "read_rate": 100.0, "peak_read_rate": 300.0}]
    verdict = judge(rate, tables(*rows))
    assert verdict.verdict == "not run"
    assert "peak_read_rate is missing from 1 of 2 runs, such as g async_block" in verdict.reason
    assert "too short for it" in verdict.reason


def test_every_is_not_said_of_one_graph() -> None:
    always = CLAIMS["acgraph-fig8-always-ahead"]
    sides = [{"engine": "async_block", "seconds": 1.0}]
    sides += [{"engine": "concurrent", "layout": "firstfit", "seconds": 2.0}]
    plain = dict(always.conditions) | {"depth": 64}
    cells = [
        side | plain | {"workload": workload, "graph": family, "family": family, "trial": trial}
        for side in sides
        for workload in always.covers["workload"]
        for family in always.covers["family"]
        for trial in (1, 2, 3)
    ]
    unconditional = replace(always, conditions={})
    assert judge(unconditional, tables(*cells)).verdict == "reproduced"
    fewer = [c for c in cells if (c["workload"], c["family"]) != ("kcore", "hostweb")]
    verdict = judge(unconditional, tables(*fewer))
    assert verdict.verdict == "not run"
    assert verdict.reason.endswith("these runs lack hostweb, kcore")


@pytest.mark.parametrize(
    ("column", "trials", "wanted", "indicative"),
    [
        ("run_s", 3, "reproduced", False),
        ("run_s", 2, "partly", True),
        ("run_s", 1, "partly", True),
        ("read_rate", 1, "partly", True),
        ("cpu_share", 2, "partly", True),
        ("requested_bytes", 1, "reproduced", False),
    ],
)
def test_a_time_or_rate_needs_three_trials_and_a_count_one(
    column: str, trials: int, wanted: str, indicative: bool
) -> None:
    verdict = judge(claim(f'runs("{column}")'), of_three_trials(column, *[0.5] * trials))
    assert (verdict.verdict, verdict.indicative) == (wanted, indicative)


def test_fewer_trials_do_not_pass_more_easily() -> None:
    counted = claim('runs("requested_bytes")')
    assert judge(counted, of_three_trials("requested_bytes", 0.5, 0.7)).verdict == "reproduced"
    assert judge(counted, of_three_trials("requested_bytes", 0.5, 0.9)).verdict == "partly"
    assert judge(counted, of_three_trials("requested_bytes", 0.5, 0.5, 0.9)).verdict == "partly"


def test_bounds_are_for_statements_that_are_bounds() -> None:
    """A number that the paper measured can be missed in both directions."""
    found = {c.id for c in CLAIMS.values() if c.direction != "about" and not c.no_number}
    assert found == STATED_AS_BOUNDS
    equality = CLAIMS["losc-fig11a-graphchi-space"]
    assert not equality.holds(4.37, equality.partly)


def test_a_strict_comparison_has_no_room_for_the_contrary() -> None:
    least = replace(CLAIMS["acgraph-fig9-least-memory"], covers={}, conditions={})
    ratios = [1.02, 1.01, 0.994]
    rows = [
        {"engine": engine, "layout": layout, "trial": i + 1, "peak_rss_bytes": value}
        for i, ratio in enumerate(ratios)
        for engine, layout, value in (
            ("concurrent", "firstfit", 1000 * ratio), ("async_block", "acgraph", 1000.0),
        )
    ]  # fmt: skip
    assert judge(least, tables(*rows)).verdict == "partly"


def test_modelled_claims_are_those_with_a_device_that_is_asked_for() -> None:
    modelled = [found for found in CLAIMS.values() if found.modelled and found.paper == "CAVE"]
    assert len(modelled) == 12
    assert not CLAIMS["losc-sec42-ligra"].modelled, "it asks for the real device"
    assert CLAIMS["losc-table4-v1"].modelled, "by the conditions of its file"
    assert CLAIMS["cave-fig14b-optane"].by_construction


def test_the_cards_of_a_claim_that_was_changed_show_both_forms() -> None:
    rows = [
        {"engine": "concurrent", "layout": "firstfit", "modelled": device, "dilation": 48,
         "options": options, "run_s": seconds, "trial": trial}
        for device, options, seconds in (
            ("optane", "max-request=4K", 1.0), ("pcie", "max-request=4K", 1.2),
            ("optane", "", 1.0), ("pcie", "", 0.8),
        )
        for trial in (1, 2, 3)
    ]  # fmt: skip
    found = replace(CLAIMS["cave-fig8-optane-pcie"], conditions={"options": ""})
    verdict = judge(found, tables(*rows))
    assert verdict.verdict == "reproduced"
    assert not isinstance(verdict.first_form, str)
    assert verdict.first_form.median == pytest.approx(0.8)


# --- Since when ---


def test_a_claim_that_is_younger_than_its_records_says_so() -> None:
    counted = claim('runs("requested_bytes")')
    rows = of_three_trials("requested_bytes", 0.5)
    for since, later in (
        (UNDATED, False),
        (Since("2026-11-23T00:00:00+00:00", "abc"), False),
        (Since("2026-11-24T09:00:00+02:00", "abc"), False),  # an hour before the run
        (Since("2026-11-25T00:00:00+00:00", "abc"), True),
        (Since(uncommitted=True), True),
    ):
        verdict = judge(replace(counted, since=since), rows)
        assert verdict.later == later, since
        assert ("added later" in dict(marks(verdict))) == later


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=n@example.org"]
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *words], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_dates_are_of_the_commit_that_last_changed_what_a_claim_is_judged_by(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "configs/claims"
    folder.mkdir(parents=True)
    source = yaml.safe_load(Path(FILES[0]).read_text())
    first, second = source["claims"][0], source["claims"][1]

    def write(*claims: dict[str, Any]) -> None:
        text = yaml.safe_dump(source | {"claims": list(claims)})
        (folder / "a.yaml").write_text(text)

    def commit(*claims: dict[str, Any]) -> str:
        write(*claims)
        git(tmp_path, "add", ".")
        git(tmp_path, "commit", "-q", "-m", "claims")
        return git(tmp_path, "rev-parse", "--short=12", "HEAD")

    git(tmp_path, "init", "-q")
    written = commit(first, second)
    changed = commit(first, second | {"tolerance": 0.3})
    commit(first | {"measure": "in other words"}, second | {"tolerance": 0.3})
    dates = dates_from_git(tmp_path)
    assert dates[first["id"]]["commit"] == written
    assert dates[second["id"]]["commit"] == changed
    (folder / FILE).write_text(json.dumps(dates))
    write(first, second | {"tolerance": 0.1})
    assert dates_from_git(tmp_path)[second["id"]]["commit"] == ""
    read = {found.id: found for found in read_claims([str(folder / "a.yaml")])}
    assert read[first["id"]].since.commit == written
    assert read[second["id"]].since.uncommitted


def test_what_each_claim_is_judged_by_is_as_it_was_dated() -> None:
    """Another number, tolerance or expression makes another claim: it is dated again, openly."""
    stored = json.loads((ROOT / "configs/claims" / FILE).read_text())
    if not (ROOT / ".git").exists() or git(ROOT, "rev-parse", "--is-shallow-repository") == "true":
        pytest.skip("the history of the claims is not here")
    found = dates_from_git(ROOT)
    assert {n: e["judged"] for n, e in stored.items()} == {n: e["judged"] for n, e in found.items()}
    # The commit that changes a claim cannot name itself, so its claims may wait for the next
    # commit.
    head = git(ROOT, "rev-parse", "HEAD")
    for name, entry in stored.items():
        dated = found[name]
        waits = not entry["commit"] and (not dated["commit"] or head.startswith(dated["commit"]))
        assert waits or entry == dated, f"{name}: python -m outcore_analysis artifact dates it"


# --- How all of them stand ---


def test_two_papers_that_contradict_each_other_are_named() -> None:
    stalls, bound = CLAIMS["acgraph-fig3-stalls-cave"], CLAIMS["cave-fig10b-io-bound"]
    runs = tables(
        *(
            {"engine": "concurrent", "layout": "firstfit", "trial": trial, "read_rate": 89.2,
             "peak_read_rate": 100.0}
            for trial in (1, 2, 3)
        )
    )  # fmt: skip
    verdicts = [judge(replace(found, conditions={}), runs) for found in (stalls, bound)]
    assert [verdict.verdict for verdict in verdicts] == ["not reproduced", "not reproduced"]
    (found,) = contradictions(verdicts)
    text = contradiction_text(found)
    assert "ACGraph (Fig. 3, section 3.2) says 11.7%" in text
    assert "CAVE (Fig. 10(B), section 6.1) says 100%" in text
    assert "Here it is 89.2%" in text
    same = replace(verdicts[1], claim=replace(verdicts[1].claim, paper="ACGraph"))
    assert contradictions([verdicts[0], same]) == [], "one paper has its own reasons"


def verdict_of(name: str, verdict: str) -> Verdict:
    value = None if verdict.startswith("not ") and verdict != "not reproduced" else 1.0
    rows = of_three_trials("requested_bytes", *[0.5] * 3)
    judged = judge(claim('runs("requested_bytes")'), rows)
    return replace(
        judged, claim=CLAIMS[name], verdict=verdict, value=judged.value if value else None
    )


def test_first_line_counts_what_is_judged_and_models_apart() -> None:
    verdicts = [
        verdict_of("acgraph-fig10-bfs-bytes", "reproduced"),
        verdict_of("acgraph-fig11-edges", "not reproduced"),
        verdict_of("cave-fig14b-sata", "reproduced"),
        verdict_of("cave-fig14b-optane", "reproduced"),
        verdict_of("acgraph-fig16-threads", "not testable here"),
        verdict_of("acgraph-fig3-stalls-blaze", "not run"),
        verdict_of("cave-fig9-sata", "not run"),
    ]
    assert standing(verdicts) == (
        "2 of 7 statements judged: 1 reproduced, 0 partly, 1 not reproduced. Counted apart: "
        "1 on modelled devices (1 reproduced, 0 partly, 0 not reproduced); "
        "1 by construction (1 reproduced, 0 partly, 0 not reproduced)."
    )
    assert waiting(verdicts) == "1 not testable here, 2 not run"
    row = counts(verdicts)
    assert (row["reproduced"], row["not reproduced"], row["not run"]) == ("1", "1", "2")
    assert (row["on modelled devices"], row["by construction"]) == ("1", "1")


def test_number_line_has_the_papers_range_ours_and_both_bands() -> None:
    verdict = judge(claim('runs("requested_bytes")'), of_three_trials("requested_bytes", 1, 2, 3))
    drawn = str(number_line(verdict))
    assert 'class="partly"' in drawn and 'class="within"' in drawn
    assert "Paper: 0.5 bytes per edge. Here: 2 bytes per edge" in drawn
    edges = [float(x) for x in re.findall(r'<rect class="\w+" x="([\d.]+)"', drawn)]
    widths = [float(w) for w in re.findall(r'<rect[^>]* width="([\d.]+)"', drawn)]
    dot = float(re.findall(r'cx="([\d.]+)"', drawn)[0])
    paper, ours = (float(x) for x in re.findall(r'<path class="\w+" d="M([\d.]+)', drawn))
    assert edges[0] < edges[1] < paper < ours < dot
    assert edges[0] + widths[0] > edges[1] + widths[1], "the wider band is behind"
    assert dot > edges[0] + widths[0], "not reproduced: the dot is outside of both"


def test_not_reproduced_says_why() -> None:
    verdict = judge(claim('runs("requested_bytes")', why_not="Ours does more."),
                    of_three_trials("requested_bytes", 9, 9, 9))  # fmt: skip
    assert (verdict.verdict, verdict.reason) == ("not reproduced", "Ours does more.")


def test_a_share_in_a_paper_is_at_most_one(workbench: Workbench) -> None:
    source = yaml.safe_load(Path(FILES[0]).read_text())
    item = next(c for c in source["claims"] if "expression" in c)
    wrong = source | {"claims": [item | {"share": True, "paper_value": 1.2}]}
    with pytest.raises(ConfigError, match="a share of a whole is at most 1"):
        read_claims([str(workbench.write("claims.yaml", wrong))])
