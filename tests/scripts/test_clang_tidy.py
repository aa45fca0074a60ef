# SPDX-License-Identifier: Apache-2.0
"""scripts/clang_tidy.py: what failed is printed, what passed is not checked again."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "clang_tidy.py"

# Complains about sources that say BAD, or include one that does, and writes down which files it
# was given: `-quiet FILE -- FLAGS`.
FAKE = r"""#!/bin/sh
if [ "$1" = --version ]; then echo fake 1; exit; fi
echo "$2" >> "$(dirname "$0")/asked"
if grep -q BAD "$2" $(sed -n 's/^#include "\(.*\.cc\)"$/\1/p' "$2"); then echo "$2: bad"; exit 1; fi
"""


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write sources and lint them: exit code, output, and how often the fake was asked."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    fake = tmp_path / "fake"
    fake.write_text(FAKE)
    fake.chmod(0o755)
    build = tmp_path / "build"
    build.mkdir()

    def run(**sources: str) -> tuple[int, str, int]:
        entries = []
        for name, text in sources.items():
            file = tmp_path / f"{name}.cc"
            file.write_text(text)
            command = f"g++ -I{tmp_path} -o it.dir/{name}.cc.o -c {file}"
            entries.append({"directory": str(tmp_path), "command": command, "file": str(file)})
        (build / "compile_commands.json").write_text(json.dumps(entries))
        (tmp_path / "asked").write_text("")
        done = subprocess.run(
            [sys.executable, SCRIPT, fake, build], capture_output=True, text=True, check=False
        )
        return (
            done.returncode,
            done.stdout + done.stderr,
            len((tmp_path / "asked").read_text().splitlines()),
        )

    return run


def test_asks_once_about_what_passes_and_about_all_of_a_target_at_once(lint) -> None:
    """The second time nothing was changed."""
    assert lint(a="int a;\n", b="int b;\n") == (0, "", 1)
    assert lint(a="int a;\n", b="int b;\n") == (0, "", 0)


def test_asks_nothing_about_what_the_build_writes(lint) -> None:
    """Nobody edits these files."""
    assert lint(**{"a": "int a;\n", "build/generated": "int BAD;\n"}) == (0, "", 1)


def test_asks_again_about_what_changed_be_it_a_silenced_check_or_a_header(
    lint, tmp_path: Path
) -> None:
    """Headers are part of every source that includes them."""
    header = tmp_path / "h.h"
    header.write_text("int h;\n")
    assert lint(a='#include "h.h"\n', b="int b;\n")[2] == 1
    header.write_text("long h;\n")
    assert lint(a='#include "h.h"\n', b="int b;\n")[2] == 1
    assert lint(a='#include "h.h"\n', b="int b;  // NOLINT\n")[2] == 1
    assert lint(a='#include "h.h"\n', b="int b;\n")[2] == 0


def test_does_not_ask_again_for_a_line_of_comment_that_changed(lint) -> None:
    """Nothing is checked in it, unless it silences a check."""
    assert lint(a="// Says why.\nint a;\n")[2] == 1
    assert lint(a="  // Says it better.\n// In two lines.\nint a;  // As follows.\n")[2] == 0
    assert lint(a="// NOLINTNEXTLINE\nint a;\n")[2] == 1


def test_complaints_are_printed_and_not_remembered(lint, tmp_path: Path) -> None:
    """Findings are shown again in the next run; each of the sources was asked for by itself."""
    assert lint(a="int BAD;\n", b="int b;\n") == (1, f"{tmp_path}/a.cc: bad\n", 3)
    assert lint(a="int BAD;\n", b="int b;\n") == (1, f"{tmp_path}/a.cc: bad\n", 1)


def test_a_source_that_does_not_compile_fails(lint) -> None:
    """If there is nothing to lint, that is not a pass."""
    code, output, _ = lint(a='#include "missing.h"\n')
    assert code == 1
    assert "missing.h" in output
