"""syncmeter-triton: Triton's atomics and collectives as a worker (docs/reference/worker-protocol.md).

`--machine-code FOLDER SYMBOL...` writes a cubin of each kernel with such a name into the folder.
"""

import hashlib
import importlib.metadata
import json
import os
import pathlib
import pkgutil
import sys
import time

from . import table
from .device import Device, Driver, NoDevice

#: The census reads the kernels for a block of so many threads, and without a GPU for this architecture.
CENSUS_LANES, USUAL_ARCHITECTURE = 1024, 90
INSTALL = "`pip install triton` for the Python that runs this worker"


def version():
    try:
        return importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        return ""


def build():
    """A hash of this very program and of the compiler."""
    digest = hashlib.sha256(version().encode())
    for name in ("worker", "collectives", "device", "kernels", "table", "values", "visit"):
        digest.update(pkgutil.get_data(__package__, name + ".py"))
    return {"id": digest.hexdigest()[:16], "compiler": f"triton {version() or 'missing'}",
            "flags": f"Python {sys.version.split()[0]}"}


def capabilities():
    backend = {"name": "triton", "clock": "device", "portable": True, "native_of": "cuda",
               "runtime": {"api": f"Triton {version()}"}, "device": {"architectures": [], "devices": []}}
    try:
        driver = Driver()
        devices = [driver.facts(index) for index in range(driver.count)]
        names = {"sm_" + d["compute_capability"].replace(".", "") for d in devices}
        backend["device"] = {"architectures": sorted(names), "devices": devices}
    except NoDevice as why:
        backend["problem"] = str(why)
    if not version():
        backend["problem"] = f"{sys.executable} has no Triton: {INSTALL}"
    return {"kind": "capabilities", "protocol": 1, "protocol_minor": 0, "worker": "triton", "backends": [backend],
            "build": build(), "ops": [entry(row) for row in table.rows()]}


def entry(row):
    found = {"backend": "triton", "op": row.op, "family": row.family, "pairing": "self", "order": row.order,
             "placements": [row.placement] if row.placement else [], "unroll": row.unroll, "ops_per_step": 1,
             "min_lanes": row.min_lanes, "communicates": row.family in ("barrier", "group"), "additivity": False,
             "note": table.NOTES.get(row.op, ""), "supported": True, "symbols": row.symbols(CENSUS_LANES),
             "declares": {"sass": row.declares}}
    if row.type:
        found["type"] = row.type
    if row.placement:
        found["space"] = "global"
    if row.scope:
        found |= {"scope": row.scope, "flavour": "function"}
    return found


class Worker:
    def __init__(self, out):
        self._out, self._driver, self._devices = out, None, {}

    def say(self, **line):
        print(json.dumps(line), file=self._out, flush=True)

    def device(self, index):
        if index not in self._devices:
            self._driver = self._driver or Driver()
            if not 0 <= index < self._driver.count:
                raise ValueError(f"there is no device {index}")
            self._devices[index] = Device(self._driver, index)
        return self._devices[index]

    def answer(self, request):
        kind = request.get("kind")
        if kind == "hello":
            self.say(kind="worker", id=request.get("id"), pid=os.getpid(), worker="triton", protocol=1, protocol_minor=0,
                     build=build(), runtime={"triton": {"api": f"Triton {version()}"}}, environment={})
        elif kind == "measure":
            self.measure(request)
        else:
            raise ValueError(f"\"kind\" is {kind!r}, not hello or measure")

    def measure(self, request):
        point, options = request["point"], request["options"]
        self.say(kind="accepted", id=request["id"], predicted_ns=2 * options["max_time_ns"] + 3e9)
        line = {"kind": "visit", "id": request["id"], "point": point, "visit": request["visit"],
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "seed": options["seed"], "pus": []}
        axes = ("op", "type", "order", "scope", "placement")
        wanted = [point.get(axis, "") for axis in axes]
        row = next((row for row in table.rows() if [getattr(row, axis) for axis in axes] == wanted), None)
        if row is None or point["backend"] != "triton":
            self.say(**line, status="unsupported", reason="this worker has no such op, type, order, scope or placement")
            return
        from .visit import visit  # with Triton, which takes a while
        line |= {"family": row.family, "pairing": "self", "cost_per_lane": False}
        line |= visit(self.device(request.get("device", 0)), row, point, options, request["visit"])
        self.say(**line)
        if "worker_ends" in line:
            sys.exit()


def write_machine_code(folder, symbols):
    from .kernels import compiled
    try:
        driver = Driver()
        targets = {Device(driver, index).compute_capability for index in range(driver.count)}
    except NoDevice:
        targets = {USUAL_ARCHITECTURE}
    for row in table.rows():
        for count, symbol in enumerate(row.symbols(CENSUS_LANES)):
            for target in targets if symbol in symbols else ():
                path = pathlib.Path(folder) / f"{symbol}.sm_{target}.cubin"
                path.write_bytes(compiled(row, CENSUS_LANES, count, target).asm["cubin"])


def main():
    sys.exit(served())


def served():
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a runtime prints is no answer
    if sys.argv[1:] == ["--capabilities"]:
        print(json.dumps(capabilities()), file=out)
        return None
    if sys.argv[1:2] == ["--machine-code"]:
        if not version():
            return f"{sys.executable} has no Triton: {INSTALL}"
        return write_machine_code(sys.argv[2], set(sys.argv[3:]))
    worker = Worker(out)
    for line in sys.stdin:
        request = {}
        try:
            request = json.loads(line)
            worker.answer(request)
        except (AttributeError, ValueError, KeyError, TypeError, NoDevice) as error:
            number = request.get("id") if isinstance(request, dict) else None
            worker.say(kind="error", id=number, text=f"cannot read the request: {error!r}")
    return None

