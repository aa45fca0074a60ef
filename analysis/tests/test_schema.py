# SPDX-License-Identifier: Apache-2.0
"""The schemas: they are valid, document every key, and are strict about records."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from outcore_analysis.keys import configs_readme
from outcore_analysis.plan import make_plan
from outcore_analysis.yamllines import load_yaml, schema, validator
from workbench import ROOT, Workbench

NAMES = ["run", "config", "experiment", "graphs", "claims", "columns", "probe", "device"]
NAMES += ["contestant", "race", "races", "kept", "shapes", "viewer"]


@pytest.fixture
def record(finished: Workbench) -> Any:
    path = ROOT / finished.plan().records()[0]
    document = json.loads(path.read_text())
    assert validator("run").is_valid(document)
    return document


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_a_schema(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


def keys_of(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    for key, child in node.get("properties", {}).items():
        yield f"{path}.{key}", child
        yield from keys_of(child, f"{path}.{key}")
    if isinstance(node.get("items"), dict):
        yield from keys_of(node["items"], f"{path}[]")


@pytest.mark.parametrize("name", NAMES)
def test_every_key_is_described(name: str) -> None:
    assert [path for path, node in keys_of(schema(name)) if "description" not in node] == []


def test_every_key_of_a_record_is_written_by_some_code() -> None:
    """Everything but stages and counts, whose names engines choose; test_list.py has those."""
    rooms = ("cli", "common", "engines", "storage", "workloads")
    sources = [path for room in rooms for path in (ROOT / room).rglob("*.cc")]
    code = "".join(path.read_text() for path in sources if not path.name.endswith("_test.cc"))
    code += (ROOT / "analysis/outcore_analysis/trial.py").read_text()
    for part in ("contest", "cluster"):
        modules = (ROOT / "analysis/outcore_analysis" / part).glob("*.py")
        code += "".join(path.read_text() for path in modules)
    keys = [path for path, _ in keys_of(schema("run"))]
    unwritten = [path for path in keys if f'"{path.rpartition(".")[2]}"' not in code]
    assert unwritten == []


@pytest.mark.parametrize("profile", ["smoke", "quick", "full"])
def test_the_default_configuration_is_a_plan(profile: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    plan = make_plan(load_yaml("configs/config.yaml").value | {"profile": profile})
    assert plan.records()


def test_the_readme_of_the_configuration_is_up_to_date() -> None:
    assert (ROOT / "configs/README.md").read_text(encoding="utf-8") == configs_readme()


def without(key: str) -> Any:
    def change(record: Any) -> None:
        del record[key]

    return change


def with_value(*path: Any) -> Any:
    def change(record: Any) -> None:
        *keys, last, value = path
        for key in keys:
            record = record[key]
        record[last] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        without("outcome"),
        without("asked"),
        without("io"),
        without("answer"),
        with_value("record_version", 2),
        with_value("outcome", "status", "fine"),
        with_value("phases", None),
        with_value("phases", "run_s", -1),
        with_value("io", "requested_bytes", "many"),
        with_value("io", "colour", "red"),
        with_value("start", "residency", 1.5),
        with_value("start", "temperature", "tepid"),
        with_value("extra", {}),
        with_value("outcome", {"status": "failed", "reason": "", "exit_code": 1}),
    ],
)
def test_wrong_record_is_refused(record: Any, change: Any) -> None:
    broken = copy.deepcopy(record)
    change(broken)
    assert not validator("run").is_valid(broken)


def test_record_of_a_failure_may_lack_what_was_not_reached(record: Any) -> None:
    failure = {key: record[key] for key in ("record_version", "asked")}
    failure["outcome"] = {"status": "out_of_memory", "reason": "limit of 1 MiB", "exit_code": 6}
    assert validator("run").is_valid(failure)
    assert validator("run").is_valid(failure | {"graph": None, "io": None, "answer": None})
