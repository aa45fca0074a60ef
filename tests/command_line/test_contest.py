# SPDX-License-Identifier: Apache-2.0
"""`outcore race --with`: a description alone lets any program take part."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from .conftest import BINARY, ROOT, outcore, read_record

numpy = pytest.importorskip("numpy")
jsonschema = pytest.importorskip("jsonschema")
RACE_SCHEMA = json.loads((ROOT / "configs" / "schema" / "race.schema.json").read_text())

# The whole program of docs/adding-a-contestant.md: it reads csr64, and writes a level a line.
TWENTY_LINES = """\
import sys
import time
import numpy

if sys.argv[1:] == ["--version"]:
    sys.exit(print("toy 1.5"))
graph, vertices, source, answer = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
offsets = numpy.fromfile(graph, "<u8", vertices + 1)
targets = numpy.fromfile(graph, "<u4", offset=8 * (vertices + 1))
begin = time.perf_counter()
levels = [-1] * vertices
levels[source] = 0
queue = [source]
for u in queue:
    for v in targets[offsets[u] : offsets[u + 1]]:
        if levels[v] < 0:
            levels[v] = levels[u] + 1
            queue.append(v)
print(f"search took {1000 * (time.perf_counter() - begin)} ms, reached {len(queue)}")
open(answer, "w").write("\\n".join(map(str, levels)))
"""

DESCRIPTION: dict[str, Any] = {
    "title": "Toy",
    "about": "A search in twenty lines.",
    "licence": "Apache-2.0",
    "reference": "this file",
    "limits": ["It is slow."],
    "version": {
        "command": [sys.executable, "{programs}/toy.py", "--version"],
        "pattern": "toy (.*)",
    },
    "graph": {"format": "csr64"},
    "times": {"run": {"pattern": r"search took ([\d.]+) ms", "unit": "ms"}},
    "workloads": {
        "bfs": {
            "command": [
                *(sys.executable, "{programs}/toy.py"),
                *("{graph}", "{vertices}", "{source}", "{answer}"),
            ],
            "values": {"format": "text"},
        }
    },
}


@dataclass
class Bench:
    """A folder of descriptions and of programs, a graph, and races of them."""

    folder: Path
    graph: Path
    source: str = "3"
    environment: dict[str, str] = field(default_factory=dict)
    within: list[str] = field(default_factory=list)  # what runs each race

    def describe(self, name: str = "toy", program: str = TWENTY_LINES, **changed: Any) -> None:
        """Write a program and its description; `changed` are keys, as `workloads__bfs__only`."""
        programs = self.folder / "programs of" / name
        programs.mkdir(parents=True, exist_ok=True)
        (programs / "toy.py").write_text(program)
        value = json.loads(json.dumps(DESCRIPTION))
        for path, new in changed.items():
            *keys, last = path.split("__")
            node = value
            for key in keys:
                node = node[key]
            if new is None:
                del node[last]
            else:
                node[last] = new
        descriptions = self.folder / "configs" / "contestants"
        descriptions.mkdir(parents=True, exist_ok=True)
        (descriptions / f"{name}.yaml").write_text(json.dumps(value))
        variable = f"OUTCORE_CONTESTANT_{name.upper().replace('-', '_')}"
        self.environment |= {variable: str(programs), "OUTCORE_CONTESTANTS": str(descriptions)}

    def words(self, *words: object) -> list[str]:
        command = [str(BINARY), "race", str(self.graph), "--workload", "bfs", "-r", self.source]
        return [*command, *map(str, words)]

    def race(self, *words: object, names: tuple[str, ...] = ("toy",), turns: int = 1) -> Any:
        """Race; return the process, with the record that it left."""
        record = self.folder / "race.json"
        record.unlink(missing_ok=True)
        asked = [word for name in names for word in ("--with", name)]
        command = self.within + self.words(*asked, "--turns", turns, "--record", record, *words)
        done: Any = subprocess.run(
            command,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        done.record = None
        if record.exists():
            done.record = json.loads(record.read_text())
            jsonschema.Draft202012Validator(RACE_SCHEMA).validate(done.record)
            for number, found in enumerate(done.record["records"]):
                one = self.folder / f"record-{number}.json"
                one.write_text(json.dumps(found))
                read_record(one)
        return done

    def told(self, done: Any, name: str = "toy") -> Any:
        """Return what the record says of a contestant."""
        return next(c for c in done.record["contestants"] if c["name"] == name)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    graph = tmp_path / "graph"
    outcore("generate", "kronecker", "--scale", 8, "--symmetric", graph)
    outcore("layout", graph, "--pack", "csr")
    return Bench(tmp_path, graph)


def turns_of(record: Any, name: str) -> list[Any]:
    return [r for r in record["records"] if r["raced"]["contestant"] == name]


def test_twenty_lines_race(bench: Bench) -> None:
    bench.describe()
    done = bench.race(turns=3)
    assert done.returncode == 0, done.stderr
    assert len(TWENTY_LINES.splitlines()) == 20
    assert bench.told(done)["verdict"] == "right" and bench.told(done)["version"] == "1.5"
    assert bench.told(done, "ours")["verdict"] == "right"
    assert done.record["finished"] is True
    theirs, ours = turns_of(done.record, "toy"), turns_of(done.record, "ours")
    assert len(theirs) == len(ours) == 3
    for found in theirs:
        assert found["outcome"]["status"] == "ok" and found["answer"]["verified"]["passed"]
        assert found["asked"]["engine"] == "toy"
        assert found["external"]["version"] == "1.5"
        assert 0 < found["raced"]["own_s"] < found["raced"]["wall_s"]
        assert found["external"]["phases"]["run_s"] == found["raced"]["own_s"]
        assert found["raced"]["compared"] == "values"
        assert found["answer"]["digest"] == ours[0]["answer"]["digest"]
    assert [found["raced"]["place"] for found in theirs] == [2, 1, 2], "the order changes"
    assert "toy: It is slow." in done.stdout


def test_an_engine_may_be_named_to_race_for_us(bench: Bench) -> None:
    bench.describe()
    done = bench.race("--engine", "concurrent:form=published", "--layout", "csr", turns=2)
    assert bench.told(done)["verdict"] == bench.told(done, "ours")["verdict"] == "right"
    ours = turns_of(done.record, "ours")
    assert [found["asked"]["engine"] for found in ours] == ["concurrent"] * 2
    assert all(found["asked"]["settings"] == {"form": "published"} for found in ours)
    assert all(found["io"]["backend"] == "threads" for found in ours), "which is CAVE's"
    assert done.record["asked"]["ours"]["engine"] == "concurrent:form=published"
    for words, message in (
        (["--layout", "csr"], "--layout requires --engine"),
        (["--engine", "conc"], "unknown engine 'conc'"),
        (["--engine", "concurrent", "--layout", "none"], "none"),
    ):
        refused = bench.race(*words)
        assert refused.returncode == 2 and message in refused.stderr, refused.stderr


def test_answers_stand_before_times(bench: Bench) -> None:
    bench.describe()
    lines = bench.race().stdout.splitlines()
    assert lines.index("  toy 1.5: right") < next(
        at for at, line in enumerate(lines) if line.startswith("contestant ")
    )


def test_a_row_says_which_algorithm_ran(bench: Bench) -> None:
    bench.describe("told", workloads__bfs__algorithm="queue of one thread")
    bench.describe("untold")
    lines = bench.race(names=("told", "untold")).stdout.splitlines()
    rows = {line.split()[0]: line for line in lines if "1 of 1" in line}
    assert "queue of one thread" in rows["told"]
    assert rows["untold"].split()[1:3] == ["-", "right"]
    assert rows["ours"].split()[1:3] == ["bfs", "right"]


def test_its_graph_is_made_once(bench: Bench) -> None:
    bench.describe()
    first = bench.told(bench.race())["conversion"]
    assert [step["step"] for step in first["steps"]] == ["export"]
    assert first["steps"][0]["bytes"] > 0 and first["steps"][0]["wall_s"] > 0
    assert bench.told(bench.race())["conversion"] == first


CONVERTS = TWENTY_LINES.replace(
    "graph, vertices",
    "if sys.argv[1] == 'convert':\n"
    "    sys.exit(open(sys.argv[3], 'wb').write(open(sys.argv[2], 'rb').read()) and 0)\n"
    "graph, vertices",
)
READS_GRAPH = DESCRIPTION["workloads"]["bfs"]["command"]
WORDS_CONVERT = [sys.executable, "{programs}/toy.py", "convert", "{graph}", "{converted}"]
READS_CONVERTED = [
    *(sys.executable, "{programs}/toy.py"),
    *("{converted}", "{vertices}", "{source}", "{answer}"),
]


def test_its_own_conversion_is_a_step(bench: Bench) -> None:
    changed = {"graph__convert": WORDS_CONVERT, "workloads__bfs__command": READS_CONVERTED}
    bench.describe(program=CONVERTS, **changed)
    done = bench.race()
    assert bench.told(done)["verdict"] == "right", bench.told(done)
    steps = bench.told(done)["conversion"]["steps"]
    assert [step["step"] for step in steps] == ["export", "convert"]
    assert steps[0]["bytes"] == steps[1]["bytes"]


def test_a_full_disk_during_conversion_keeps_it_out(bench: Bench) -> None:
    full = "open('/dev/full', 'wb', buffering=0).write(b'x')"
    bench.describe(graph__convert=[sys.executable, "-c", full])
    done = bench.race()
    assert done.returncode == 0, "the race itself goes on"
    told = bench.told(done)
    assert told["verdict"] == "unraced"
    assert "its graph cannot be made (convert): exit code 1: OSError" in told["reason"]
    assert "No space left on device" in told["reason"]
    assert not (bench.folder / "graph.contestants" / "toy").exists()
    assert turns_of(done.record, "toy") == []


def test_a_disk_that_is_full_has_room_again_for_the_others(bench: Bench) -> None:
    work = bench.folder / "graph.contestants"
    work.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1M", "none", str(work)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root may mount a small disk")
    try:
        fills = "import sys; open(sys.argv[1], 'wb').write(bytes(1 << 22))"
        bench.describe("large", graph__convert=[sys.executable, "-c", fills, "{converted}"])
        bench.describe()
        done = bench.race(names=("large", "toy"))
        assert done.returncode == 0, done.stderr
        assert bench.told(done, "large")["verdict"] == "unraced"
        assert "No space left on device" in bench.told(done, "large")["reason"]
        assert bench.told(done)["verdict"] == bench.told(done, "ours")["verdict"] == "right"
    finally:
        subprocess.run(["umount", str(work)], check=True)


@pytest.mark.parametrize("form", ["el", "snap", "csv", "sg", "adj", "pairs32", "parquet"])
def test_formats_of_graphs(bench: Bench, form: str) -> None:
    """The program says how many bytes it was given; that is no answer, and is said to be none."""
    size = ["sh", "-c", 'test -s "$1"', "sh", "{graph}"]
    bench.describe(graph={"format": form}, workloads={"bfs": {"command": size}}, times={})
    done = bench.race()
    assert bench.told(done)["verdict"] == "not compared", bench.told(done)
    row = next(line for line in done.stdout.splitlines() if line.startswith("toy "))
    assert "?" in row and "?: nothing was compared" in done.stdout


def test_an_answer_in_the_ids_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "far.el").write_text("5000000007 9\n9 11\n")
    graph = tmp_path / "graph"
    outcore("import", tmp_path / "far.el", graph, "--symmetric")
    bench = Bench(tmp_path, graph, "5000000007")
    program = """
import sys
edges = [line.split() for line in open(sys.argv[1]) if not line.startswith("#")]
levels = {sys.argv[2]: 0}
for _ in edges:
    for a, b in edges:
        if a in levels:
            levels.setdefault(b, levels[a] + 1)
open(sys.argv[3], "w").write("".join(f"{v} {level}\\n" for v, level in levels.items()))
"""
    command = [sys.executable, "{programs}/toy.py", "{graph}", "{source}", "{answer}"]
    version = {"command": ["echo", "1"]}
    bench.describe(
        program=program, graph={"format": "el"}, workloads__bfs__command=command, version=version
    )
    assert bench.told(bench.race())["verdict"] == "right"
    # The graph's own numbers are other ids: what it writes are no vertices of the file.
    bench.describe(
        program=program.replace('f"{v} ', 'f"{sorted(levels).index(v)} '),
        graph={"format": "el"},
        workloads__bfs__command=command,
        version=version,
    )
    told = bench.told(bench.race())
    assert told["verdict"] == "failed"
    assert "found vertex '" in told["reason"] and "with ids from 9 to 5000000007" in told["reason"]


def test_another_answer_has_no_time(bench: Bench) -> None:
    bench.describe(program=TWENTY_LINES.replace("levels[u] + 1", "levels[u] + 2"))
    done = bench.race()
    told = bench.told(done)
    assert told["verdict"] == "answers differ"
    assert "bfs gave a wrong answer" in told["reason"]
    assert not any(line.startswith("toy ") for line in done.stdout.splitlines())
    assert turns_of(done.record, "toy")[0]["answer"]["verified"]["passed"] is False


COUNTS = {"reached": r"reached (\d+)"}


def test_counts_are_compared_where_there_are_no_values(bench: Bench) -> None:
    changed = {"workloads__bfs__values": None, "workloads__bfs__counts": COUNTS}
    bench.describe(**changed)
    done = bench.race()
    assert bench.told(done)["verdict"] == "counts agree"
    assert turns_of(done.record, "toy")[0]["raced"]["compared"] == "counts"
    bench.describe(program=TWENTY_LINES.replace("{len(queue)}", "{len(queue) - 1}"), **changed)
    told = bench.told(bench.race())
    assert told["verdict"] == "answers differ" and "it says reached" in told["reason"]
    bench.describe(program=TWENTY_LINES.replace(", reached", ""), **changed)
    told = bench.told(bench.race())
    assert told["verdict"] == "failed"
    assert "it did not print 'reached' as described" in told["reason"]


def test_an_unreadable_answer(bench: Bench) -> None:
    bench.describe(program=TWENTY_LINES.replace("map(str, levels)", "map(chr, range(65, 90))"))
    told = bench.told(bench.race())
    assert told["verdict"] == "failed"
    assert "answer.text:1: found the value 'A', expected a whole number" in told["reason"]
    bench.describe(program=TWENTY_LINES.replace("open(answer", "open('elsewhere'"))
    told = bench.told(bench.race())
    assert "it ended well and wrote no answer (answer.text)" in told["reason"]


CRASHES = TWENTY_LINES.replace(
    "queue = [source]",
    "queue = [source]\n"
    "times = open(sys.argv[5], 'a+')\n"
    "times.write('x'); times.flush(); times.seek(0)\n"
    "if len(times.read()) == 3: raise RuntimeError('the third time')",
)


def test_a_crash_in_turn_three_leaves_the_others(bench: Bench) -> None:
    command = [*DESCRIPTION["workloads"]["bfs"]["command"], str(bench.folder / "times")]
    bench.describe(program=CRASHES, workloads__bfs__command=command)
    done = bench.race(turns=5)
    told = bench.told(done)
    assert told["verdict"] == "right"
    assert told["reason"] == "turn 3: exit code 1: RuntimeError: the third time"
    states = [r["outcome"]["status"] for r in turns_of(done.record, "toy")]
    assert states == ["ok", "ok", "failed", "ok", "ok"]
    assert "4 of 5" in done.stdout


def test_programs_that_are_not_there(bench: Bench) -> None:
    bench.describe(version={"command": ["{programs}/gone", "-v"]}, install="make toys")
    told = bench.told(bench.race())
    assert told["verdict"] == "unraced"
    assert "its program" in told["reason"] and "is missing: make toys" in told["reason"]


def test_another_version_than_described(bench: Bench) -> None:
    version = DESCRIPTION["version"] | {"wanted": r"2\..*"}
    bench.describe(version=version)
    told = bench.told(bench.race())
    assert told["verdict"] == "unraced"
    assert "it is version 1.5, and" in told["reason"] and "toy.yaml is for 2" in told["reason"]
    bench.describe(version=DESCRIPTION["version"] | {"pattern": "tay (.*)"})
    assert "its version cannot be read with 'tay (.*)'" in bench.told(bench.race())["reason"]


def test_what_it_has_fixed(bench: Bench) -> None:
    bench.describe(workloads__bfs__only={"source": [0]})
    told = bench.told(bench.race())
    assert told["verdict"] == "unraced"
    assert told["reason"] == "it has source fixed: 0, and this race has 3"
    bench.describe(workloads__bfs__only={"source": [0, 3]})
    assert bench.told(bench.race())["verdict"] == "right"
    bench.describe(workloads__bfs__only={"symmetric": [0]})
    assert bench.told(bench.race())["reason"] == "it has symmetric fixed: 0, and this race has 1"
    bench.describe(workloads={"wcc": DESCRIPTION["workloads"]["bfs"]})
    assert bench.told(bench.race())["reason"] == "it is described for wcc, not for bfs"


def test_one_that_hangs_leaves_the_race(bench: Bench) -> None:
    bench.describe(program=TWENTY_LINES.replace("levels = ", "time.sleep(1000)\nlevels = "))
    done = bench.race("--timeout", 2, turns=3)
    told = bench.told(done)
    assert told["verdict"] == "killed"
    assert told["reason"] == "turn 1: still running after 2 s"
    assert len(turns_of(done.record, "toy")) == 1, "it would hang again"
    assert len(turns_of(done.record, "ours")) == 3


LEAVES = TWENTY_LINES.replace(
    "begin = ",
    "import os\n"
    "for _ in range(2):\n"
    "    if os.fork() == 0:\n"
    "        os.setsid()\n"
    "        open(os.path.dirname(__file__) + '/pids', 'a').write(f'{os.getpid()} ')\n"
    "        time.sleep(1000)\n"
    "begin = ",
)


@pytest.mark.parametrize("hangs", [False, True])
def test_nothing_of_one_that_forks_is_left_running(bench: Bench, hangs: bool) -> None:
    bench.describe(program=LEAVES + "time.sleep(1000)\n" * hangs)
    done = bench.race("--timeout", 5)
    assert bench.told(done)["verdict"] == ("killed" if hangs else "right")
    (taken,) = turns_of(done.record, "toy")
    assert hangs or taken["raced"]["left_behind"] == 2
    pids = (bench.folder / "programs of" / "toy" / "pids").read_text().split()
    assert not any(Path("/proc", pid, "exe").exists() for pid in pids)


def test_one_that_prints_a_gigabyte_leaves_the_race(bench: Bench) -> None:
    prints = "for _ in range(1024):\n    print('x' * (1 << 20))\nbegin = "
    bench.describe(program=TWENTY_LINES.replace("begin = ", prints))
    done = bench.race(turns=2)
    assert bench.told(done)["verdict"] == "killed"
    assert "turn 1: printed more than" in bench.told(done)["reason"]
    assert len(turns_of(done.record, "ours")) == 2
    assert len(done.stdout) < 1 << 20
    assert (bench.folder / "race.json").stat().st_size < 1 << 20


def test_one_that_prints_nothing_has_no_answer(bench: Bench) -> None:
    silent = "import sys\nif sys.argv[1:] == ['--version']: print('toy 1.5')\n"
    bench.describe(program=silent)
    bench.describe("counting", silent, workloads__bfs__values=None, workloads__bfs__counts=COUNTS)
    bench.describe("mute", "")
    done = bench.race(names=("toy", "counting", "mute"))
    assert done.returncode == 0, done.stderr
    assert "wrote no answer (answer.text)" in bench.told(done)["reason"]
    assert "did not print 'reached' as described" in bench.told(done, "counting")["reason"]
    assert bench.told(done)["verdict"] == bench.told(done, "counting")["verdict"] == "failed"
    assert bench.told(done, "mute")["verdict"] == "unraced"
    assert "its version cannot be read" in bench.told(done, "mute")["reason"]
    assert turns_of(done.record, "toy")[0]["raced"]["own_s"] is None


WRITES_ONCE = TWENTY_LINES.replace(
    "open(answer", "import os\nif not os.path.exists(answer + '.once'): open(answer"
)


def test_an_answer_of_an_earlier_turn_is_none(bench: Bench) -> None:
    """A program that answers beside its graph finds no answer there when its turn begins."""
    answer = str(bench.folder / "beside.txt")
    command = [answer if word == "{answer}" else word for word in READS_GRAPH]
    values = {"format": "text", "file": answer}
    program = WRITES_ONCE + "open(answer + '.once', 'w')\n"
    bench.describe(program=program, workloads={"bfs": {"command": command, "values": values}})
    done = bench.race(turns=2)
    assert [r["outcome"]["status"] for r in turns_of(done.record, "toy")] == ["ok", "failed"]
    assert "turn 2: it ended well and wrote no answer (beside.txt)" in bench.told(done)["reason"]


ROOM = """
import sys
print(f"toy {sys.argv[1]}")
print(f"search took 1 ms, reached {sys.argv[1]}")
"""


def test_pools_are_named_in_whole_units(bench: Bench) -> None:
    """Half of the limit in MiB, and the limit in GiB, where 0 would be no size at all."""
    command = [sys.executable, "{programs}/toy.py", "{pool_mb}.{memory_gb}"]
    counts = {"reached": r"reached (\d+)\.", "depth": r"reached \d+\.(\d+)"}
    bench.describe(program=ROOM, workloads={"bfs": {"command": command, "counts": counts}})
    done = bench.race("--memory", "300M")
    if done.returncode == 4:
        pytest.skip("no control group can be made")
    assert "it says reached 150, and" in bench.told(done)["reason"]
    (turn,) = turns_of(done.record, "toy")
    assert turn["external"]["command"][-1] == "150.1"
    (turn,) = turns_of(bench.race().record, "toy")
    pool, gigabytes = turn["external"]["command"][-1].split(".")
    assert int(pool) >= 1 and int(gigabytes) == max(1, int(pool) // 512)


def test_a_limit_of_memory_is_a_result(bench: Bench) -> None:
    hungry = TWENTY_LINES.replace("levels = ", "room = b'x' * (200 << 20)\nlevels = ")
    bench.describe(program=hungry)
    bench.describe("modest")
    done = bench.race("--memory", "128M", names=("toy", "modest"))
    if done.returncode == 4:
        assert "no control group can be made here" in done.stderr
        pytest.skip("no control group can be made")
    assert bench.told(done)["verdict"] == "out_of_memory"
    assert bench.told(done)["reason"] == f"turn 1: ended at its memory limit of {128 << 20} bytes"
    assert bench.told(done, "modest")["verdict"] == "right"
    found = turns_of(done.record, "modest")[0]
    assert found["asked"]["memory_bytes"] == 128 << 20
    assert 0 < found["raced"]["memory"]["peak_bytes"] <= 128 << 20


# As for a user: no control group can be made, and the page cache cannot be dropped.
TAKES_RIGHTS = """
umount -a -l -t cgroup,cgroup2 &&
mount --bind /proc/sys/vm /proc/sys/vm && mount -o remount,ro,bind /proc/sys/vm && exec "$@"
"""
WITHOUT_RIGHTS = ["unshare", "--mount", "sh", "-c", TAKES_RIGHTS, "sh"]


def test_without_rights_limits_are_refused_and_starts_are_warm(bench: Bench) -> None:
    if subprocess.run([*WITHOUT_RIGHTS, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can be without rights in a namespace of its own")
    bench.describe()
    bench.within = WITHOUT_RIGHTS
    done = bench.race()
    assert bench.told(done)["verdict"] == "right", done.stderr
    assert {r["raced"]["temperature"] for r in done.record["records"]} == {"warm"}
    assert "warm" in done.stdout
    refused = bench.race("--memory", "128M")
    assert refused.returncode == 4 and refused.record is None
    assert "no control group can be made here" in refused.stderr
    assert "race as root" in refused.stderr and "or leave out --memory" in refused.stderr


HOSTILE = "; touch hacked; $(touch hacked) `touch hacked` --help {source} %s \\1 '\""


def test_hostile_names_do_no_harm(tmp_path: Path) -> None:
    folder = tmp_path / HOSTILE
    folder.mkdir()
    graph = folder / "-x; touch hacked"
    outcore("generate", "kronecker", "--scale", 6, "--symmetric", graph)
    bench = Bench(folder, graph)
    bench.describe()
    done = bench.race()
    assert done.returncode == 0, done.stderr
    assert bench.told(done)["verdict"] == "right"
    assert list(tmp_path.rglob("hacked")) == [] and not Path("hacked").exists()


def test_races_start_cold_where_they_can(bench: Bench) -> None:
    bench.describe()
    found = {r["raced"]["temperature"] for r in bench.race().record["records"]}
    assert found == {"cold"} if os.access("/proc/sys/vm/drop_caches", os.W_OK) else {"warm"}
    done = bench.race("--warm")
    assert {r["raced"]["temperature"] for r in done.record["records"]} == {"warm"}
    assert "warm as asked" in done.stdout


def test_descriptions_are_checked(bench: Bench) -> None:
    bench.describe(about=None)
    done = bench.race()
    assert done.returncode == 2 and "toy.yaml:1: 'about' is a required property" in done.stderr
    bench.describe(times={"run": {"pattern": "(["}})
    done = bench.race()
    assert done.returncode == 2 and "toy.yaml:1: not a regular expression" in done.stderr
    bench.describe(workloads__bfs__command=["echo", "{sauce}"])
    told = bench.told(bench.race())
    assert "nothing is called {sauce} here; there are answer, " in told["reason"]
    done = bench.race(names=("nobody",))
    assert done.returncode == 2 and "unknown contestant 'nobody'" in done.stderr


def test_options_of_races_with_others(bench: Bench) -> None:
    for words in (["--warm"], ["--record", bench.folder / "race.json"]):
        done = outcore("race", bench.graph, "--workload", "bfs", *words, check=False)
        assert done.returncode == 2 and "name one" in done.stderr


def test_json_is_the_record_alone(bench: Bench) -> None:
    bench.describe()
    done = bench.race("--json")
    assert json.loads(done.stdout)["contestants"] == done.record["contestants"]


def test_ctrl_c_ends_all_and_keeps_records(bench: Bench) -> None:
    waits = TWENTY_LINES.replace(
        "begin = ",
        "import os\nopen(os.path.dirname(__file__) + '/pid', 'w').write(str(os.getpid()))\n"
        "time.sleep(1000)\nbegin = ",
    )
    bench.describe(program=waits)
    record = bench.folder / "race.json"
    race = subprocess.Popen(
        bench.words("--with", "toy", "--record", record),
        env=os.environ | bench.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    pid = bench.folder / "programs of" / "toy" / "pid"
    while not (pid.exists() and pid.read_text()):
        assert race.poll() is None
        time.sleep(0.02)
    race.send_signal(signal.SIGINT)
    _, errors = race.communicate()
    assert race.returncode == 130
    assert "interrupted; everything that ran was ended" in errors
    assert not Path(f"/proc/{pid.read_text()}").exists()
    kept = json.loads(record.read_text())
    assert kept["finished"] is False
    assert [r["raced"]["contestant"] for r in kept["records"]] == ["ours"]


def test_page_tells_the_same_twenty_lines() -> None:
    page = (ROOT / "docs" / "adding-a-contestant.md").read_text(encoding="utf-8")
    assert textwrap.dedent(TWENTY_LINES) in page


def installed(name: str) -> bool:
    python = ROOT / ".contestants" / "bin" / "python"
    code = f"import {name}"
    if not python.exists():
        return False
    return subprocess.run([python, "-c", code], capture_output=True, check=False).returncode == 0


SHIPPED = {
    "networkit": ["bfs", "wcc", "coreness", "kcore"],
    "igraph": ["bfs", "wcc", "coreness", "kcore"],
    "scipy": ["bfs", "wcc", "pagerank"],
    "duckdb": ["bfs", "wcc", "pagerank"],
    "kuzu": ["bfs", "wcc"],
}


@pytest.mark.parametrize("workload", ["bfs", "wcc", "coreness", "kcore", "pagerank"])
def test_shipped_contestants_answer_rightly(tmp_path: Path, workload: str) -> None:
    """They are really run where `make contestants` installed them."""
    names = [n for n, known in SHIPPED.items() if workload in known and installed(n)]
    if not names:
        pytest.skip("make contestants installs them")
    graph = tmp_path / "graph"
    outcore("generate", "kronecker", "--scale", 8, "--symmetric", graph)
    outcore("layout", graph, "--pack", "csr")
    record = tmp_path / "race.json"
    asked = [word for name in names for word in ("--with", name)]
    done = outcore("race", graph, "--workload", workload, *asked, "--turns", 1, "--record", record)
    told = {c["name"]: c for c in json.loads(record.read_text())["contestants"]}
    assert {name: told[name]["verdict"] for name in names} == dict.fromkeys(names, "right"), done


def test_options_are_asked_for_and_numbers_are_kept(bench: Bench) -> None:
    """A contestant with two choices of options is two contestants of one race."""
    program = TWENTY_LINES.replace('print(f"search', 'print(f"moved {sys.argv[5]}0 bytes; search')
    command = [*DESCRIPTION["workloads"]["bfs"]["command"], "{parts}"]
    options = {"parts": {"about": "Parts.", "default": "{threads}"}}
    numbers = {"moved_bytes": r"moved (\d+) bytes"}
    bench.describe(
        program=program, workloads__bfs__command=command, options=options, numbers=numbers
    )
    done = bench.race(names=("toy", "toy:parts=7"))
    assert done.returncode == 0, done.stderr
    for name, title, parts in (("toy", "Toy", "2"), ("toy:parts=7", "Toy, parts=7", "7")):
        assert bench.told(done, name)["verdict"] == "right"
        assert bench.told(done, name)["title"] == title
        (found,) = turns_of(done.record, name)
        assert found["asked"]["engine"] == "toy" and found["asked"]["settings"] == {"parts": parts}
        assert found["external"]["numbers"] == {"moved_bytes": 10 * int(parts)}
    refused = bench.race(names=("toy:part=7",))
    assert refused.returncode == 2
    assert "--with toy: 'part=7' is no option of it; there are: parts={threads}" in refused.stderr
