# SPDX-License-Identifier: Apache-2.0
"""The generators as configurations name them."""

import json
import re

from .conftest import ROOT, outcore


def test_configurations_know_every_generator() -> None:
    subcommands = outcore("generate", "--help").stdout.partition("Subcommands:")[2]
    generators = re.findall(r"^  ([a-z]\S*)", subcommands, re.MULTILINE)
    assert "kronecker" in generators
    schema = json.loads((ROOT / "configs/schema/graphs.schema.json").read_text())
    assert schema["additionalProperties"]["properties"]["generate"]["enum"] == generators
