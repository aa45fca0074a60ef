# SPDX-License-Identifier: Apache-2.0
"""What the suite of shapes asks for: configs/shapes.yaml as a list of graphs to run on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from outcore_analysis.yamllines import ConfigError, Document, check, load_yaml

Json = dict[str, Any]
IN_ORDER = "in-order"


@dataclass(frozen=True)
class Stage:
    """One graph of a suite, and all that runs on it."""

    shape: str
    title: str
    ids: str
    size: str
    generate: str
    options: Json
    # How the runs of this size are made.
    limits: Json
    engines: Json
    workloads: Json

    @property
    def name(self) -> str:
        """Return the graph's name: path-1e4-random."""
        return "-".join([self.shape, self.size] + [self.ids] * (self.ids != IN_ORDER))

    @property
    def label(self) -> str:
        """Return how figures call it: path, random."""
        return self.title + f", {self.ids}" * (self.ids != IN_ORDER)

    @property
    def recipe(self) -> Json:
        """Return how the graph is made."""
        ids = {"ids": self.ids} if self.ids != IN_ORDER else {}
        return {"generate": self.generate, "options": self.options | ids}

    @property
    def key(self) -> str:
        """Return its name, and a hash of all that is asked."""
        asked = json.dumps(asdict(self), sort_keys=True)
        return f"{self.name}-{hashlib.sha256(asked.encode()).hexdigest()[:8]}"


@dataclass(frozen=True)
class Suite:
    """What is asked, in one profile: the graphs by their keys."""

    title: str
    question: str
    profile: str
    stages: dict[str, Stage]


def read_suite(config: Mapping[str, Any]) -> Suite:
    """Return the suite of a configuration, in its profile; raise ConfigError for a faulty file."""
    document = _checked(config["shapes"])
    value, profile = document.value, config["profile"]
    stages = {stage.key: stage for stage in _stages(value, profile)}
    return Suite(value["title"], value["answers"], profile, stages)


def _checked(file: str) -> Document:
    document = load_yaml(file)
    check(document, "shapes")
    value = document.value
    faults = [
        f"{document.place(['profiles', profile, at])}: no size is called '{size}'"
        for profile, sizes in value["profiles"].items()
        for at, size in enumerate(sizes)
        if size not in value["sizes"]
    ]
    faults += [
        f"{document.place(['shapes', name, 'sizes'])}: '{name}' lacks the size '{size}'"
        for name, shape in value["shapes"].items()
        for size in value["sizes"]
        if size not in shape["sizes"]
    ]
    if faults:
        raise ConfigError("\n".join(faults))
    return document


def _stages(value: Json, profile: str) -> Iterator[Stage]:
    for size in value["profiles"].get(profile, []):
        for name, shape in value["shapes"].items():
            for ids in shape["ids"]:
                yield Stage(
                    shape=name,
                    title=shape["title"],
                    ids=ids,
                    size=size,
                    generate=shape["generate"],
                    options=shape["sizes"][size],
                    limits=value["sizes"][size],
                    engines=value["engines"],
                    workloads=value["workloads"],
                )
