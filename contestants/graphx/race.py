# SPDX-License-Identifier: Apache-2.0
"""GraphX in one race: starts Spark where it was asked to, and says what its event log counted.

race.py PROGRAMS name=value ...

PROGRAMS is the folder of `make contestants WITH=graphx`. The names are those of graphx.scala, and

where            local: threads of one process; standalone: a master and workers on this machine;
                 slurm: the same on the nodes of the allocation that this runs in, a worker a node
executors        executors; of `local`, their processors in one process
cores            processors an executor
executor_memory  of each, as Spark writes it (2g); auto: 70% of memory_gb, less 1 GB for the driver,
                 in equal parts
memory_gb        what all of it may take
port             of the master; 0: any that is free
scratch          a folder for all files
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from events import counted
from spark import DRIVER_MB, Daemons, Spark, SparkError

OLDEST_JAVA = 17
OF_RACE = ("where", "executors", "cores", "executor_memory", "memory_gb", "port", "scratch")
FAULT = re.compile(r"^fault: (.*)$", re.MULTILINE)


def java() -> str:
    """Return Java's program; raise SparkError where there is none, or an old one."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which(str(Path(home, "bin/java")) if home else "java")
    if program is None:
        raise SparkError("there is no java: apt-get install default-jre-headless, or set JAVA_HOME")
    said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(?:1\.)?(\d+)', said)
    if found is None or int(found[1]) < OLDEST_JAVA:
        version = found[1] if found else f"unknown ({said.strip()[:60]})"
        raise SparkError(f"{program} is Java {version}, and Spark 4 needs {OLDEST_JAVA} or newer")
    return program


def megabytes(asked: dict[str, str]) -> int:
    """Return the memory of an executor."""
    given, executors = asked["executor_memory"], int(asked["executors"])
    if given == "auto":
        return max(512, (int(asked["memory_gb"]) * 1024 * 7 // 10 - DRIVER_MB) // executors)
    found = re.fullmatch(r"(\d+)([mg])", given)
    if found is None:
        raise SparkError(
            f"executor_memory is '{given}', expected something like 900m or 2g, or auto"
        )
    return int(found[1]) * (1024 if found[2] == "g" else 1)


def configuration(asked: dict[str, str], events: Path) -> dict[str, str]:
    """Return Spark's settings."""
    executors, cores = int(asked["executors"]), int(asked["cores"])
    return {
        "spark.serializer": "org.apache.spark.serializer.KryoSerializer",
        "spark.ui.enabled": "false",
        "spark.local.dir": asked["scratch"],
        # A graph remembers the shuffles of all its supersteps until it is written out. With
        # thousands of supersteps these would fill the disk.
        "spark.checkpoint.dir": str(events.parent / "checkpoints"),  # a path: %20 would stay
        "spark.graphx.pregel.checkpointInterval": "20",
        "spark.cleaner.referenceTracking.cleanCheckpoints": "true",
        "spark.cleaner.periodicGC.interval": "30s",
        # Executors on one machine hand over what they shuffle as those on several do.
        "spark.shuffle.readHostLocalDisk": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": events.as_uri(),
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.logBlockUpdates.enabled": "true",
        "spark.eventLog.logStageExecutorMetrics": "true",
        "spark.executor.processTreeMetrics.enabled": "true",
        "spark.executor.metrics.pollingInterval": "500ms",
        "spark.executor.instances": str(executors),
        "spark.executor.cores": str(cores),
        "spark.cores.max": str(executors * cores),
        # Nothing begins before all executors are there.
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "120s",
    }


def run(spark: Spark, asked: dict[str, str]) -> None:
    """Run the program; print what it and the event log say."""
    scratch = Path(asked["scratch"])
    events = scratch / "events"
    events.mkdir()
    with Daemons(spark, asked["where"], scratch) as daemons:
        executors, cores = int(asked["executors"]), int(asked["cores"])
        each = megabytes(asked)
        master = daemons.start(executors, cores, each, int(asked["port"]))
        settings = configuration(asked, events) | {"spark.executor.memory": f"{each}m"}
        driver = each * executors if asked["where"] == "local" else DRIVER_MB
        words = [f"{name}={value}" for name, value in asked.items() if name not in OF_RACE]
        said, errors = spark.submit(master, driver, settings, words, scratch)
    if errors is not None:
        lines = [line for line in errors.splitlines() if line.strip()]
        told = FAULT.findall(errors)
        raise SparkError(told[-1] if told else lines[-1] if lines else "Spark ended without a word")
    print(said, end="")
    phases, numbers = counted(next(events.iterdir()))
    for name, seconds in phases.items():
        print(f"{name}: {seconds:.3f} s")
    for name, number in numbers.items():
        print(f"{name}: {number}")


def main() -> None:
    """Run, or end with one line that says what is wrong."""
    programs, *words = sys.argv[1:]
    asked = dict(word.split("=", 1) for word in words)
    try:
        run(Spark(Path(programs), java()), asked)
    except SparkError as fault:
        sys.exit(str(fault))


main()
