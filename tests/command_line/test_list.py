# SPDX-License-Identifier: Apache-2.0
"""`outcore list`, and that experiments can use every part of a layout that it names."""

import json
import re
from typing import Any

import jsonschema
import pytest

from outcore_analysis.inventory import inventory
from outcore_analysis.yamllines import load_yaml

from .conftest import BINARY, ROOT, outcore

SCHEMA = json.loads((ROOT / "configs" / "schema" / "experiment.schema.json").read_text())


def layout_schema() -> Any:
    return SCHEMA["properties"]["layouts"]["additionalProperties"]["properties"]


@pytest.fixture(scope="module")
def listed(binary: None) -> Any:
    return json.loads(outcore("list", "--json").stdout)


def test_engines_say_what_they_can_do(listed: Any) -> None:
    """All engines name the same traits; today's engines have the values expected of them."""
    traits = {engine["name"]: engine["traits"] for engine in listed["engines"]}
    for of in traits.values():
        assert set(of) == set(traits["concurrent"])
        assert of["round"] != "immediate"
    in_memory = {name for name, of in traits.items() if of["keeps_graph_in_memory"]}
    assert in_memory == {"in_memory", "evolving"}
    assert [name for name, of in traits.items() if of["reads"] == "store"] == ["evolving"]
    assert [name for name, of in traits.items() if of["heads"] == "any"] == ["in_memory"]
    assert {traits[name]["converge"] for name in ("async_block", "in_memory")} == {"immediate"}
    assert traits["concurrent"]["converge"] == "round"
    for name in ("concurrent", "in_memory"):
        assert traits[name]["drive"]
        assert traits[name]["pull"]


def test_the_analysis_reads_the_inventory_of_the_build(listed: Any) -> None:
    """A plan's usual depth and its packs of edges are those that the binary names."""
    build = inventory(str(BINARY))
    assert build is not None
    assert {name: engine.depth for name, engine in build.engines.items()} == {
        engine["name"]: engine["depth"] for engine in listed["engines"]
    }
    assert build.edge_packs == {"grid", "psw"}


@pytest.mark.parametrize("part", ["number", "place", "codec"])
def test_experiments_know_the_parts_of_layouts(listed: Any, part: str) -> None:
    """In any order, and neither more nor fewer."""
    names = sorted(entry["name"] for entry in listed[f"{part}s"])
    assert sorted(layout_schema()[part]["enum"]) == names


def test_experiments_know_the_packs(listed: Any) -> None:
    """With all of their parameters."""
    pack = layout_schema()["pack"]
    named = re.match(r"\^\(([^)]*)\)", pack["pattern"])
    assert named is not None
    assert sorted(named[1].split("|")) == sorted(entry["name"] for entry in listed["packs"])
    for entry in listed["packs"]:
        jsonschema.validate(entry["name"], pack)
        given = ",".join(f"{p['name']}={p['default']}" for p in entry["parameters"])
        if given:
            jsonschema.validate(f"{entry['name']}:{given}", pack)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate("chunk", pack)


def test_experiments_know_the_workloads(listed: Any) -> None:
    """With all of their parameters; `exclude` knows the same workloads."""
    known = SCHEMA["properties"]["workloads"]["properties"]
    for entry in listed["workloads"]:
        names = {parameter["name"] for parameter in entry["parameters"]}
        assert names == set(known.get(entry["name"], {}).get("properties", {})), entry["name"]
    verbs = ["ingest", "recover", "windows"]  # what other verbs do
    names = [entry["name"] for entry in listed["workloads"]] + verbs
    assert sorted(known) == sorted(names)
    excluded = SCHEMA["properties"]["exclude"]["items"]["properties"]["workload"]["enum"]
    assert sorted(excluded) == sorted(names)


def test_stages_and_counts_are_explained_and_written(listed: Any) -> None:
    """configs/columns.yaml has exactly what the code of the existing engines reports."""
    engines = {entry["name"] for entry in listed["engines"]}
    sources = [path for path in (ROOT / "engines").rglob("*.cc") if "_test" not in path.name]
    code = "".join(path.read_text() for path in sources)
    for part, entries in load_yaml(ROOT / "configs" / "columns.yaml").value.items():
        written = set(re.findall(rf'\b{part}\["(\w+)"\]', code))
        assert written <= set(entries), "explain it there"
        due = {
            name
            for name, entry in entries.items()
            if engines & set(entry["from"]) and "counted_by" not in entry
        }
        assert due <= written, "no code writes it; is the engine's name wrong?"


def test_lists_for_people(listed: Any) -> None:
    """Every name, and how parameters are given; of each workload, what runs it."""
    text = outcore("list", "all").stdout
    for kind, entries in listed.items():
        assert f"{kind}:\n" in text
        for entry in entries:
            assert f"  {entry['name']} " in text
    assert "--pack lplf:window=8" in text
    assert "reads lists; visibility: converge round, round round; heads: layout; " in text
    assert "--set " in text
    assert "runs on " in text
