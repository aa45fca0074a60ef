# SPDX-License-Identifier: Apache-2.0
"""`outcore run --device`: modelled devices, their dilation, and one that is too small."""

from pathlib import Path
from typing import Any

import pytest

from .conftest import ENGINES, ROOT, Runs, outcore

DEVICES = ROOT / "configs" / "devices"
# So slow (0.2 s for 4 KB) that even a processor that is busy with other tests is in time.
PATIENT = {"optane": 18000, "pcie": 1500, "sata": 1000}


def said(runs: Runs, **asked: object) -> Any:
    """Return the record of a run on a model; on a busy machine the run may have been late."""
    done = outcore(*runs.words(**asked), check=False)
    assert done.returncode in (0, 4), done.stderr
    return runs.record()


@pytest.mark.parametrize("device", ["optane", "pcie", "sata"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_modelled_run_says_so(runs: Runs, engine: str, device: str) -> None:
    free = runs.run(engine=engine)
    assert free["modelled"] is None
    assert free["asked"]["device"] is None
    path = DEVICES / f"{device}.toml"
    asked = {"engine": engine, "backend": "mem", "device": path, "verify": True}
    dilation = said(runs, **asked)["modelled"]["dilation"]
    assert dilation == 1, "memory is faster than any device"
    record = runs.run(dilation=PATIENT[device], **asked)
    assert record["answer"]["digest"] == free["answer"]["digest"]
    assert record["asked"]["device"] == str(path)
    modelled = record["modelled"]
    assert modelled["device"] == device
    assert modelled["dilation"] == PATIENT[device]
    assert modelled["requests"] == record["io"]["requests"] > 0
    assert modelled["late"] == 0
    assert modelled["honoured"] is True
    assert any(f"modelled: device {device} in front of mem" in n for n in record["io"]["notes"])


def test_the_device_decides_what_a_benefit_model_expects(runs: Runs) -> None:
    def expected(device: str) -> tuple[float, Any]:
        asked = {"engine": "sync_subgraph", "backend": "mem", "device": DEVICES / f"{device}.toml"}
        record = said(runs, dilation=1, **asked)
        first = record["rounds"][0]["own"]
        return first["full_estimate_s"] / first["selected_estimate_s"], record["device"]["rates"]

    disk, of_disk = expected("hdd")
    ssd, of_ssd = expected("optane")
    assert of_disk["source"].endswith("hdd.toml")
    assert of_ssd["source"].endswith("optane.toml")
    assert disk < ssd, "one list costs a seek"


def test_a_probe_of_another_device_tells_the_benefit_model_nothing(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def guesses() -> bool:
        record = runs.run(engine="sync_subgraph")
        return any("rates are guessed" in note for note in record["io"]["notes"])

    source = runs.run()["device"]["source"]
    monkeypatch.chdir(tmp_path)
    devices = tmp_path / "configs" / "devices"
    devices.mkdir(parents=True)
    device_beside(devices, source, p99_us=1, t_sr=2000)
    assert not guesses()
    device_beside(devices, source, p99_us=1)
    assert guesses(), "T_sr is not known"
    device_beside(devices, "/dev/elsewhere", p99_us=1, t_sr=2000)
    assert guesses()


def test_a_model_that_the_device_cannot_honour_fails_the_run(runs: Runs) -> None:
    asked = {
        "backend": "fault",
        "fault": "delay:3",
        "device": DEVICES / "optane.toml",
        "workload": "pagerank",
        "max_request": 4096,
    }
    record, message = runs.fail(4, dilation=1, **asked)
    assert "the model of optane was not honoured" in message
    assert "--dilation above 1" in message
    assert record["outcome"]["status"] == "failed"
    modelled = record["modelled"]
    assert modelled["honoured"] is False
    assert modelled["late"] > 0.05 * modelled["requests"]
    assert f"{modelled['late']} because of the real device" in message
    assert modelled["worst_late_us"] > 0
    assert record["answer"]["digest"], "the answer stands"
    # Only few requests, so that a busy processor does not fail the run either.
    few = {"workload": "bfs", "max_request": 65536}
    patient = runs.run(dilation=8000, **(asked | few))["modelled"]
    assert patient["requests"] < 100
    assert patient["honoured"] is True
    assert patient["late"] <= 0.05 * patient["requests"]


def device_beside(folder: Path, source: str, p99_us: float, t_sr: float = 0) -> Path:
    """Write a model, and beside it a file as a probe would have written it; T_sr 0 is not known."""
    path = folder / "fast.toml"
    path.write_text("[model]\nk_r = 1\nrequest_us = 96\nkb_us = 1\nmb_per_s = 1e6\nseek_us = 0\n")
    (folder / "local.toml").write_text(
        f'[probe]\nsource = "{source}"\n[read]\nk_r = 7\nt_rr_mb_per_s = 300\n'
        f"t_sr_mb_per_s = {t_sr}\n"
        "[write]\nt_sw_mb_per_s = 450\n"
        "[cost.busy]\nrequest_us = 20\nkb_us = 0.5\n"
        '[[rates]]\npattern = "random"\nbytes = 4096\n'
        f"concurrency = 1\nmb_per_s = 1\np50_us = 1\np99_us = {p99_us}\n"
    )
    return path


def test_dilation_is_worked_out_from_the_probed_device(runs: Runs, tmp_path: Path) -> None:
    source = runs.run()["device"]["source"]
    path = device_beside(tmp_path, source, p99_us=123400)
    record = said(runs, device=path, source=0)
    assert record["modelled"]["dilation"] == 1234, "123.4 ms where the model takes 100 us"
    assert said(runs, device=path, dilation=300)["modelled"]["dilation"] == 300, "given, it counts"


def test_depth_is_what_the_device_serves_at_once(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = runs.run()["device"]["source"]
    monkeypatch.chdir(tmp_path)
    _, message = runs.fail(2, depth="device")
    assert f"no probe of {source} was found" in message
    assert f"measure it: outcore probe {runs.graph}" in message
    devices = tmp_path / "configs" / "devices"
    devices.mkdir(parents=True)
    model = device_beside(devices, source, p99_us=1)
    assert runs.run(depth="device")["asked"]["depth"] == 7, "the probe's"
    of_model = said(runs, depth="device", device=model, source=0)
    assert of_model["asked"]["depth"] == 1, "the model's"
    assert runs.run(depth=5)["asked"]["depth"] == 5
    device_beside(devices, "/dev/elsewhere", p99_us=1)
    _, message = runs.fail(2, depth="device")
    assert "no probe of " in message


def test_what_bound_a_run_is_said_where_the_device_was_probed(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = runs.run()["device"]["source"]
    monkeypatch.chdir(tmp_path)
    bound = runs.run()["bound"]
    assert bound["device"] is None, "nobody knows what it can do"
    assert bound["processors"]["share"] > 0
    times = (bound["processors"]["seconds"], bound["neither_s"])
    assert bound["seconds"] == pytest.approx(sum(times)), "one or the other"
    devices = tmp_path / "configs" / "devices"
    devices.mkdir(parents=True)
    model = device_beside(devices, source, p99_us=1)
    slow = runs.run()["bound"]["device"]
    assert slow["source"] == "configs/devices/local.toml"
    assert slow["seconds"] > 0, "4 KB at 1 MB/s is what the probe says; more was read"
    assert slow["share"] == slow["sustained_share"], "a file without [sustained]"
    modelled = said(runs, device=model, backend="mem", source=0)["bound"]["device"]
    assert modelled is None or modelled["source"] == str(model), "memory reads nothing"


def test_engines_are_told_the_rates_of_the_device(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = runs.run()["device"]["source"]
    monkeypatch.chdir(tmp_path)
    assert runs.run()["device"]["rates"] is None, "nobody probed"
    devices = tmp_path / "configs" / "devices"
    devices.mkdir(parents=True)
    device_beside(devices, source, p99_us=1)
    assert runs.run()["device"]["rates"] == {
        "source": "configs/devices/local.toml",
        "k_r": 7,
        "t_rr_mb_per_s": 300,
        "t_sr_mb_per_s": 0,
        "t_sw_mb_per_s": 450,
        "request_us": 20,
        "request_us_per_kb": 0.5,
    }
    # 100 us for 4 KB and 1120 us for 1 MB, twice as slow.
    model = device_beside(devices, source, p99_us=1)
    rates = said(runs, device=model, dilation=2, source=0)["device"]["rates"]
    assert rates["source"] == str(model)
    assert rates["k_r"] == 1
    assert rates["t_rr_mb_per_s"] == pytest.approx(4096 / 100 / 2)
    assert rates["t_sr_mb_per_s"] == pytest.approx(2**20 / 1120 / 2)
    assert (rates["request_us"], rates["request_us_per_kb"]) == (192, 2)


def test_holes_cost_what_the_device_says(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cost(**options: object) -> object:
        return said(runs, holes="on", **options)["asked"]["request_cost"]

    source = runs.run()["device"]["source"]
    monkeypatch.chdir(tmp_path)
    assert cost() == {"us": 5.5, "us_per_kb": 0.57}, "nobody probed: the one of the documents"
    devices = tmp_path / "configs" / "devices"
    devices.mkdir(parents=True)
    model = device_beside(devices, source, p99_us=1)
    assert cost() == {"us": 20, "us_per_kb": 0.5}, "the probe's"
    assert cost(device=model, source=0) == {"us": 96, "us_per_kb": 1}, "the model's"
    device_beside(devices, "/dev/elsewhere", p99_us=1)
    assert cost() == {"us": 5.5, "us_per_kb": 0.57}, "another device was probed"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dilation": 2}, ["--dilation slows a modelled device, so it needs --device too"]),
        (
            {"device": DEVICES / "sata.toml", "dilation": 0.5},
            ["--dilation 0.5: expected a number from 1"],
        ),
        ({"device": DEVICES / "sata.toml", "dilation": "nan"}, ["--dilation nan: expected"]),
    ],
)
def test_bad_use_is_refused(runs: Runs, options: dict[str, object], words: list[str]) -> None:
    record, message = runs.fail(2, **options)
    assert record is None, "nothing ran"
    for word in words:
        assert word in message


def test_a_device_that_was_not_probed_names_the_command(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTCORE_DEVICES", str(tmp_path))  # not those of who tests
    path = device_beside(tmp_path, "/dev/elsewhere", 100)
    for _ in range(2):
        _, message = runs.fail(2, device=path)
        assert "it is not known how fast that is; give --dilation, or measure it: " in message
        assert message.rstrip().endswith(f"outcore probe {runs.graph}")
        (tmp_path / "local.toml").unlink(missing_ok=True)


def test_a_device_is_found_by_itself_and_a_model_by_its_name(
    runs: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the current folder is; among probes of other devices, under any file's name."""
    source = runs.run()["device"]["source"]
    devices = tmp_path / "devices"
    devices.mkdir()
    device_beside(devices, source, p99_us=1)
    (devices / "local.toml").rename(devices / "mine.toml")
    device_beside(devices, "/dev/elsewhere", p99_us=1)
    (devices / "other.toml").write_text("[model]\nk_r = 1\n")
    monkeypatch.setenv("OUTCORE_DEVICES", str(devices))
    rates = runs.run()["device"]["rates"]
    assert (rates["source"], rates["k_r"]) == (str(devices / "mine.toml"), 7)
    record = said(runs, device="fast", backend="mem", source=0)
    assert record["asked"]["device"] == str(devices / "fast.toml")
    _, message = runs.fail(2, device="fats")
    assert "did you mean 'fast'?" in message and "mine" not in message
    monkeypatch.delenv("OUTCORE_DEVICES")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    of_the_program = said(runs, device="optane", backend="mem", dilation=18000)["asked"]["device"]
    assert Path(of_the_program).samefile(DEVICES / "optane.toml")
    (tmp_path / "config" / "outcore").mkdir(parents=True)
    devices.rename(tmp_path / "config" / "outcore" / "devices")
    rates = runs.run()["device"]["rates"]
    assert rates["source"] == str(tmp_path / "config" / "outcore" / "devices" / "mine.toml")


def test_a_broken_model_is_refused_by_field(runs: Runs, tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("[model]\nk_r = 0\n")
    record, message = runs.fail(3, device=path)
    assert record is None
    assert "k_r = 0" in message
    path.write_text("[model\n")
    _, message = runs.fail(3, device=path)
    assert "broken.toml:1" in message
