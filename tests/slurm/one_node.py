"""A Slurm of one node, this one: munged, slurmctld and slurmd of the distribution in a folder of its own.

Needs root (slurmd starts jobs under the user that submitted them) and Debian's slurmctld, slurmd, slurm-client, munge.
"""

import contextlib
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "sinfo", "scontrol", "scancel")
CONF = """\
ClusterName=onenode
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
KillWait=5
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=60 State=UP OverSubscribe=NO
"""
ENDED = ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED", "NODE_FAIL", "OUT_OF_MEMORY")


def missing():
    """What this machine lacks, in words; "": nothing."""
    if os.geteuid() != 0:
        return "a Slurm of one's own needs root"
    absent = [name for name in PROGRAMS if shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin") is None]
    return f"no {', '.join(absent)} (Debian: slurmctld slurmd slurm-client munge)" if absent else ""


def free_ports(count):
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Slurm:
    """Started by `with`; its daemons end with it. `folder` must be empty, and no link may lie above it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).resolve()
        self.host = socket.gethostname().split(".")[0]
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"),
                            "PATH": f"{os.environ['PATH']}:/usr/sbin"}
        for name in [name for name in self.environment if name.startswith(("SLURM_", "SBATCH_", "SRUN_"))]:
            if name != "SLURM_CONF":
                del self.environment[name]
        self.running = []

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o600)
        (self.folder / "slurm.conf").write_text(CONF.format(folder=self.folder, host=self.host, ports=free_ports(2),
                                                            cpus=len(os.sched_getaffinity(0))), encoding="utf-8")
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n", encoding="utf-8")
        # --force: the folder may lie where others can write, as /tmp.
        self.start("munged", "--foreground", "--force", f"--key-file={key}", *(f"--{what}-file={self.folder}/munge.{what}"
                   for what in ("pid", "log", "seed")), f"--socket={self.folder}/munge.socket")
        self.wait_for(lambda: (self.folder / "munge.socket").exists(), "munged made no socket")
        self.start("slurmctld", "-D", "-c")
        self.start("slurmd", "-D")
        self.wait_for(lambda: self.call("sinfo", "--noheader", "--format=%T", check=False).strip() == "idle",
                      "the node is not idle")

    def __exit__(self, *_):
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start(self, *words):
        with open(self.folder / f"{words[0]}.out", "wb") as out:
            self.running.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                                                 stderr=subprocess.STDOUT))

    def wait_for(self, condition, what, seconds=60):
        """Raises AssertionError with `what` and the logs' ends after that time, or once a daemon died."""
        end = time.monotonic() + seconds
        while not condition():
            dead = [process.args[0] for process in self.running if process.poll() is not None]
            if dead or time.monotonic() > end:
                logs = "\n".join(f"{path.name}: {path.read_text(errors='replace')[-1500:]}"
                                 for path in sorted([*self.folder.glob("*.log"), *self.folder.glob("*.out")]))
                raise AssertionError(f"{what}; ended: {dead}\n{logs}")
            time.sleep(0.2)

    def call(self, *words, check=True):
        """What the command printed."""
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", timeout=60, check=False)
        assert not check or done.returncode == 0, f"{' '.join(map(str, words))}: {done.stdout}"
        return done.stdout

    def submit(self, script, work, *options):
        """The id of a batch job that runs `script` in the folder `work`; its output is in work/job-ID.log."""
        path = work / "job.sh"
        path.write_text("#!/bin/sh\n" + script, encoding="utf-8")
        return self.call("sbatch", "--parsable", f"--chdir={work}", f"--output={work}/job-%j.log", *options, str(path)).strip()

    def state(self, job):
        return next((word.partition("=")[2] for word in self.call("scontrol", "show", "job", job).split()
                     if word.startswith("JobState=")), "")

    def ended(self, job, seconds):
        """The state in which the job ended; waits so long for it."""
        self.wait_for(lambda: self.state(job) in ENDED, f"job {job} did not end", seconds)
        return self.state(job)
