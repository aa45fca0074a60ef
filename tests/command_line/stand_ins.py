# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for the programs that configs/contestants describes and that are not installed here.

Each takes the arguments of the real program and refuses others, reads and writes the same files,
and prints in the same form. Times are made up; answers are computed, on small graphs.
"""

from __future__ import annotations

import itertools
import os
import signal
import struct
import sys
from array import array
from collections.abc import Callable, Iterable
from pathlib import Path

Lists = list[list[int]]
Program = Callable[[list[str]], None]


def read(
    words: list[str], options: str = "", switches: str = "", positional: int = 0
) -> tuple[dict[str, str], list[str]]:
    """Return the options and the other arguments; end at one that is not known."""
    found: dict[str, str] = {}
    rest: list[str] = []
    left = iter(words)
    for word in left:
        name, equals, value = word.partition("=")
        if word in switches.split():
            found[word] = ""
        elif word in options.split():
            found[word] = next(left)
        elif equals and name in options.split():
            found[name] = value
        else:
            rest.append(word)
    missing = [option for option in options.split() if option not in found]
    if missing or len(rest) != positional or any(word.startswith("-") for word in rest):
        sys.exit(f"usage: {options} [{switches}] and {positional} arguments, not {words}")
    return found, rest


def numbers(path: Path, code: str) -> list[int]:
    """Return the numbers of a raw file, by the code of `array`."""
    return array(code, path.read_bytes()).tolist()


def write(path: Path, code: str, values: Iterable[float]) -> None:
    path.write_bytes(array(code, values).tobytes())


def of_edges(vertices: int, edges: Iterable[tuple[int, int]]) -> Lists:
    """Return lists; those of a program that is to be wrong are empty."""
    lists: Lists = [[] for _ in range(vertices)]
    for source, target in edges if not os.environ.get("STAND_IN_IS_WRONG") else ():
        lists[source].append(target)
    return lists


def of_csr(offsets: list[int], targets: list[int]) -> Lists:
    spans = itertools.pairwise(offsets)
    edges = [(v, t) for v, (begin, end) in enumerate(spans) for t in targets[begin:end]]
    return of_edges(len(offsets) - 1, edges)


def of_pairs(flat: list[int]) -> list[tuple[int, int]]:
    return list(zip(flat[::2], flat[1::2], strict=True))


def of_text(path: Path) -> list[tuple[int, int]]:
    flat = [int(word) for word in path.read_text().split()]
    return of_pairs(flat)


def levels(lists: Lists, source: int) -> list[int]:
    """Return the vertices' levels, -1 where a search does not come."""
    found = [-1] * len(lists)
    found[source] = 0
    queue = [source]
    for u in queue:
        for v in lists[u]:
            if found[v] < 0:
                found[v] = found[u] + 1
                queue.append(v)
    return found


def labels(lists: Lists) -> list[int]:
    """Return the least vertex of each one's component, of a symmetric graph."""
    found = [-1] * len(lists)
    for root in range(len(lists)):
        if found[root] < 0:
            for v, level in enumerate(levels(lists, root)):
                if level >= 0:
                    found[v] = root
    return found


def ranks(lists: Lists, iterations: int) -> list[float]:
    """Return PageRank with ranks that begin at 1."""
    rank = [1.0] * len(lists)
    for _ in range(iterations):
        new = [0.15] * len(lists)
        for u, found in enumerate(lists):
            for v in found:
                new[v] += 0.85 * rank[u] / len(found)
        rank = new
    return rank


def cores(lists: Lists) -> list[int]:
    """Return the core number of each vertex."""
    degrees = {v: len(found) for v, found in enumerate(lists)}
    number = [0] * len(lists)
    core = 0
    while degrees:
        v = min(degrees, key=lambda vertex: degrees[vertex])
        core = max(core, degrees.pop(v))
        number[v] = core
        for u in lists[v]:
            if u in degrees:
                degrees[u] -= 1
    return number


def reached(found: list[int]) -> int:
    return sum(level >= 0 for level in found)


# GAP: serialized graphs.


def gap_graph(path: str) -> Lists:
    raw = Path(path).read_bytes()
    directed, edges, vertices = struct.unpack_from("<?qq", raw)
    assert not directed
    begin = struct.calcsize("<?qq")
    end = begin + 8 * (vertices + 1)
    print("Read Time:           0.01000")
    print(f"Graph has {vertices} nodes and {edges // 2} undirected edges for degree: 1")
    return of_csr(array("q", raw[begin:end]).tolist(), array("i", raw[end:]).tolist())


def gap_bfs(words: list[str]) -> None:
    asked, _ = read(words, "-f -r -n", "-a")
    lists = gap_graph(asked["-f"])
    found = levels(lists, int(asked["-r"]))
    edges = sum(len(lists[v]) for v, level in enumerate(found) if level >= 0)
    print("Trial Time:          0.00123")
    if "-a" in asked:
        print(f"BFS Tree has {reached(found)} nodes and {edges} edges")
    print("Average Time:        0.00123")


def gap_cc(words: list[str]) -> None:
    asked, _ = read(words, "-f -n", "-a")
    found = labels(gap_graph(asked["-f"]))
    print("Trial Time:          0.00123")
    if "-a" in asked:
        print(f"\n1 biggest clusters\n0:{found.count(0)}")
        print(f"There are {len(set(found))} components")
    print("Average Time:        0.00123")


def gap_pr(words: list[str]) -> None:
    asked, _ = read(words, "-f -i -t -n", "-a")
    gap_graph(asked["-f"])
    print("Trial Time:          0.00123\nAverage Time:        0.00123")


# GridGraph and LUMOS: grids of pairs.


def grid_preprocess(words: list[str], options: str = "-i -o -v -p -t") -> None:
    asked, _ = read(words, options)
    pairs, folder = Path(asked["-i"]).read_bytes(), Path(asked["-o"])
    folder.mkdir()
    (folder / "column").write_bytes(pairs)
    (folder / "meta").write_text(f"{asked['-t']} {asked['-v']} {len(pairs) // 8} {asked['-p']}")
    print("it takes 0.01 seconds to generate edge grid")


def grid(folder: str) -> Lists:
    _, vertices, _, _ = (Path(folder) / "meta").read_text().split()
    return of_edges(int(vertices), of_pairs(numbers(Path(folder) / "column", "I")))


def grid_bfs(words: list[str]) -> None:
    _, (folder, source, gigabytes) = read(words, positional=3)
    assert int(gigabytes) > 0
    found = levels(grid(folder), int(source))
    for level in range(max(found) + 1):
        print(f"{level + 1:7}: {found.count(level)}")
    print(f"discovered {reached(found)} vertices from {source} in 0.02 seconds.")


def grid_wcc(words: list[str]) -> None:
    _, (folder, gigabytes) = read(words, positional=2)
    assert int(gigabytes) > 0
    found = labels(grid(folder))
    write(Path(folder) / "label", "I", found)
    print(f"{len(set(found))} components found in 0.02 seconds")


def grid_pagerank(words: list[str]) -> None:
    _, (folder, iterations, gigabytes) = read(words, positional=3)
    assert int(gigabytes) > 0
    write(Path(folder) / "pagerank", "f", ranks(grid(folder), int(iterations)))
    print("degree calculation used 0.01 seconds")
    print(f"{iterations} iterations of pagerank took 0.02 seconds")


def lumos_preprocess(words: list[str]) -> None:
    grid_preprocess(words, "-i -o -v -p -t -m")


def lumos_pagerank(words: list[str]) -> None:
    grid_pagerank(words)
    print("0: 1.000000")


# GraphChi: shards of a text.


def chi_sharder(words: list[str]) -> None:
    options = "file filetype edgedatatype nshards maxvertex membudget_mb"
    asked, _ = read(words, options)
    assert (asked["filetype"], asked["edgedatatype"]) == ("edgelist", "float")
    Path(asked["file"] + ".numvertices").write_text(f"{int(asked['maxvertex']) + 1}\n")
    sys.exit(255)  # as the real one


def chi_graph(asked: dict[str, str]) -> Lists:
    vertices = int(Path(asked["file"] + ".numvertices").read_text())
    return of_edges(vertices, of_text(Path(asked["file"])))


def chi_report() -> None:
    print("[Timings]\nexecute-updates:\t\t0.01s\t (count: 2, min: 0s, max: 0.01, avg: 0.005s)")
    print("iomgr_init:\t\t0.000762 s\nruntime:\t\t0.053472 s")


def chi_components(words: list[str]) -> None:
    asked, _ = read(words, "file filetype nshards execthreads membudget_mb")
    found = labels(chi_graph(asked))
    write(Path(asked["file"] + ".4B.vout"), "I", found)
    print("Total number of different labels (components/communities): 1")
    chi_report()


def chi_pagerank(words: list[str]) -> None:
    chi_graph(read(words, "file filetype nshards niters execthreads membudget_mb")[0])
    print("Print top 20 vertices:\n1. 982\t21.3486")
    chi_report()


# Blaze: Galois' graphs, in an index and lists.


def blaze_convert(words: list[str]) -> None:
    _, (graph, _, _) = read(words, positional=3)
    raw = Path(graph).read_bytes()
    version, weight, vertices, edges = struct.unpack_from("<4Q", raw)
    assert (version, weight) == (1, 0)
    end = 8 * (4 + vertices)
    Path(f"{graph}.index").write_bytes(raw[:end])
    Path(f"{graph}.adj.1.0").write_bytes(raw[end : end + 4 * edges])


def blaze_graph(index: str, adj: str) -> Lists:
    return of_csr([0, *numbers(Path(index), "Q")[4:]], numbers(Path(adj), "I"))


def blaze_stat(region: str) -> None:
    print(f"STAT_TYPE, REGION, CATEGORY, TOTAL_TYPE, TOTAL\nSTAT, {region}, Time, TMAX, 7")


def blaze_bfs(words: list[str]) -> None:
    _, files = read(words, "-computeWorkers -startNode", positional=2)
    blaze_graph(*files)
    blaze_stat("BFS_MAIN")


def blaze_wcc(words: list[str]) -> None:
    _, files = read(words, "-computeWorkers -inIndexFilename -inAdjFilenames", positional=2)
    print(f"Total components: {len(set(labels(blaze_graph(*files))))}")
    blaze_stat("WCC_MAIN")


def blaze_kcore(words: list[str]) -> None:
    read(words, "-computeWorkers -maxK -inIndexFilename -inAdjFilenames", positional=2)
    blaze_stat("KCORE_MAIN")


# ACGraph: it renumbers vertices.


def ac_formatter(words: list[str]) -> None:
    _, (csr, out) = read(words, positional=2)
    vertices, edges = struct.unpack_from("<IQ", (Path(csr) / "meta").read_bytes(), 3)
    offsets, targets = numbers(Path(csr) / "offset", "Q"), numbers(Path(csr) / "data", "I")
    assert (len(offsets), len(targets)) == (vertices + 1, edges)
    Path(out).mkdir()
    write(Path(out) / "v2id", "I", reversed(range(vertices)))
    write(Path(out) / "offset", "Q", offsets)
    write(Path(out) / "data", "I", targets)


def ac_graph(out: str) -> Lists:
    """Return the lists by its own numbers, which run backwards."""
    folder = Path(out)
    lists = of_csr(numbers(folder / "offset", "Q"), numbers(folder / "data", "I"))
    last = len(lists) - 1
    return [[last - v for v in lists[last - u]] for u in range(last + 1)]


def ac_report(answer: str) -> None:
    print("[REPORT] n_ptasks: 1\n[REPORT] n_pvertices: 1\n[REPORT] n_pedges: 1")
    print("[REPORT] total_time: 3.000ms, graph_init: 1.000ms, calc: 2.000ms")
    print(f"[REPORT] IO_read: 4096B\n[REPORT] ans: {answer}")  # codespell:ignore


def ac_bfs(words: list[str]) -> None:
    asked, (out,) = read(words, "-tn -cmb -src", positional=1)
    found = levels(ac_graph(out), int(asked["-src"]))
    ac_report(f"({reached(found)}, {max(found)})")


def ac_wcc(words: list[str]) -> None:
    _, (out,) = read(words, "-tn -cmb", positional=1)
    found = labels(ac_graph(out))
    ac_report(f"({len(set(found))}, {max(map(found.count, found))})")


def ac_kcore(words: list[str]) -> None:
    asked, (out,) = read(words, "-tn -cmb -k", positional=1)
    ac_report(str(sum(core >= int(asked["-k"]) for core in cores(ac_graph(out)))))


def ac_mis(words: list[str]) -> None:
    _, (out,) = read(words, "-tn -cmb", positional=1)
    ac_graph(out)
    print("0 3 5 ")
    ac_report("-")


def ac_ppr(words: list[str]) -> None:
    asked, (out,) = read(words, "-tn -cmb -alpha -rmax -src", positional=1)
    assert 0 < float(asked["-rmax"]) < 1 and float(asked["-alpha"]) < 1
    assert ac_graph(out)[int(asked["-src"])], "a source with edges"
    ac_report("-")


def ac_pr(words: list[str]) -> None:
    asked, (out,) = read(words, "-tn -cmb -alpha -rmax", positional=1)
    assert 0 < float(asked["-rmax"]) < 1 and float(asked["-alpha"]) < 1
    ac_graph(out)
    ac_report("-")


# CAVE: files in folders beside its own.


def cave_parser(words: list[str]) -> None:
    _, (name,) = read(words, positional=1)
    assert name.endswith(".binadj")
    Path("../data", Path(name).stem + ".bin").write_bytes(Path(name).read_bytes())


def cave_graph(name: str, words: list[str], cache: str) -> Lists:
    _, (path, kind, least, most, *megabytes) = read(words, positional=len(words))
    assert kind == "thread" and least == most and len(megabytes) == len(cache.split())
    Path("../log", f"{Path(path).stem}_{name}_thread.csv").write_text("algo_name,thread\n")
    vertices, _, *flat = numbers(Path(path), "i")
    edges = []
    left = iter(flat)
    for v in range(vertices):
        edges += [(v, target) for target in itertools.islice(left, next(left))]
    print(f"---[Thread count: {least}]---")
    return of_edges(vertices, edges)


def cave_bfs(words: list[str]) -> None:
    count = reached(levels(cave_graph("bfs", words, "cache"), 0))
    for test in range(3):
        print(f"[Test {test}] {count} nodes visited in {700 + test} us.")
    print("[Total] Average time: 701 us.")


def cave_wcc(words: list[str]) -> None:
    count = len(set(labels(cave_graph("wcc", words, ""))))
    for test in range(3):
        print(f"[Test {test}] {count} wcc components found in {700 + test} us.")


def cave_pagerank(words: list[str]) -> None:
    score = ranks(cave_graph("pagerank", words, ""), 10)[0]
    for test in range(3):
        print(f"[Test {test}] Node 0 score: {score:.2f} in {700 + test} us.")


# ChunkGraph: chunks made of Ligra's binary graphs. Ligra: text.


def chunk_main(words: list[str]) -> None:
    options = "-f --prefix --ssd --sblk_pool_size --global_threshold -t -q -j -v"
    asked, _ = read(words, options)
    csr, out = Path(asked["-f"], asked["--prefix"]), Path(asked["--ssd"], asked["--prefix"])
    for kind in ("idx", "adj"):
        raw = csr.with_suffix(f".{kind}").read_bytes()
        assert csr.with_suffix(f".r{kind}").read_bytes() == raw
        out.with_suffix(f".{kind}.chunk").write_bytes(raw)
    assert csr.with_suffix(".config").read_text().strip() == asked["-v"]
    out.with_suffix(".radj.chunk0").write_bytes(raw)
    os.kill(os.getpid(), signal.SIGSEGV)  # it looks at vertices that so small a graph has not


def chunk_graph(words: list[str], options: str) -> tuple[Lists, dict[str, str]]:
    asked, (name,) = read(words, f"-t {options}", "-b -chunk", positional=1)
    assert "-b" in asked and "-chunk" in asked
    print("Preload time : 0.0123")
    raw = (numbers(Path(f"{name}.idx.chunk"), "Q"), numbers(Path(f"{name}.adj.chunk"), "I"))
    return of_csr(*raw), asked


def chunk_bfs(words: list[str]) -> None:
    lists, asked = chunk_graph(words, "-r")
    found = levels(lists, int(asked["-r"]))
    for level in range(max(found) + 1):
        print(f"level = {level}, number of activated vertices = {found.count(level)}")
    print("Running time : 0.00156")


def chunk_components(words: list[str]) -> None:
    chunk_graph(words, "")
    print("level = 0, number of activated vertices = 64\nRunning time : 1.2e-05")


def chunk_pagerank(words: list[str]) -> None:
    chunk_graph(words, "-maxiters")
    print("Running time : 0.00156")


def chunk_kcore(words: list[str]) -> None:
    lists, _ = chunk_graph(words, "-maxk")
    print(f"largestCore was {max(cores(lists))}\nRunning time : 0.00156")


def ligra_graph(words: list[str], options: str = "") -> Lists:
    asked, (name,) = read(words, f"-rounds {options}", "-s -m", positional=1)
    assert "-s" in asked and "-m" in asked
    head, vertices, _, *rest = Path(name).read_text().split()
    assert head == "AdjacencyGraph"
    flat = [int(word) for word in rest]
    return of_csr([*flat[: int(vertices)], len(flat) - int(vertices)], flat[int(vertices) :])


def ligra_bfs(words: list[str]) -> None:
    ligra_graph(words, "-r")
    print("Running time : 0.00156")


def ligra_components(words: list[str]) -> None:
    ligra_graph(words)
    print("Running time : 0.00156")


def ligra_pagerank(words: list[str]) -> None:
    ligra_graph(words, "-maxiters")
    print("Running time : 0.00156")


def ligra_kcore(words: list[str]) -> None:
    core = max(cores(ligra_graph(words)))
    print(f"largestCore was {core}\nlargestCore was {core}\nRunning time : 0.00156")


# PCPM, XPGraph, libgrape-lite.


def pcpm_convert(words: list[str]) -> None:
    _, (text, out) = read(words, positional=2)
    edges = of_text(Path(text))
    vertices = 1 + max(map(max, edges))
    degrees = [0] * vertices
    for source, _ in edges:
        degrees[source] += 1
    offsets = [0, *itertools.accumulate(degrees)][:vertices]
    write(Path(out), "I", [vertices, len(edges), *offsets, *(v for _, v in sorted(edges))])


def pcpm_pr(words: list[str]) -> None:
    _, (path, _, _) = read(words, positional=3)
    vertices, edges, *rest = numbers(Path(path), "I")
    assert len(rest) == vertices + edges
    print(f"{path}, 0.001234")


def xp_main(words: list[str]) -> None:
    options = "-f -v -j -q -t --dram_only --persist --elogsize --vbuf_pool --pblk_pools"
    asked, _ = read(words, options)
    for file in Path(asked["-f"]).iterdir():
        of_edges(int(asked["-v"]), of_pairs(numbers(file, "I")))
    print("test_1hop_numa for 16777216 vertices, sum of their 1-hop neighbors = 7", end="")
    print(", 1 Hop Time = 0.2")
    print("test_bfs_numa for 3 root vertices, sum of frontier count = 9, BFS Time = 0.3")
    print("test_pagerank_pull for 10 iterations, PageRank Time = 0.4")
    print("test_connect_component with neighbor_rounds = 2, Connect Component Time = 5e-01")


def grape_app(words: list[str]) -> None:
    options = "--vfile --efile --application --out_prefix --app_concurrency"
    asked, _ = read(words, options, "--directed")
    assert asked["--application"] == "wcc" and "--directed" in asked
    vertices = [int(word) for word in Path(asked["--vfile"]).read_text().split()]
    found = labels(of_edges(len(vertices), of_text(Path(asked["--efile"]))))
    out = Path(asked["--out_prefix"])
    out.mkdir()
    lines = "".join(f"{v} {found[v]}\n" for v in reversed(vertices))
    (out / "result_frag_0").write_text(lines)
    for name in ("load graph", "load application", "run algorithm", "print output"):
        print(f" - {name}: 0.00123 sec\n", file=sys.stderr)


PROGRAMS: dict[str, dict[str, Program]] = {
    "gapbs": {"bfs": gap_bfs, "cc": gap_cc, "pr_spmv": gap_pr},
    "gridgraph": {
        "bin/preprocess": grid_preprocess,
        "bin/bfs": grid_bfs,
        "bin/wcc": grid_wcc,
        "bin/pagerank": grid_pagerank,
    },
    "lumos": {"bin/preprocess": lumos_preprocess, "bin/pagerank": lumos_pagerank},
    "graphchi": {
        "bin/sharder_basic": chi_sharder,
        "bin/example_apps/connectedcomponents": chi_components,
        "bin/example_apps/pagerank": chi_pagerank,
    },
    "blaze": {
        "bin/convert": blaze_convert,
        "bin/bfs": blaze_bfs,
        "bin/wcc": blaze_wcc,
        "bin/kcore": blaze_kcore,
    },
    "acgraph": {
        "formatter": ac_formatter,
        "bfs": ac_bfs,
        "wcc_lp": ac_wcc,
        "kcore": ac_kcore,
        "mis": ac_mis,
        "ppr": ac_ppr,
        "pr": ac_pr,
    },
    "cave": {
        "bin/parser": cave_parser,
        "bin/bfs": cave_bfs,
        "bin/wcc": cave_wcc,
        "bin/pagerank": cave_pagerank,
    },
    "chunkgraph": {
        "CSRGraph/bin/main": chunk_main,
        "ChunkGraph/apps/BFS": chunk_bfs,
        "ChunkGraph/apps/Components": chunk_components,
        "ChunkGraph/apps/PageRank": chunk_pagerank,
        "ChunkGraph/apps/KCore": chunk_kcore,
    },
    "ligra": {
        "BFS": ligra_bfs,
        "Components": ligra_components,
        "PageRank": ligra_pagerank,
        "KCore": ligra_kcore,
    },
    "pcpm": {"csr_gen/a.out": pcpm_convert, "src/pcpm/pr": pcpm_pr},
    "xpgraph": {"bin/main": xp_main},
    "libgrape-lite": {"run_app": grape_app},
}


def install(name: str, folder: Path) -> Path:
    """Write the programs of a contestant, as files that start those above; return the folder."""
    for path in PROGRAMS[name]:
        file = folder / name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"
            f"import stand_ins\nstand_ins.PROGRAMS[{name!r}][{path!r}](sys.argv[1:])\n"
        )
        file.chmod(0o755)
    return folder / name
