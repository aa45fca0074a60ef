# SPDX-License-Identifier: Apache-2.0
"""Spark's own programs: its daemons on this machine or on a Slurm allocation, and spark-submit."""

import os
import re
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType

DRIVER_MB = 1024
SECONDS_TO_START = 60
MASTER = re.compile(r"Starting Spark master at (spark://\S+)")
IN_USE = re.compile(r"BindException|Address already in use")


class SparkError(Exception):
    """A fault that is told in one line."""


class Spark:
    """Spark as `make contestants WITH=graphx` installs it."""

    def __init__(self, programs: Path, java: str) -> None:
        """Find it; raise SparkError where it is not."""
        self.jar = programs / "graphx.jar"
        self.home = next(programs.glob("lib/python*/site-packages/pyspark"), None)
        if self.home is None or not self.jar.is_file():
            raise SparkError(f"{programs} has no Spark: make contestants WITH=graphx")
        home_of_java = Path(java).resolve().parents[1]
        self.environment = os.environ | {
            "SPARK_HOME": str(self.home),
            "JAVA_HOME": str(home_of_java),
            "SPARK_DAEMON_MEMORY": "256m",
        }

    def program(self, name: str) -> str:
        """Return one of its programs."""
        return str(self.home / "bin" / name)

    def submit(
        self, master: str, driver_mb: int, settings: dict[str, str], words: list[str], scratch: Path
    ) -> tuple[str, str | None]:
        """Run the program; return what it printed, and its errors where it failed."""
        command = [self.program("spark-submit"), "--master", master]
        command += ["--driver-memory", f"{driver_mb}m", "--class", "outcore.Race"]
        for name, value in settings.items():
            command += ["--conf", f"{name}={value}"]
        errors = scratch / "driver.log"
        with errors.open("wb") as file:
            done = subprocess.run(
                [*command, str(self.jar), *words],
                env=self.environment, stdout=subprocess.PIPE, stderr=file, text=True, check=False,
            )  # fmt: skip
        failed = errors.read_text(encoding="utf-8", errors="replace") if done.returncode else None
        return done.stdout, failed


class Daemons:
    """A master and its workers, which end with this object. Where `local`, there are none."""

    def __init__(self, spark: Spark, where: str, scratch: Path) -> None:
        """Start nothing yet."""
        self.spark = spark
        self.where = where
        self.scratch = scratch
        self.running: list[subprocess.Popen[bytes]] = []
        local = "127.0.0.1" if where == "standalone" else socket.gethostname()
        self.host = os.environ.get("SPARK_LOCAL_IP", local)
        if where == "standalone":
            self.spark.environment |= {"SPARK_LOCAL_IP": self.host}

    def start(self, executors: int, cores: int, megabytes: int, port: int) -> str:
        """Return the master's address, when it takes workers."""
        if self.where == "local":
            return f"local[{executors * cores}]"
        nodes = int(os.environ.get("SLURM_JOB_NUM_NODES", 0))
        if self.where == "slurm" and nodes != executors:
            raise SparkError(
                f"where=slurm takes an allocation with {executors} nodes, one an executor, found "
                f"{nodes or 'none'}: sbatch --nodes={executors} contestants/graphx/graphx.sbatch"
            )
        master = self._start_master(port)
        # A worker's folder is its own node's.
        worker = [self.spark.program("spark-class"), "org.apache.spark.deploy.worker.Worker"]
        worker += ["--cores", str(cores), "--memory", f"{megabytes}m", "--webui-port", "0"]
        worker += ["--work-dir", str(self.scratch / "work"), master]
        if self.where == "slurm":
            srun = ["srun", "--overlap", "--mem=0", f"--nodes={nodes}", "--ntasks-per-node=1"]
            self._start("workers", *srun, *worker)
        else:
            for number in range(executors):
                self._start(f"worker-{number}", *worker)
        return master

    def __enter__(self) -> "Daemons":
        """Let what is started end with the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End everything, workers first."""
        for daemon in reversed(self.running):
            daemon.terminate()
        for daemon in self.running:
            daemon.wait()

    def _start_master(self, port: int) -> str:
        command = [self.spark.program("spark-class"), "org.apache.spark.deploy.master.Master"]
        command += ["--host", self.host, "--port", str(port), "--webui-port", "0"]
        # Without retries a port that is taken is a fault, and not silently another port.
        if port:
            self.spark.environment |= {"SPARK_MASTER_OPTS": "-Dspark.port.maxRetries=0"}
        log = self._start("master", *command)
        until = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < until:
            said = log.read_text(encoding="utf-8", errors="replace")
            if found := MASTER.search(said):
                return found[1]
            if self.running[-1].poll() is not None:
                if IN_USE.search(said):
                    raise SparkError(
                        f"port {port} of {self.host} is in use: choose another, or port=0"
                    )
                lines = said.strip().splitlines()
                raise SparkError(
                    f"Spark's master ended: {lines[-1] if lines else 'without a word'}"
                )
            time.sleep(0.1)
        raise SparkError(f"Spark's master did not start in {SECONDS_TO_START} s")

    def _start(self, name: str, *command: str) -> Path:
        log = self.scratch / f"{name}.log"
        with log.open("wb") as file:
            daemon = subprocess.Popen(
                command, env=self.spark.environment, stdin=subprocess.DEVNULL, stdout=file,
                stderr=file,
            )  # fmt: skip
        self.running.append(daemon)
        return log
