# SPDX-License-Identifier: Apache-2.0
"""A cluster with Slurm on this machine: munged, slurmctld and two slurmd, in one folder.

Each node has a disk of its own: what it sees at `disk` is a folder that only it sees there.

No file is outside that folder, and nothing is left running: daemons stay in the foreground, so they
are children of the test and end by their ids; then whatever still runs with the cluster's
slurm.conf in its environment ends too.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
NODES = ("n1", "n2")
CONF = """
ClusterName=outcore
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={home}/munge.socket
CredType=cred/munge
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool.%n
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd.%n.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
MinJobAge=600
SlurmdTimeout=20
KillWait=1
SchedulerParameters=sched_interval=1,batch_sched_delay=0
GresTypes=disk
PartitionName=all Nodes={nodes} Default=YES MaxTime=60 State=UP
"""
NODE = "NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 RealMemory=4000 "


def lacking() -> str:
    """Return why there can be no cluster here; empty if there can."""
    path = f"{os.environ['PATH']}:/usr/sbin:/sbin"
    missing = [name for name in PROGRAMS if shutil.which(name, path=path) is None]
    if missing:
        return f"{', '.join(missing)} are not installed: make test-extra"
    return "" if os.geteuid() == 0 else "slurmd runs jobs as root alone"


def traces() -> set[Path]:
    """Return the files of Slurm and munge where these put them unasked."""
    found: set[Path] = set()
    for place in map(Path, ("/run", "/tmp", "/var/lib", "/var/log", "/var/spool")):
        for name in ("*slurm*", "*munge*"):
            found |= {*place.glob(name), *place.glob(f"{name}/*")}
    return found


class Slurm:
    """The cluster; each node has a `disk`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.conf = home / "slurm.conf"
        self.disk = home / "disk"
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}
        programs = home / "bin"
        self.environment = os.environ | {
            "SLURM_CONF": str(self.conf),
            "PATH": f"{programs}:{os.environ['PATH']}:/usr/sbin:/sbin",
        }

    def start(self) -> None:
        """Start everything; return when both nodes take jobs."""
        key = self.home / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)
        self.conf.write_text(self._conf())
        (self.home / "gres.conf").write_text("Name=disk Count=1\n")
        (self.home / "state").mkdir()
        self._wrap_srun()
        files = {"key-file": "munge.key", "socket": "munge.socket", "log-file": "munged.log"}
        files |= {"pid-file": "munged.pid", "seed-file": "munged.seed"}
        words = [f"--{option}={self.home / file}" for option, file in files.items()]
        self._daemon("munged", "munged", "--force", "--foreground", *words)
        self._daemon("slurmctld", "slurmctld", "-D", "-i", "-f", str(self.conf))
        for node in NODES:
            self.start_node(node)
        self.wait_for_nodes()

    def start_node(self, node: str) -> None:
        """Start a node's slurmd."""
        disk = self.disk_of(node)
        for folder in (self.home / f"spool.{node}", disk, self.disk):
            folder.mkdir(exist_ok=True)
        mount = f"mount --bind {disk} {self.disk} && exec slurmd -D -f {self.conf} -N {node}"
        self._daemon(node, "unshare", "--mount", "sh", "-c", mount)

    def disk_of(self, node: str) -> Path:
        """Return where a node's disk is for the test."""
        return self.home / f"disk.{node}"

    def end_node(self, node: str) -> None:
        """End a node as a machine without power does: nothing on it says that it ends."""
        self.daemons[node].kill()
        self.daemons.pop(node).wait()
        jobs = self.ask("squeue", "-h", "-o", "%A", "-w", node).split()
        for process in self.processes():
            if _command(process).startswith(tuple(f"slurmstepd: [{job}." for job in jobs)):
                _end(process)
        for process in self.processes():
            if _variable(process, "SLURMD_NODENAME") == node:
                _end(process)

    def wait_for_nodes(self) -> None:
        """Return when both nodes are idle."""
        self.wait(lambda: self.ask("sinfo", "-h", "-o", "%T").split() == ["idle"], "idle nodes")

    def ask(self, *words: str) -> str:
        """Return what a command of Slurm prints; empty if it fails."""
        return subprocess.run(
            words, env=self.environment, capture_output=True, text=True, check=False
        ).stdout

    def wait(self, holds: Callable[[], object], what: str, seconds: float = 600) -> None:
        """Return when something holds; it must at last."""
        until = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < until, f"no {what} after {seconds} s: {self._logs()}"
            time.sleep(0.2)

    def stop(self) -> None:
        """End all daemons, then what they started."""
        for daemon in reversed(self.daemons.values()):
            daemon.terminate()
        for daemon in self.daemons.values():
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.wait(self._nothing_runs, "end of what the daemons started", 30)

    def _nothing_runs(self) -> bool:
        """End whatever still runs with this cluster; return whether that is nothing any more."""
        for process in self.processes():
            _end(process)
        return not self.processes()

    def processes(self) -> list[int]:
        """Return the processes that run with this cluster's slurm.conf."""
        everything = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
        others = (process for process in everything if process != os.getpid())
        return [p for p in others if _variable(p, "SLURM_CONF") == str(self.conf)]

    def _wrap_srun(self) -> None:
        """Snakemake's plugin drops SLURM_CONF before it calls srun; a usual cluster needs none."""
        script = self.home / "bin" / "srun"
        script.parent.mkdir()
        real = shutil.which("srun", path=os.environ["PATH"])
        script.write_text(f'#!/bin/sh\nSLURM_CONF={self.conf} exec {real} "$@"\n')
        script.chmod(0o755)

    def _daemon(self, name: str, *words: str) -> None:
        with (self.home / f"{name}.out").open("wb") as out:
            self.daemons[name] = subprocess.Popen(
                words, env=self.environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL
            )

    def _conf(self) -> str:
        host, ports = socket.gethostname(), free_ports(3)
        words = {"host": host, "home": self.home, "nodes": ",".join(NODES), "control": ports[0]}
        text = CONF.format_map(words)
        for node, port in zip(NODES, ports[1:], strict=True):
            line = NODE.format(node=node, host=host, port=port) + "Gres=disk:1\n"
            text = text.replace("PartitionName", line + "PartitionName")
        return text

    def _logs(self) -> str:
        logs = sorted(self.home.glob("*.log"))
        return "\n".join(f"{path.name}:\n{path.read_text()[-1500:]}" for path in logs)


def free_ports(count: int) -> list[int]:
    """Return ports that no program listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _variable(process: int, name: str) -> str | None:
    try:
        words = Path(f"/proc/{process}/environ").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return None
    return next((word.partition("=")[2] for word in words if word.startswith(f"{name}=")), None)


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def _end(process: int) -> None:
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return
