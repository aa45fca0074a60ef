# SPDX-License-Identifier: Apache-2.0
"""The last line of `make test` says what the result files say, and never more."""

import importlib.util
import os
import subprocess
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


def stages(folder: Path, **codes: int) -> None:
    """What scripts/test leaves beside the results: the requested stages, and how each ended."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stages").write_text(" ".join(codes) + "\n")
    for stage, code in codes.items():
        (folder / f"{stage}.exit").write_text(f"{code}\n")


def closing_line(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, int]:
    code = sum_tests.main([str(argument) for argument in arguments])
    return capsys.readouterr().out.splitlines()[-1], code


def test_adds_cases_of_programs_and_python_tests(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages(tmp_path, ctest=0, pytest=0)
    write(tmp_path / "ctest.xml", program("common_tests"), program("storage_tests"))
    write(tmp_path / "cases/common_tests.xml", PASSED, PASSED)
    write(tmp_path / "cases/storage_tests.xml", PASSED, SKIPPED, DISABLED)
    write(tmp_path / "pytest.xml", PASSED, SKIPPED)
    assert closing_line(capsys, tmp_path) == ("4 passed, 0 failed, 3 skipped", 0)


def test_failures_and_errors_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stages(tmp_path, ctest=8, pytest=1)
    write(tmp_path / "ctest.xml", program("common_tests", passed=False))
    write(tmp_path / "cases/common_tests.xml", PASSED, FAILED)
    write(tmp_path / "pytest.xml", PASSED, ERROR)
    assert closing_line(capsys, tmp_path) == ("2 passed, 2 failed, 0 skipped", 1)


def test_a_program_that_was_not_built_has_failed_and_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages(tmp_path, ctest=8)
    unbuilt = '<testcase name="io_tests" status="notrun"><skipped message="no file"/></testcase>'
    write(tmp_path / "ctest.xml", program("common_tests"), unbuilt)
    assert sum_tests.main([str(tmp_path)]) == 1
    printed = capsys.readouterr()
    assert printed.out == "1 passed, 1 failed, 0 skipped\n"
    assert printed.err == f"failed: io_tests was not built ({tmp_path}/ctest.xml)\n"


def test_a_program_that_crashed_before_writing_counts_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages(tmp_path, ctest=8)
    write(tmp_path / "ctest.xml", program("common_tests"), program("io_tests", passed=False))
    write(tmp_path / "cases/common_tests.xml", PASSED)
    assert closing_line(capsys, tmp_path) == ("1 passed, 1 failed, 0 skipped", 1)


def test_a_program_that_failed_after_its_cases_passed_still_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages(tmp_path, ctest=8)
    write(tmp_path / "ctest.xml", program("common_tests", passed=False))
    write(tmp_path / "cases/common_tests.xml", PASSED, PASSED)
    assert closing_line(capsys, tmp_path) == ("2 passed, 1 failed, 0 skipped", 1)


def test_a_torn_result_file_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stages(tmp_path, ctest=0, pytest=0)
    write(tmp_path / "ctest.xml", program("common_tests"))
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases/common_tests.xml").write_text("<testsuites><testsuite>")
    write(tmp_path / "pytest.xml", PASSED)
    assert closing_line(capsys, tmp_path) == ("1 passed, 1 failed, 0 skipped", 1)


def test_a_directory_without_results_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages(tmp_path / "release", ctest=0)
    write(tmp_path / "release/ctest.xml", program("shell_check"))
    line, code = closing_line(capsys, tmp_path / "release", tmp_path / "tsan")
    assert (line, code) == ("1 passed, 1 failed, 0 skipped", 1)


def test_nothing_ran_is_not_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stages(tmp_path, ctest=0)
    write(tmp_path / "ctest.xml")
    assert closing_line(capsys, tmp_path) == ("0 passed, 0 failed, 0 skipped", 1)


def test_failures_outside_of_tests_are_added(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stages(tmp_path, ctest=0)
    write(tmp_path / "ctest.xml", program("shell_check"))
    line, code = closing_line(capsys, tmp_path, "--also-failed", 2)
    assert (line, code) == ("1 passed, 2 failed, 0 skipped", 1)


def test_a_stage_that_leaves_no_results_has_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without pytest.xml every Python test would be missing, and the sum would look complete."""
    stages(tmp_path, ctest=0, pytest=0)
    write(tmp_path / "ctest.xml", program("shell_check"))
    assert closing_line(capsys, tmp_path) == ("1 passed, 1 failed, 0 skipped", 1)
    write(tmp_path / "pytest.xml", PASSED)
    assert closing_line(capsys, tmp_path) == ("2 passed, 0 failed, 0 skipped", 0)
    (tmp_path / "ctest.xml").unlink()
    assert closing_line(capsys, tmp_path) == ("1 passed, 1 failed, 0 skipped", 1)


@pytest.mark.parametrize("code", ["4", ""])
def test_a_stage_that_ended_badly_has_failed_whatever_its_results_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str
) -> None:
    stages(tmp_path, ctest=0, pytest=0)
    write(tmp_path / "ctest.xml", program("shell_check"))
    write(tmp_path / "pytest.xml", PASSED)
    (tmp_path / "pytest.exit").write_text(code)
    assert closing_line(capsys, tmp_path) == ("2 passed, 1 failed, 0 skipped", 1)


def test_scripts_test_names_its_stages_and_their_exit_codes(tmp_path: Path) -> None:
    """The script itself, with a ctest and a pytest that leave nothing behind."""
    for name, text in {
        "scripts/test": (SCRIPT.parent / "test").read_text(),
        "scripts/sum_tests.py": SCRIPT.read_text(),
        "bin/ctest": "#!/bin/sh\nexit 0\n",
        ".venv/bin/python": "#!/bin/sh\nexit 3\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    for words, stages_run, folder in (
        ("release", ["ctest", "pytest"], "test-results"),
        ("tsan --cpp", ["ctest"], "test-results"),
        ("release --extra", ["pytest"], "extra-results"),
    ):
        done = subprocess.run(
            ["bash", "scripts/test", *words.split()], cwd=tmp_path, check=False, text=True,
            capture_output=True, env=os.environ | {"PATH": path},
        )  # fmt: skip
        assert done.returncode == 1
        line = f"0 passed, {len(stages_run)} failed, 0 skipped"
        assert done.stdout.splitlines()[-1] == line
        results = tmp_path / "build" / words.split()[0] / folder
        assert (results / "stages").read_text().split() == stages_run
