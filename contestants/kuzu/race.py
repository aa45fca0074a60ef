# SPDX-License-Identifier: Apache-2.0
"""Kuzu, in Cypher.

race.py convert GRAPH DATABASE VERTICES
race.py WORKLOAD DATABASE VERTICES THREADS MEMORY_MB ANSWER [SOURCE]
"""

import sys
from pathlib import Path

import kuzu
import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from edges import Phases, unknown

# The rest of a limit is for the interpreter, and for what Kuzu does not keep in its pool.
SHARE = 0.5
LONGEST = 30  # edges of a path; Kuzu wants a limit

BFS = f"""
MATCH path = (source:V)-[:E* SHORTEST 1..{LONGEST}]->(met:V) WHERE source.id = $source
RETURN met.id, length(path)
"""


def convert(graph: str, database: str, vertices: str) -> None:
    """Load vertices and edges into a database file."""
    db = kuzu.Connection(kuzu.Database(database))
    db.execute("CREATE NODE TABLE V(id INT64, PRIMARY KEY(id))")
    db.execute("CREATE REL TABLE E(FROM V TO V)")
    db.execute(f"UNWIND range(0, {int(vertices) - 1}) AS i CREATE (:V {{id: i}})")
    db.execute(f"COPY E FROM {quoted(graph)}")


def quoted(text: str) -> str:
    """Return a string of Cypher."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def pairs_of(result: kuzu.QueryResult) -> tuple[np.ndarray, np.ndarray]:
    """Return the two columns of a result."""
    table = result.get_as_arrow(1 << 20)
    return table.column(0).to_numpy(), table.column(1).to_numpy()


def levels_of(db: kuzu.Connection, vertices: int, source: int) -> np.ndarray:
    """Return the level of each vertex."""
    met, lengths = pairs_of(db.execute(BFS, {"source": source}))
    levels = np.full(vertices, np.inf)
    levels[met] = lengths
    levels[source] = 0
    return levels


def components_of(db: kuzu.Connection, vertices: int) -> np.ndarray:
    """Return components, by the extension for algorithms."""
    db.execute("CALL PROJECT_GRAPH('G', ['V'], ['E'])")
    query = "CALL weakly_connected_components('G') RETURN node.id, group_id"
    met, groups = pairs_of(db.execute(query))
    labels = np.zeros(vertices, "u8")
    labels[met] = groups
    return labels


def main() -> None:
    """Open, compute, and say how long each took."""
    if sys.argv[1] == "convert":
        convert(*sys.argv[2:])
        return
    workload, database, vertices, threads, memory_mb, answer, *rest = sys.argv[1:]
    phases = Phases()
    pool = int(int(memory_mb) * SHARE) << 20
    db = kuzu.Connection(
        # A projected graph counts as written, although the file stays as it is.
        kuzu.Database(database, buffer_pool_size=pool, read_only=workload == "bfs"),
        num_threads=int(threads),
    )
    phases.end("read")
    match workload:
        case "bfs":
            values = levels_of(db, int(vertices), int(rest[0]))
        case "wcc":
            values = components_of(db, int(vertices))
        case _:
            unknown(workload)
    phases.finish(answer, values)


main()
