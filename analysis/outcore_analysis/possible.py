# SPDX-License-Identifier: Apache-2.0
"""Combinations that no run could do, found before anything runs.

These are the refusals of docs/architecture.md, as far as the configuration's files and the build
tell. What an engine can do is what `outcore list` says, so nothing is known of engines that the
build lacks. Combinations that the experiment excludes are not run, so they are no faults.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from outcore_analysis.graphs import is_symmetric, recipe_of, vertices_of
from outcore_analysis.ingestion import BY_INGEST, INGEST, RECOVER, WINDOWS, is_on_disk
from outcore_analysis.inventory import Engine, Inventory
from outcore_analysis.ladder import CHANGED, rungs, sets_of
from outcore_analysis.yamllines import Document, KeyPath

Json = dict[str, Any]
Fault = tuple[KeyPath, str]

# What an engine of an experiment may read, by the keys of the experiment.
INPUTS = ("layouts", "streams", "stores")
LIST_PARTS = {"place": "id", "codec": "raw", "inline": 0, "heads": 0}
UNDIRECTED_ONLY = {"wcc-sample", "kcore", "coreness", "mis", "cdlp", "lcc"}
SAMPLED_HEADS = 2
SEVERAL = {"bc": "roots", "ppr": "sources"}
OWN_KEYS = {
    *("engine", "workload", "layout", "threads", "frames", "memory", "backend", "depth"),
    *("device", "dilation", "source", "set", "trace", "record", "output", "trials", "verify"),
    *("json", "gap-output"),
}
DEVICES = Path("configs/devices")


def pack_of(choices: Json) -> str:
    """Return the name of a layout's pack."""
    return str(choices.get("pack", "firstfit")).split(":")[0]


def pack_parameter(choices: Json, name: str, otherwise: str) -> str:
    """The value of a parameter of a layout's pack."""
    _, _, assignments = str(choices.get("pack", "")).partition(":")
    return dict(part.split("=") for part in assignments.split(",") if part).get(name, otherwise)


def inputs(value: Json) -> Json:
    """Return how everything is made that an experiment's engines read, by its name.

    A store says how its stream is made too, so that another stream makes it another store.
    """
    streams = value.get("streams", {})
    found = dict(value.get("layouts", {}))
    found |= {name: {"stream": how} for name, how in streams.items()}
    for name, how in value.get("stores", {}).items():
        found[name] = {"store": how, "stream": streams.get(how["stream"])}
    return found


def kind_of(choices: Json) -> str:
    """Return which of INPUTS is made in this way."""
    return "stores" if "store" in choices else "streams" if "stream" in choices else "layouts"


def goes_on(workload: str, choices: Json) -> bool:
    """Tell whether a workload goes with what is read: streams are taken in, and nothing else.

    What is recovered is either: a store is opened, a stream archived anew.
    """
    if workload == RECOVER:
        return kind_of(choices) != "layouts"
    return (workload in BY_INGEST) == (kind_of(choices) == "streams")


def is_recovered(workload: str, choices: Json, settings: Json) -> bool:
    """Tell whether what is read can be recovered with these settings, if that is the workload.

    A store is opened in its folder. A stream is archived in memory: in a folder it would be a new
    store.
    """
    return workload != RECOVER or is_on_disk(settings) == (kind_of(choices) == "stores")


def at_both(spec: Json) -> bool:
    """Tell whether an engine of stores puts each edge at both of its ends."""
    return all(one.get("lists") == "symmetric" for one in sets_of(spec, "settings"))


def named_inputs(spec: Json) -> list[str]:
    """Return the names of all that an engine reads."""
    return [name for kind in INPUTS for name in spec.get(kind, [])]


def parameter_sets(parameters: Any) -> list[Json]:
    """Return the sets of parameters as a list, whichever way they are written."""
    if isinstance(parameters, list):
        return list(parameters)
    return [parameters or {}]


def words_of(parameters: Json) -> str:
    """Return a set of parameters as one writes it: k=3 source=7."""
    return " ".join(f"{name}={value}" for name, value in sorted(parameters.items()))


def left_out(rule: Json) -> list[str]:
    """Return what a rule of `exclude` leaves out, in words."""
    named = [str(rule[k]) for k in ("graph", "engine", "layout", "workload") if k in rule]
    named += [words_of(rule["parameters"])] if "parameters" in rule else []
    further = [key for key in ("settings", "options") if key in rule]
    return named + [words_of(rule[key]) or f"no {key}" for key in further]


def size_bytes(text: str) -> int:
    """64M in bytes."""
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def excluded(rules: list[Json], profile: str, **actual: Any) -> bool:
    """Tell whether an experiment leaves a combination out."""
    actual["profile"] = profile
    return any(all(rule.get(k, v) == v for k, v in actual.items()) for rule in rules)


def faults(document: Document, entries: Json, build: Inventory | None) -> list[Fault]:
    """Yield all faults of an experiment that its schema cannot find, each with its key."""
    value = document.value
    known = build.engines if build else {}
    edge_packs = build.edge_packs if build else frozenset()
    found = [
        *_layouts(value, edge_packs),
        *_streams(value),
        *_windows(value, build),
        *_profiles(value, entries),
        *_engines(value, known, edge_packs),
        *_exclude(value),
    ]
    if found:
        return found
    return list(dict.fromkeys(_combinations(value, entries, build)))


def _layouts(value: Json, edge_packs: Collection[str]) -> Iterator[Fault]:
    for name, choices in value.get("layouts", {}).items():
        if str(choices.get("inline", "")).startswith("mini-data") and (
            choices.get("codec", "raw") != "raw"
        ):
            yield (
                ("layouts", name, "codec"),
                f"layout '{name}': lists inline as mini-data go with codec raw only; in-index goes "
                "with all",
            )
        if pack_of(choices) in edge_packs:
            for part, default in LIST_PARTS.items():
                if choices.get(part, default) != default:
                    yield (
                        ("layouts", name, part),
                        f"layout '{name}': pack {pack_of(choices)} holds edges, not lists; "
                        f"`{part}` is for lists",
                    )


def _streams(value: Json) -> Iterator[Fault]:
    streams, taken_in = value.get("streams", {}), set()
    for name, how in value.get("stores", {}).items():
        taken_in.add(how["stream"])
        if how["stream"] not in streams:
            path = ("stores", name, "stream")
            yield path, f"store '{name}' is made of stream '{how['stream']}', which `streams` lacks"
    read = {name for spec in value.get("engines", {}).values() for name in spec.get("streams", [])}
    for name in set(streams) - read - taken_in:
        yield ("streams", name), f"nothing takes stream '{name}' in: no engine, and no store"
    workloads = value.get("workloads", {})
    if read and not set(BY_INGEST) & set(workloads):
        yield ("workloads",), f"an engine names streams, which workload '{INGEST}' takes in"
    for workload in BY_INGEST:
        if not read and workload in workloads and workload != RECOVER:
            message = f"{workload} takes streams in, and no engine names `streams`"
            yield ("workloads", workload), message


def _windows(value: Json, build: Inventory | None) -> Iterator[Fault]:
    sets = parameter_sets(value.get("workloads", {}).get(WINDOWS, []))
    for i, chosen in enumerate(sets if build else []):
        asked = chosen["query"].split(":")[0]
        if build and asked not in build.workloads:
            at = (i,) if isinstance(value["workloads"][WINDOWS], list) else ()
            path: KeyPath = ("workloads", WINDOWS, *at, "query")
            yield path, f"windows ask for '{asked}', and this build of outcore has no such workload"


def _profiles(value: Json, entries: Json) -> Iterator[Fault]:
    for profile, scale in value["profiles"].items():
        for i, graph in enumerate(scale["graphs"]):
            path = ("profiles", profile, "graphs", i)
            if graph not in entries:
                yield path, f"unknown graph '{graph}'; there are: {', '.join(entries)}"
                continue
            for name, choices in value.get("layouts", {}).items():
                if choices.get("weights") == "given" and "generate" in entries[graph]:
                    yield path, f"layout '{name}' wants weights, and '{graph}' has none"


def _engines(
    value: Json, known: Mapping[str, Engine], edge_packs: Collection[str]
) -> Iterator[Fault]:
    for engine, spec in value.get("engines", {}).items():
        facts = known.get(engine)
        if not named_inputs(spec):
            yield (
                ("engines", engine),
                f"engine '{engine}' names no layouts, streams or stores",
            )
        for kind, i, name in [(k, i, n) for k in INPUTS for i, n in enumerate(spec.get(k, []))]:
            path = ("engines", engine, kind, i)
            if name not in value.get(kind, {}):
                yield path, f"engine '{engine}' names {kind[:-1]} '{name}', which `{kind}` lacks"
            elif facts and kind == "streams" and facts.reads != "store":
                yield path, f"engine '{engine}' takes no stream in; an engine of stores does"
            elif (
                facts
                and kind == "layouts"
                and (message := _wrong_pack(engine, facts, name, value[kind][name], edge_packs))
            ):
                yield path, message
        yield from _ladder(engine, spec)
        yield from _pools(engine, facts, spec, value.get("layouts", {}))
        yield from _devices(engine, spec)
        steps = [(("ladder", i, "options"), s) for i, s in enumerate(spec.get("ladder", []))]
        sets: list[tuple[KeyPath, Json]]
        sets = [(("options", i), options) for i, options in enumerate(spec.get("options", []))]
        sets += [(place, step.get("options", {})) for place, step in steps]
        for place, options in sets:
            for name in sorted(OWN_KEYS & set(options)):
                key: KeyPath = ("engines", engine, *place, name)
                yield key, f"option '{name}' is set by a key of its own, or by the pipeline"
        if "replay" in value and facts and facts.keeps_graph_in_memory:
            yield (
                ("engines", engine),
                f"'{engine}' reads each block once, so a replay of its trace says nothing",
            )
        if "replay" in value and facts and not facts.traces:
            yield (
                ("engines", engine),
                f"'{engine}' does not know which blocks it reads, so it leaves no trace to replay",
            )


def _ladder(engine: str, spec: Json) -> Iterator[Fault]:
    if "ladder" not in spec:
        return
    for key in (*CHANGED, "backend"):
        if key in spec:
            message = f"engine '{engine}' has a ladder, whose steps have their own {key}"
            yield ("engines", engine, key), message
    seen = []
    for i, rung in enumerate(rungs(spec)):
        path = ("engines", engine, "ladder", i)
        if rung.layout not in spec.get("layouts", []):
            yield (*path, "layout"), f"engine '{engine}' does not name layout '{rung.layout}'"
        now = (rung.layout, rung.backend, rung.settings, rung.options)
        if now in seen:
            yield path, f"'{rung.says}' changes nothing"
        seen.append(now)


def _wrong_pack(
    engine: str, facts: Engine, layout: str, choices: Json, edge_packs: Collection[str]
) -> str:
    pack = pack_of(choices)
    holds = "edges" if pack in edge_packs else "lists"
    if facts.reads == "store":
        return f"engine '{engine}' reads the store of a graph that changes, and no layout"
    if holds != facts.reads:
        return (
            f"engine '{engine}' needs {facts.reads}, and layout '{layout}' (pack {pack}) "
            f"holds {holds}"
        )
    if facts.pack not in (None, pack):
        return f"engine '{engine}' needs pack {facts.pack}, and layout '{layout}' has {pack}"
    return ""


def _pools(engine: str, facts: Engine | None, spec: Json, layouts: Json) -> Iterator[Fault]:
    has_blocks = facts is not None and not facts.keeps_graph_in_memory
    for i, frames in enumerate(spec.get("frames", [])):
        path = ("engines", engine, "frames", i)
        if frames.endswith("%"):
            if not 0 < float(frames[:-1]) <= 100:
                yield path, f"a pool of {frames}; a share is above 0% and at most 100%"
            elif facts is not None and facts.messages_on_edges:
                yield from _shards(path, float(frames[:-1]), spec.get("layouts", []), layouts)
            continue
        for layout in spec.get("layouts", []):
            block = size_bytes(layouts.get(layout, {}).get("block", "4K"))
            threads = max(spec.get("threads", [2]))
            if has_blocks and size_bytes(frames) < threads * block:
                yield path, f"a pool of {frames} is less than a block for each of {threads} threads"


def _shards(path: KeyPath, share: float, named: list[str], layouts: Json) -> Iterator[Fault]:
    """A memory shard is there whole: source, target and value of an edge take 12 bytes and more."""
    for layout in named:
        choices = layouts.get(layout, {})
        p = int(pack_parameter(choices, "p", "4"))
        each = 8 + int(pack_parameter(choices, "value", "4"))
        if share * p < 100 * each / 4:
            yield (
                path,
                f"a pool of {share:g}% cannot hold a memory shard of layout '{layout}', a {p}th of "
                f"the edges at {each} bytes; give it p={int(100 * each / 4 / share) + 1} or more",
            )


def _devices(engine: str, spec: Json) -> Iterator[Fault]:
    named = [name for name in spec.get("device", []) if name != "real"]
    for i, name in enumerate(spec.get("device", [])):
        if name != "real" and not (DEVICES / f"{name}.toml").is_file():
            known = ", ".join(sorted(path.stem for path in DEVICES.glob("*.toml")))
            yield (
                ("engines", engine, "device", i),
                f"there is no {DEVICES}/{name}.toml; there are: {known}",
            )
    drawn_out = spec.get("dilation", {})
    if "dilation" in spec and not named:
        yield ("engines", engine, "dilation"), "`dilation` needs a modelled device: name a `device`"
    elif isinstance(drawn_out, dict):
        for name in set(drawn_out) - set(named):
            yield ("engines", engine, "dilation", name), f"`device` does not name '{name}'"


def _exclude(value: Json) -> Iterator[Fault]:
    for i, rule in enumerate(value.get("exclude", [])):
        there = {key: value.get(f"{key}s", {}) for key in ("engine", "workload", "profile")}
        for key, known in (there | {"layout": inputs(value)}).items():
            if key in rule and rule[key] not in known:
                yield (
                    ("exclude", i, key),
                    f"excludes {key} '{rule[key]}', which the experiment does not have",
                )
        sets = [
            one
            for workload, parameters in value.get("workloads", {}).items()
            if rule.get("workload", workload) == workload
            for one in parameter_sets(parameters)
        ]
        if "parameters" in rule and rule["parameters"] not in sets:
            yield (
                ("exclude", i, "parameters"),
                f"excludes the parameters {words_of(rule['parameters'])}, which no workload has",
            )
        for key in ("settings", "options"):
            chosen = [
                one
                for engine, spec in value.get("engines", {}).items()
                if rule.get("engine", engine) == engine
                for one in sets_of(spec, key)
            ]
            if key in rule and rule[key] not in chosen:
                yield (
                    ("exclude", i, key),
                    f"excludes the {key} {words_of(rule[key])}, which no engine has",
                )


def _combinations(value: Json, entries: Json, build: Inventory | None) -> Iterator[Fault]:
    known = build.engines if build else {}
    there = inputs(value)
    # What is left out with some settings or options only is there with others.
    rules = [r for r in value.get("exclude", []) if not {"settings", "options"} & set(r)]
    for profile, scale in value["profiles"].items():
        for engine, spec in value.get("engines", {}).items():
            for workload, parameters in value["workloads"].items():
                for graph in scale["graphs"]:
                    for layout in named_inputs(spec):
                        choices = there[layout]
                        if not goes_on(workload, choices):
                            continue
                        names = {"engine": engine, "workload": workload, "layout": layout}
                        for i, chosen in enumerate(parameter_sets(parameters)):
                            if excluded(rules, profile, graph=graph, parameters=chosen, **names):
                                continue
                            at = (i,) if isinstance(parameters, list) else ()
                            path = ("workloads", workload, *at)
                            for key, message in [
                                *_on_layout(known.get(engine), workload, chosen, layout, choices),
                                *_on_edges(build, engine, workload, layout, choices),
                                *_on_graph(workload, chosen, graph, entries[graph], at_both(spec)),
                                *_backwards(build, engine, workload, graph, entries[graph]),
                            ]:
                                yield (*path, *key), message


def _on_layout(
    engine: Engine | None, workload: str, chosen: Json, layout: str, choices: Json
) -> Iterator[Fault]:
    heads = chosen.get("heads", SAMPLED_HEADS)
    takes_stored = engine is not None and engine.heads == "layout"
    if workload == "wcc-sample" and takes_stored and choices.get("heads", 0) < heads:
        yield (
            (),
            f"wcc-sample links {heads} neighbours of each vertex, and layout '{layout}' holds "
            f"{choices.get('heads', 0)} `heads`",
        )
    if chosen.get("weights") == "given" and choices.get("weights") != "given":
        yield ("weights",), f"{workload} wants the graph's weights, which '{layout}' does not hold"
    several = SEVERAL.get(workload, "")
    if isinstance(chosen.get("source"), int) and chosen.get(several, 1) > 1:
        yield ("source",), f"{workload}: one vertex cannot be several {several}"


def _on_edges(
    build: Inventory | None, engine: str, workload: str, layout: str, choices: Json
) -> Iterator[Fault]:
    if build is None or engine not in build.engines:
        return
    room = int(pack_parameter(choices, "value", "4"))
    bytes_needed = build.message_bytes.get(workload, 0)
    if build.engines[engine].messages_on_edges and bytes_needed > room:
        yield (
            (),
            f"{workload} on {engine} puts messages of {bytes_needed} bytes onto edges, and layout "
            f"'{layout}' has values of {room}; give it {pack_of(choices)}:value={bytes_needed}",
        )


def _backwards(
    build: Inventory | None, engine: str, workload: str, graph: str, entry: Json
) -> Iterator[Fault]:
    if build is None or engine not in build.engines or build.engines[engine].reverse:
        return
    if workload in build.needs_reverse and not is_symmetric(recipe_of(entry)):
        yield (
            (),
            f"{workload} goes along in-edges, which {engine} cannot in '{graph}': it is directed",
        )


def _on_graph(
    workload: str, chosen: Json, graph: str, entry: Json, both_ends: bool
) -> Iterator[Fault]:
    undirected = both_ends or is_symmetric(recipe_of(entry))
    if workload in UNDIRECTED_ONLY and not undirected:
        yield (
            (),
            f"{workload} needs an undirected graph, and '{graph}' is directed; give it the "
            "option `symmetric`, or exclude it",
        )
    vertices = vertices_of(entry)
    for key in ("source", "target"):
        named = chosen.get(key)
        if vertices is not None and isinstance(named, int) and named >= vertices:
            yield (
                (key,),
                f"{key} {named}, and '{graph}' has vertices 0 to {vertices - 1}",
            )
