# SPDX-License-Identifier: Apache-2.0
"""A contestant: its file in configs/contestants, and where its programs are."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from outcore_analysis.contest import turn
from outcore_analysis.contest.faults import RaceError, UnracedError
from outcore_analysis.yamllines import CONFIGS, ConfigError, check, load_yaml, schema

Json = dict[str, Any]
FOLDER = CONFIGS / "contestants"
SCRIPTS = CONFIGS.parent / "contestants"
INSTALLED = CONFIGS.parent / ".contestants"  # where `make contestants` puts programs
UNITS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# Formats that call vertices as the imported file did; the others by number.
WITH_IDS = ("csv", "tsv", "snap", "el", "wel")
PLACEHOLDER = re.compile(r"\{([a-z_0-9]+)\}")
SECONDS_FOR_VERSION = 60.0


def names(folder: Path = FOLDER) -> list[str]:
    """Return the contestants that are described."""
    return sorted(path.stem for path in folder.glob("*.yaml"))


@dataclass(frozen=True)
class Contestant:
    """A checked description with its options, and the folder of the programs: None if not set."""

    name: str
    value: Json
    programs: Path | None
    scripts: Path
    place: str  # of the description, for messages
    options: Mapping[str, str] = field(default_factory=dict)  # all of them, defaults filled in
    asked: str = ""  # as it was named, with its options: graphx:executors=2

    @classmethod
    def read(
        cls, asked: str, settings: Mapping[str, str] | None = None, folder: Path = FOLDER
    ) -> Contestant:
        """Read a description; raise RaceError if there is none of that name, or it is wrong.

        `asked` is a name, or a name with options: graphx:executors=2,strategy=1d.
        """
        known = names(folder)
        name, _, given = asked.partition(":")
        if name not in known:
            raise RaceError(
                f"unknown contestant '{name}'; {folder} describes: {', '.join(known) or 'none'}"
            )
        document = load_yaml(folder / f"{name}.yaml")
        check(document, "contestant")
        faults = [f"{document.place(path)}: {why}" for path, why in _faults(document.value, ())]
        if faults:
            raise ConfigError("\n".join(faults))
        programs = _programs(name, settings or {})
        scripts = folder.parent.parent / SCRIPTS.name / name
        options = _options(name, document.value.get("options", {}), given)
        return cls(name, document.value, programs, scripts, document.file, options, asked)

    @property
    def title(self) -> str:
        """Return its name as its authors write it, with the options that were asked for."""
        given = self.asked.partition(":")[2]
        return (
            f"{self.value['title']}, {given.replace(',', ', ')}" if given else self.value["title"]
        )

    @property
    def variable(self) -> str:
        """Return the variable of the environment that says where its programs are."""
        return variable_of(self.name)

    @property
    def calls_by_number(self) -> bool:
        """Tell whether its graph calls vertices 0, 1, 2, ... and not as the imported file did."""
        return self.value["graph"]["format"] not in WITH_IDS

    def workload(self, name: str, values: Mapping[str, object]) -> Json:
        """Return how it computes the workload; raise UnracedError if it cannot as asked.

        `values` are the race's, which stand for placeholders too.
        """
        known = self.value["workloads"]
        if name not in known:
            raise UnracedError(f"it is described for {', '.join(known)}, not for {name}")
        found: Json = known[name]
        for what, wanted in found.get("only", {}).items():
            asked = values.get(what)
            if str(asked) not in map(str, wanted):
                raise UnracedError(
                    f"it has {what} fixed: {', '.join(map(str, wanted))}, and this race has {asked}"
                )
        return found

    def settings(self, values: Mapping[str, object]) -> dict[str, str]:
        """Return its options; a default may stand for one of the race's values."""

        def value(found: re.Match[str]) -> str:
            return str(values.get(found[1], found[0]))

        return {name: PLACEHOLDER.sub(value, text) for name, text in self.options.items()}

    def fill(self, words: list[str], values: Mapping[str, object]) -> list[str]:
        """Return a command with its placeholders replaced; raise UnracedError for a program gone.

        Each is replaced once, so what a graph or a folder is called is never read as anything else.
        """
        folders = {"scripts": self.scripts, "shared": self.scripts.parent}
        known = {"programs": self.programs or ""} | folders | self.settings(values) | dict(values)

        def value(found: re.Match[str]) -> str:
            if found[1] not in known:
                raise UnracedError(
                    f"{self.place}: nothing is called {found[0]} here; there are "
                    f"{', '.join(sorted(known))}"
                )
            return str(known[found[1]])

        if self.programs is None and any("{programs}" in word for word in words):
            raise UnracedError(
                f"nothing says where its programs are: {self._advice()}, and set {self.variable}"
            )
        return [PLACEHOLDER.sub(value, word) for word in words]

    def command(self, words: list[str], values: Mapping[str, object]) -> list[str]:
        """Return a command whose program is there; raise UnracedError if it is not."""
        filled = self.fill(words, values)
        if shutil.which(filled[0]) is None:
            raise UnracedError(f"its program {filled[0]} is missing: {self._advice()}")
        return filled

    def environment(self, values: Mapping[str, object]) -> dict[str, str]:
        """Return its variables of the environment."""
        given = self.value.get("environment", {})
        return dict(zip(given, self.fill(list(given.values()), values), strict=True))

    def version(self, folder: Path) -> str:
        """Ask for the version; raise UnracedError where it says none, or another than wanted."""
        asked = self.value["version"]
        command = self.command(asked["command"], {})
        ended = turn.run(command, folder, turn.Limits(seconds=SECONDS_FOR_VERSION))
        said = ended.output + ended.errors
        pattern = asked.get("pattern") or default_of("version", "pattern")
        found = re.search(pattern, said)
        if found is None:
            why = ended.reason(command[0]) or f"it printed {said.strip()[:100]!r}"
            raise UnracedError(f"its version cannot be read with {pattern!r}: {why}")
        wanted = asked.get("wanted")
        if wanted and not re.fullmatch(wanted, found[1]):
            raise UnracedError(
                f"it is version {found[1]}, and {self.place} is for {wanted}: {self._advice()}"
            )
        return found[1]

    def times(self, workload: str, printed: str) -> dict[str, float]:
        """Return the seconds that it printed, by name."""
        given = self.value.get("times", {}) | self.value["workloads"][workload].get("times", {})
        found = {}
        for name, how in given.items():
            numbers = [_number(match[1]) for match in re.finditer(how["pattern"], printed)]
            if numbers and numbers[-1] is not None:
                found[name] = numbers[-1] * UNITS[how.get("unit", "s")]
        return found

    def counts(self, workload: str, printed: str) -> dict[str, float | None]:
        """Return the numbers that it printed last of its answer; None for one that is not there."""
        given = self.value["workloads"][workload].get("counts", {})
        matches = {name: list(re.finditer(how, printed)) for name, how in given.items()}
        return {name: _number(found[-1][1]) if found else None for name, found in matches.items()}

    def numbers(self, printed: str) -> dict[str, float]:
        """Return the numbers that it printed last of its own work, by name."""
        found = {}
        for name, pattern in self.value.get("numbers", {}).items():
            matches = list(re.finditer(pattern, printed))
            number = _number(matches[-1][1]) if matches else None
            if number is not None:
                found[name] = number
        return found

    def _advice(self) -> str:
        return str(self.value.get("install") or default_of("install"))


def variable_of(name: str) -> str:
    """Return OUTCORE_CONTESTANT_<NAME>, with letters and digits alone."""
    return "OUTCORE_CONTESTANT_" + re.sub(r"[^A-Z0-9]", "_", name.upper())


def default_of(*path: str) -> str:
    """Return the default that the schema states."""
    node = schema("contestant")
    for key in path:
        node = node["properties"][key]
    return str(node["default"])


def _programs(name: str, settings: Mapping[str, str]) -> Path | None:
    named = os.environ.get(variable_of(name)) or settings.get(name)
    if named:
        return Path(named).absolute()
    installed = installed_in(name)
    return installed if installed.is_dir() else None


def installed_in(name: str) -> Path:
    """Return where `make contestants` puts its programs: one with a list of its own, apart."""
    own = (SCRIPTS / name / "requirements.txt").is_file()
    return INSTALLED.with_name(f"{INSTALLED.name}-{name}") if own else INSTALLED


def _options(name: str, known: Json, given: str) -> dict[str, str]:
    """Return the options, as they were given and by default; raise RaceError for unknown ones."""
    found = {option: str(how["default"]) for option, how in known.items()}
    for word in filter(None, given.split(",")):
        option, _, value = word.partition("=")
        if option not in known or not value:
            there = ", ".join(f"{one}={default}" for one, default in found.items()) or "none"
            raise RaceError(f"--with {name}: '{word}' is no option of it; there are: {there}")
        choices = known[option].get("choices")
        if choices and value not in map(str, choices):
            raise RaceError(
                f"--with {name}: {option} is '{value}', expected {', '.join(map(str, choices))}"
            )
        found[option] = value
    return found


def _number(text: str) -> float | None:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def _faults(node: Any, path: tuple[str | int, ...]) -> list[tuple[tuple[str | int, ...], str]]:
    """Return the regular expressions that are none."""
    if not isinstance(node, dict):
        return []
    found = []
    for key, child in node.items():
        is_pattern = key in ("pattern", "wanted") or path[-1:] in (("counts",), ("numbers",))
        if is_pattern and isinstance(child, str):
            try:
                re.compile(child)
            except re.error as error:
                found.append(((*path, key), f"not a regular expression: {error}"))
        found += _faults(child, (*path, key))
    return found
