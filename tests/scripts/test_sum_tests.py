# SPDX-License-Identifier: Apache-2.0
"""The closing line of `make test` tells what the result files say, and never more."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "sum_tests.py"
SPEC = importlib.util.spec_from_file_location("sum_tests", SCRIPT)
assert SPEC is not None and SPEC.loader is not None
sum_tests = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(sum_tests)

PASSED = '<testcase name="p" status="run"/>'
FAILED = '<testcase name="f" status="run"><failure message="1 is not 2"/></testcase>'
ERROR = '<testcase name="e"><error message="fixture"/></testcase>'
SKIPPED = '<testcase name="s" status="run"><skipped message="no device"/></testcase>'
DISABLED = '<testcase name="d" status="notrun"/>'


def write(path: Path, *cases: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")


def program(name: str, passed: bool = True) -> str:
    body = "" if passed else '<failure message="Failed"/>'
    return f'<testcase name="{name}" status="{"run" if passed else "fail"}">{body}</testcase>'


def closing_line(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, int]:
    code = sum_tests.main([str(argument) for argument in arguments])
    return capsys.readouterr().out.splitlines()[-1], code


def test_adds_cases_of_programs_and_python_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "ctest.xml", program("common_tests"), program("storage_tests"))
    write(tmp_path / "cases/common_tests.xml", PASSED, PASSED)
    write(tmp_path / "cases/storage_tests.xml", PASSED, SKIPPED, DISABLED)
    write(tmp_path / "pytest.xml", PASSED, SKIPPED)
    assert closing_line(capsys, tmp_path) == ("4 passed, 0 failed, 3 skipped", 0)


def test_failures_and_errors_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "ctest.xml", program("common_tests", passed=False))
    write(tmp_path / "cases/common_tests.xml", PASSED, FAILED)
    write(tmp_path / "pytest.xml", PASSED, ERROR)
    assert closing_line(capsys, tmp_path) == ("2 passed, 2 failed, 0 skipped", 1)


def test_a_program_that_crashed_before_writing_counts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "ctest.xml", program("common_tests"), program("io_tests", passed=False))
    write(tmp_path / "cases/common_tests.xml", PASSED)
    assert closing_line(capsys, tmp_path) == ("1 passed, 1 failed, 0 skipped", 1)


def test_a_program_that_failed_after_its_cases_passed_still_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "ctest.xml", program("common_tests", passed=False))
    write(tmp_path / "cases/common_tests.xml", PASSED, PASSED)
    assert closing_line(capsys, tmp_path) == ("2 passed, 1 failed, 0 skipped", 1)


def test_a_torn_result_file_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "ctest.xml", program("common_tests"))
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/common_tests.xml").write_text("<testsuites><testsuite>")
    write(tmp_path / "pytest.xml", PASSED)
    assert closing_line(capsys, tmp_path) == ("1 passed, 1 failed, 0 skipped", 1)


def test_a_directory_without_results_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "release/ctest.xml", program("shell_check"))
    line, code = closing_line(capsys, tmp_path / "release", tmp_path / "tsan")
    assert (line, code) == ("1 passed, 1 failed, 0 skipped", 1)


def test_nothing_ran_is_not_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "ctest.xml")
    assert closing_line(capsys, tmp_path) == ("0 passed, 0 failed, 0 skipped", 1)


def test_failures_outside_of_tests_are_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path / "ctest.xml", program("shell_check"))
    line, code = closing_line(capsys, tmp_path, "--also-failed", 2)
    assert (line, code) == ("1 passed, 2 failed, 0 skipped", 1)
