# SPDX-License-Identifier: Apache-2.0
"""The part of packaging that pyproject.toml cannot say: the program goes into the wheel."""

import os
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent


def program() -> Path:
    """The program of OUTCORE_BINARY, or that of build/release, which is built if need be."""
    named = os.environ.get("OUTCORE_BINARY")
    if named:
        return Path(named)
    for command in (
        ["--preset", "release"],
        ["--build", "--preset", "release", "--target", "outcore"],
    ):
        subprocess.run(["cmake", *command], cwd=ROOT, check=True)
    return ROOT / "build" / "release" / "outcore"


class WithProgram(build_py):
    """Modules, and beside them the program with its libraries."""

    def run(self) -> None:
        """Pack it; an editable install finds the checkout's."""
        super().run()
        if not self.editable_mode:
            package = Path(self.build_lib) / "outcore"
            subprocess.run([ROOT / "scripts" / "pack", program(), package], check=True)


class ForThisPlatform(bdist_wheel):
    """A wheel for any Python, but not for any machine."""

    def finalize_options(self) -> None:
        """Say so to setuptools, which sees no extension module."""
        super().finalize_options()
        self.root_is_pure = False

    def get_tag(self) -> tuple[str, str, str]:
        """Keep the platform alone."""
        return "py3", "none", super().get_tag()[2]


setup(cmdclass={"build_py": WithProgram, "bdist_wheel": ForThisPlatform})
