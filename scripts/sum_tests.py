#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sum the JUnit files of test runs into one closing line: "N passed, M failed, K skipped".

    sum_tests.py DIRECTORY... [--also-failed N]

A directory is what scripts/test writes: `stages`, the stages that should run (ctest, pytest);
ctest.xml (one entry per test program), cases/PROGRAM.xml (GoogleTest's cases of that program) and
pytest.xml; and STAGE.exit, the exit code of each stage.

A program without a cases file, because it crashed or is not a GoogleTest, counts as one test with
ctest's verdict. A program that fails although its cases passed (a sanitizer's report at exit)
counts as one additional failure. A stage counts as one failure if it left no results, or if it
ended with an error although its results show none. So does a directory without `stages`: its tests
did not run. Before the closing line, standard error names what failed. The exit code is 0 only if
something passed and nothing failed.
"""

import argparse
import sys
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Counts:
    """Numbers of test cases by verdict; can be added."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        """Add verdict by verdict."""
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        """Give the closing line."""
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


FAILED = Counts(failed=1)


def count_case(case: ET.Element) -> Counts:
    """Count one <testcase> as ctest, GoogleTest and pytest write it."""
    if case.find("failure") is not None or case.find("error") is not None:
        return FAILED
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return Counts(skipped=1)
    return Counts(passed=1)


def count_file(path: Path) -> Counts:
    """Count all cases of a file and name those that failed; a file that cannot be read is one."""
    try:
        cases = list(ET.parse(path).getroot().iter("testcase"))
    except (OSError, ET.ParseError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return FAILED
    for case in cases:
        if count_case(case).failed:
            print(f"failed: {case.get('classname')}.{case.get('name')} ({path})", file=sys.stderr)
    return sum((count_case(case) for case in cases), Counts())


def count_programs(ctest: Path, cases: Path) -> Counts:
    """Count the cases of every program that ctest ran, checked against its verdict."""
    total = Counts()
    for program in ET.parse(ctest).getroot().iter("testcase"):
        name = program.get("name")
        # What ctest could not run was not built: a test in itself.
        unbuilt = program.get("status") == "notrun"
        verdict = FAILED if unbuilt else count_case(program)
        file = cases / f"{name}.xml"
        counts = count_file(file) if file.exists() else verdict
        if verdict.failed and not counts.failed:
            counts += FAILED
        if verdict.failed:
            print(f"failed: {name}{' was not built' * unbuilt} ({ctest})", file=sys.stderr)
        total += counts
    return total


def count_stage(directory: Path, stage: str) -> Counts:
    """Count the results of one stage, checked against its exit code."""
    results = directory / f"{stage}.xml"
    if not results.exists():
        print(f"{results}: no such file; {stage} did not run to its end", file=sys.stderr)
        return FAILED
    if stage == "ctest":
        counts = count_programs(results, directory / "cases")
    else:
        counts = count_file(results)
    code = exit_code(directory / f"{stage}.exit")
    if code != "0" and not counts.failed:
        print(f"{directory}: {stage} ended with {code or 'no exit code'}", file=sys.stderr)
        counts += FAILED
    return counts


def exit_code(file: Path) -> str:
    """Read what scripts/test wrote about a stage; empty if it did not get that far."""
    return file.read_text().strip() if file.exists() else ""


def count_directory(directory: Path) -> Counts:
    """Count what one call of scripts/test wrote."""
    stages = directory / "stages"
    if not stages.exists():
        print(f"{directory}: no results; the tests did not run", file=sys.stderr)
        return FAILED
    return sum((count_stage(directory, stage) for stage in stages.read_text().split()), Counts())


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the closing line and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--also-failed", type=int, default=0, help="failures outside of tests")
    options = parser.parse_args(arguments)
    total = sum(map(count_directory, options.directories), Counts(failed=options.also_failed))
    print(total)
    return 0 if total.passed and not total.failed else 1


if __name__ == "__main__":
    sys.exit(main())
