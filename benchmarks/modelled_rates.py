# SPDX-License-Identifier: Apache-2.0
"""Modelled devices in real time: random reads of 4 KB by concurrency, beside the closed form."""

import argparse
import json
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def read(options: argparse.Namespace, device: str, dilation: float, depth: int) -> dict[str, float]:
    """One run of device_reads."""
    words = [options.device_reads, options.file, "--backend", options.backend, "--batch", 1]
    words += ["--device", ROOT / "configs" / "devices" / f"{device}.toml"]
    words += ["--dilation", dilation, "--depth", depth, "--seconds", options.seconds]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Prints a row for each device: measured over closed form, and the share that was late."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("device_reads")
    parser.add_argument("file", help="at least 1 GiB; --backend mem holds it in memory")
    parser.add_argument("--backend", default="uring")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument(
        "--dilation", action="append", default=[], metavar="DEVICE=X", help="default 1"
    )
    options = parser.parse_args()
    dilations = dict(word.split("=") for word in options.dilation)
    depths = [1 << i for i in range(8)]
    print("device (dilation)".ljust(20) + "".join(f"{depth:>14}" for depth in depths))
    for device in ("optane", "pcie", "sata", "hdd"):
        dilation = float(dilations.get(device, 1))
        row = f"{device} ({dilation:g})".ljust(20)
        for depth in depths:
            found = read(options, device, dilation, depth)
            ratio = found["mb_per_second"] / found["closed_form_mb_per_second"]
            row += f"{ratio:>7.3f} {found['late_share']:>5.1%}".rjust(14)
        print(row, flush=True)


if __name__ == "__main__":
    main()
