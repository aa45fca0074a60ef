# SPDX-License-Identifier: Apache-2.0
"""DuckDB, in SQL.

race.py convert GRAPH DATABASE
race.py WORKLOAD DATABASE VERTICES SYMMETRIC THREADS MEMORY_MB SCRATCH ANSWER [SOURCE, or ...]
"""

import sys
from pathlib import Path

import duckdb
import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from edges import Phases, unknown

# The rest of a limit is for the interpreter, and for what DuckDB does not count.
SHARE = 0.6
BESIDE_MB = 60

Database = duckdb.DuckDBPyConnection

BFS = """
WITH RECURSIVE search(vertex, level) USING KEY (vertex) AS (
    SELECT $source::UINTEGER, 0
  UNION
    SELECT edges.target, min(search.level) + 1
    FROM search JOIN edges ON edges.source = search.vertex
    WHERE NOT EXISTS (FROM recurring.search AS met WHERE met.vertex = edges.target)
    GROUP BY edges.target
)
SELECT vertex, level FROM search
"""


def convert(graph: str, database: str) -> None:
    """Load the edges into a database file."""
    with duckdb.connect(database) as db:
        db.execute("CREATE TABLE edges AS SELECT source, target FROM read_parquet($1)", [graph])


def connected(database: str, threads: str, memory_mb: str, scratch: str) -> Database:
    """Return the database, told to stay within its limits."""
    db = duckdb.connect(database, read_only=True)
    db.execute(f"SET threads = {int(threads)}")
    if int(memory_mb):
        most = max(int((int(memory_mb) - BESIDE_MB) * SHARE), 16)
        db.execute(f"SET memory_limit = '{most}MB'")
    db.execute("SET preserve_insertion_order = false")
    db.execute("SET temp_directory = '{}'".format(scratch.replace("'", "''")))
    return db


def spread(values: np.ndarray, rows: dict[str, np.ndarray]) -> np.ndarray:
    """Put a result's values at its vertices."""
    values[rows["vertex"]] = rows["value"]
    return values


def levels_of(db: Database, vertices: int, source: int) -> np.ndarray:
    """Return the level of each vertex."""
    query = f"SELECT vertex, level AS value FROM ({BFS})"
    return spread(np.full(vertices, np.inf), db.execute(query, {"source": source}).fetchnumpy())


def components_of(db: Database, vertices: int, symmetric: bool) -> np.ndarray:
    """Return components: the least label spreads, then labels' labels are followed."""
    both = "SELECT source, target FROM edges"
    if not symmetric:
        both += " UNION ALL SELECT target, source FROM edges"
    db.execute(
        "CREATE TEMP TABLE label AS SELECT range::UINTEGER AS v, range::UINTEGER AS l "
        f"FROM range({vertices})"
    )
    changed = 1
    while changed:
        db.execute(
            "CREATE OR REPLACE TEMP TABLE next AS SELECT label.v, least(label.l, "
            f"coalesce(heard.l, label.l)) AS l FROM label LEFT JOIN (SELECT e.target AS v, "
            f"min(label.l) AS l FROM ({both}) AS e JOIN label ON label.v = e.source "
            "GROUP BY e.target) AS heard USING (v)"
        )
        changed = db.execute(
            "SELECT count(*) FROM next JOIN label USING (v) WHERE next.l <> label.l"
        ).fetchone()[0]
        db.execute("DROP TABLE label; ALTER TABLE next RENAME TO label")
    rows = db.execute("SELECT v AS vertex, l AS value FROM label").fetchnumpy()
    return spread(np.zeros(vertices, "u4"), rows)


def ranks_of(db: Database, vertices: int, iterations: int, damping: float) -> np.ndarray:
    """Return PageRank by power iteration; vertices without out-edges hand nothing on."""
    db.execute(
        "CREATE TEMP TABLE rank AS SELECT range::UINTEGER AS v, "
        f"1.0::DOUBLE / {vertices} AS r FROM range({vertices})"
    )
    db.execute(
        "CREATE TEMP TABLE degree AS SELECT source AS v, count(*) AS d FROM edges GROUP BY v"
    )
    for _ in range(iterations):
        db.execute(
            "CREATE OR REPLACE TEMP TABLE next AS SELECT rank.v, "
            f"{(1 - damping) / vertices} + {damping} * coalesce(heard.r, 0) AS r FROM rank "
            "LEFT JOIN (SELECT target AS v, sum(rank.r / degree.d) AS r FROM edges "
            "JOIN rank ON rank.v = edges.source JOIN degree ON degree.v = edges.source "
            "GROUP BY target) AS heard USING (v)"
        )
        db.execute("DROP TABLE rank; ALTER TABLE next RENAME TO rank")
    rows = db.execute("SELECT v AS vertex, r AS value FROM rank").fetchnumpy()
    return spread(np.zeros(vertices), rows)


def main() -> None:
    """Open, compute, and say how long each took."""
    if sys.argv[1] == "convert":
        convert(*sys.argv[2:])
        return
    workload, database, vertices, symmetric, threads, memory, scratch, answer, *rest = sys.argv[1:]
    phases = Phases()
    db = connected(database, threads, memory, scratch)
    phases.end("read")
    n = int(vertices)
    match workload:
        case "bfs":
            values = levels_of(db, n, int(rest[0]))
        case "wcc":
            values = components_of(db, n, symmetric == "1")
        case "pagerank":
            values = ranks_of(db, n, int(rest[0]), float(rest[1]))
        case _:
            unknown(workload)
    phases.finish(answer, values)


main()
