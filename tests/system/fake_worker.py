"""A worker that measures nothing and misbehaves on request.

It speaks docs/reference/worker-protocol.md. What it does is read from $FAKE_DIR/behaviour.json at every request, so
that a test can change it between two runs; what it was asked is appended to $FAKE_DIR/log.jsonl. As
syncmeter-NAME it is the worker NAME with the backend NAME.

behaviour: {"build": id, "ops": {name: {member: value}}, "sleep_s": per visit, "predicted_ns": ..,
"trips": .., "stderr_bytes": per visit, "start": "ok|exit|slow|garbage|deaf", "capabilities": "ok|exit|killed once|garbage|other protocol|twice|status|hang NAME",
"status": {op: status}, "gpu": a backend's "device", "pool": whether it starts its threads once, "native_of": whose portable counterpart it is, "problem": why it can measure nothing, "ends": [op, ..] whose visits end it,
"backend": {NAME: its backend's name}, "spoil": {"op": .., "path": to a member of its visits, "value": ..},
"says", "hello", "probe": members of those answers in place of its own, "nonsense": "exit", or members of its errors, "counts_pus",
"cost": {op: cost in ns, or a list of these by visit},
"has_any_op": whether it refuses other requests than it can serve, "end": "never", or its status at the end of its input,
"leaves": whether it starts processes and leaves them, "faults": [{"do": .., "op": .., "visit": .., "times": ..}]}; a fault without op or visit fits every one,
and strikes `times` times (default: always) over all processes together.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time

HOME = os.environ["FAKE_DIR"]
NAME = os.path.basename(sys.argv[0]).removeprefix("syncmeter-")
OPS = ["atomic_add", "atomic_read", "atomic_write", "plain_read", "barrier"]


def behaviour():
    with open(os.path.join(HOME, "behaviour.json"), encoding="utf-8") as file:
        return json.load(file)


def log(**entry):
    # One write of a short line: processes that append together do not mix.
    line = json.dumps({"pid": os.getpid(), "time": time.monotonic(), **entry}) + "\n"
    fd = os.open(os.path.join(HOME, "log.jsonl"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        os.write(fd, line.encode())
    except OSError:
        pass  # a test may forbid files to grow
    os.close(fd)


def say(**answer):
    os.write(RESULTS, (json.dumps(answer) + "\n").encode())


def build():
    return {"id": behaviour().get("build", "0123456789abcdef"), "compiler": "none", "flags": "", "runtime": "python"}


def capabilities():
    how = behaviour().get("capabilities", "ok")
    if how == "hang " + NAME:
        time.sleep(1000)
    served = behaviour().get("backend", {}).get(NAME, NAME)
    if how == "exit":
        sys.stderr.write("no device here\n")
        sys.exit(4)
    if how == "killed once" and os.path.exists(os.path.join(HOME, "kill-once")):
        os.unlink(os.path.join(HOME, "kill-once"))
        os.kill(os.getpid(), signal.SIGKILL)
    if how == "garbage":
        os.write(RESULTS, b"Segmentation fault (core dumped)\n")
        return
    ops = []
    for name in OPS:
        entry = {
            "backend": served, "op": name, "family": "atomic", "pairing": "self", "order": "relaxed", "type": "int32",
            "placements": ["shared", "strided"], "unroll": 32, "ops_per_step": 1, "min_lanes": 1, "communicates": False,
            "note": "", "supported": True, "code": [name + " baseline", name + " test"],
        }
        if name == "barrier":
            entry.update(family="barrier", order="unordered", placements=["none"], communicates=True)
            del entry["type"]
        entry.update(behaviour().get("ops", {}).get(name, {}))
        ops.append(entry)
    backend = {"name": served, "clock": "none", "portable": "native_of" in behaviour()}
    if "native_of" in behaviour():
        backend["native_of"] = behaviour()["native_of"]
    backend["pool"] = behaviour().get("pool", False)
    if "gpu" in behaviour():
        backend["device"] = behaviour()["gpu"]
    if "problem" in behaviour():
        backend["problem"] = behaviour()["problem"]
    answer = dict(kind="capabilities", protocol=2 if how == "other protocol" else 1, worker=NAME, backends=[backend],
                build=build(), ops=ops)
    say(**{**answer, **behaviour().get("says", {})})
    sys.stdout.flush()
    if how == "twice":
        say(**answer)
    if how == "status":
        sys.exit(3)


def states_of_others():
    """What the kernel says of the other fake workers: T is stopped."""
    states = {}
    with open(os.path.join(HOME, "log.jsonl"), encoding="utf-8") as file:
        pids = {entry["pid"] for entry in map(json.loads, file) if entry["kind"] == "hello"}
    for pid in pids - {os.getpid()}:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                states[pid] = file.read().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            pass
    return states


def hello(request):
    how = behaviour().get("start", "ok")
    status = open("/proc/self/status", encoding="utf-8").read()
    masks = dict(line.split(":\t") for line in status.splitlines() if line.startswith("Sig"))
    log(kind="hello", environment=dict(os.environ), cpus=sorted(os.sched_getaffinity(0)), group=os.getpgrp(),
        ignores_sigint=bool(int(masks["SigIgn"], 16) >> (signal.SIGINT - 1) & 1), parent=os.getppid())
    if how == "exit":
        sys.stderr.write("no licence\n")
        sys.exit(3)
    if how == "garbage":
        os.write(RESULTS, b"Welcome!\n")
        return
    if how == "deaf":
        os.close(0)
    if how == "slow":
        time.sleep(1.5)
    if behaviour().get("leaves"):
        for session in (False, True):
            left = subprocess.Popen(["sleep", "1000"], start_new_session=session, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
            log(kind="left", child=left.pid)
    answer = dict(kind="worker", id=request["id"], pid=os.getpid(), worker=NAME, protocol=1, build=build(), runtime={},
                environment={"OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY")})
    say(**{**answer, **behaviour().get("hello", {})})
    if how == "deaf":
        time.sleep(1000)


def strikes(fault, point, visit):
    """True when this fault is due; counts it."""
    if fault.get("op", point["op"]) != point["op"] or fault.get("visit", visit) != visit:
        return False
    counter = os.path.join(HOME, "struck-" + str(behaviour()["faults"].index(fault)))
    struck = os.path.getsize(counter) if os.path.exists(counter) else 0
    if struck >= fault.get("times", 1_000_000):
        return False
    with open(counter, "a", encoding="utf-8") as file:
        file.write("x")
    return True


def fail(what, request):
    if what == "crash":
        sys.stderr.write("boom: table 7 is on fire\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGSEGV)
    elif what == "exit":
        os._exit(5)
    elif what == "hang":
        time.sleep(1000)
    elif what == "garbage":
        os.write(RESULTS, b"Warning: \x1b[31mnot\xff JSON\n")
    elif what == "half line":
        os.write(RESULTS, b'{"kind":"visit","id":')
        os._exit(0)
    elif what == "deep":
        os.write(RESULTS, b'{"kind":"visit","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n")
    elif what == "unknown kind":
        say(kind="celebration", id=request["id"])
    elif what == "wrong id":
        say(kind="visit", id=request["id"] + 100)
    elif what == "wrong point":
        say(kind="visit", id=request["id"], visit=request["visit"], status="ok", point={**request["point"], "op": "other"})
    elif what == "error":
        say(kind="error", id=request["id"], text="the request tastes wrong")
    else:
        raise ValueError(what)


def refuse(request):
    """What cannot be served is an error, and the next request may be better."""
    how = behaviour().get("nonsense", "error")
    if how == "exit":
        sys.exit(6)
    answer = {"kind": "error", "id": request.get("id") if isinstance(request, dict) else None, "text": "what is that?"}
    say(**{**answer, **({} if how == "error" else how)})


def measure(request):
    how = behaviour()
    point, visit = request["point"], request["visit"]
    if how.get("counts_pus", True) and "device" not in request and len(request["pus"]) != point["lanes"]:
        refuse(request)
        return
    log(kind="measure", op=point["op"], point=point, visit=visit, resumed=request["resumed"], options=request["options"],
        pus=request["pus"], device=request.get("device"), wait=os.environ.get("OMP_WAIT_POLICY"), others=states_of_others())
    say(kind="accepted", id=request["id"] + how.get("id_error", {}).get(point["op"], 0), predicted_ns=how.get("predicted_ns", 1e6))
    sys.stderr.write("chatter " * (how.get("stderr_bytes", 0) // 8))
    sys.stderr.flush()
    for fault in how.get("faults", []):
        if strikes(fault, point, visit):
            fail(fault["do"], request)
            return
    time.sleep(how.get("sleep_s", 0))
    status = how.get("status", {}).get(point["op"], "ok" if point["op"] in OPS or how.get("has_any_op") else "unsupported")
    ends = point["op"] in how.get("ends", [])
    cost = how.get("cost", {}).get(point["op"], 2.3)
    cost = cost[(visit - 1) % len(cost)] if isinstance(cost, list) else cost
    interval = {"value": cost, "low": cost - 0.1, "high": cost + 0.1}
    estimate = {"state": 0, "busy": False, "rounds": 11, "share": 1.0, "baseline_ns": 2.3, "test_ns": 2.3 + cost,
                "cost_ns": interval, "host_cost_ns": interval}
    if hops := how.get("hop_ns"):
        estimate["hop_ns"] = hops[min(visit, len(hops)) - 1]
    answer = dict(kind="visit", id=request["id"], point=point, visit=visit, time="2026-01-01T00:00:00Z", status=status,
        reason="" if status == "ok" else "as the test asked", stopped_by="precision", trips=how.get("trips", 120),
        unroll=32, ops_per_step=1, seed=request["options"]["seed"], pus=request["pus"], pus_seen=request["pus"],
        rounds_taken=11, rounds_kept=11, drops={}, estimates=[estimate] if status == "ok" else [], fairness=1.0,
        slowest_over_fastest=1.0, timed_ns=1e6, elapsed_ns=1e6, stolen_ns=0, rounds=[],
        **({"worker_ends": True} if ends else {}))
    spoil = how.get("spoil", {})
    if spoil.get("op") == point["op"]:
        *path, last = spoil["path"]
        inner = answer
        for step in path:
            inner = inner[step]
        inner[last] = spoil["value"]
        if spoil["value"] == "gone":
            del inner[last]
    say(**answer)
    log(kind="measured", op=point["op"], visit=visit)
    if ends:
        sys.exit(0)


def main():
    # A test's limit on the size of files is for the driver's file, not for our log.
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    if "--capabilities" in sys.argv:
        capabilities()
        return
    for line in sys.stdin:
        request = json.loads(line)
        if not isinstance(request, dict) or request["kind"] not in ("hello", "measure", "probe"):
            refuse(request)
        elif request["kind"] == "hello":
            hello(request)
        elif request["kind"] == "measure":
            measure(request)
        elif request["kind"] == "probe":
            log(kind="probe", pus=request["pus"], seconds=request["seconds"])
            say(**{**dict(kind="probe", id=request["id"], hop_ns=[20.0] * 60 + [50.0] * 60, bounds_ns=[31.6]),
                   **behaviour().get("probe", {})})
    if behaviour().get("end") == "never":
        time.sleep(1000)
    sys.exit(behaviour().get("end", 0))


# As real workers do: results on a private descriptor, what else is printed on standard error.
RESULTS = os.dup(1)
os.dup2(2, 1)
main()
