# SPDX-License-Identifier: Apache-2.0
"""A cluster of Slurm for the tests that want one; they are skipped where it cannot be had."""

from collections.abc import Iterator

import pytest

from small_slurm import Slurm, lacking, traces


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    if lacking():
        pytest.skip(lacking())
    before = traces()
    cluster = Slurm(tmp_path_factory.mktemp("slurm"))
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
    assert cluster.processes() == []
    assert traces() == before, "files outside the cluster's folder"
