"""Programs run under the probe, and its files read by hand: what is counted, by the function that calls.

SYNCMETER_BIN names the directory that holds libsyncmeter-probe.so.
"""

import bisect
import collections
import dataclasses
import os
import pathlib
import re
import struct
import subprocess

ROOT = pathlib.Path(__file__).parents[2]
PROBE = pathlib.Path(os.environ["SYNCMETER_BIN"]) / "libsyncmeter-probe.so"
#: How often a program is run again where other programs disturbed it.
TRIES = 5
KINDS = re.findall(r"^SM_KIND\((\w+),", (ROOT / "record" / "site_kinds.def").read_text(encoding="utf-8"), re.MULTILINE)
#: Their objects are locks or conditions.
LOCKS = {*re.findall(r'^SM_KIND\((\w+), of_section', (ROOT / "record" / "site_kinds.def").read_text(encoding="utf-8"), re.MULTILINE), "signal"}


def wrapped():
    """The kind of every function that the probe stands in for."""
    text = (ROOT / "probe" / "wrapped.def").read_text(encoding="utf-8")
    found = dict(re.findall(r"^SM_(?:OPENMP|POSIX)(?:_TRY|_UNTIL)?\((\w+), (\w+)", text, re.MULTILINE))
    found |= {f"GOMP_parallel_loop_{name}": "region" for name in re.findall(r"^SM_LOOP_REGION\((\w+)\)", text, re.MULTILINE)}
    return found | dict(re.findall(r"^SM_BY_HAND\((\w+), (\w+)\)", text, re.MULTILINE))


@dataclasses.dataclass
class Row:
    kind: str
    module: str
    offset: int
    runtime: bool
    team: int
    count: int
    thread: int
    object: int
    #: Of a kernel of Kokkos, and of what OpenMP does for it.
    label: str


#: Kinds of calls at which threads meet, or wait for a signal.
MEETINGS = ("region", "barrier", "barrier_wait", "cond_wait")


@dataclasses.dataclass
class Times:
    kind: str
    threads: int
    timed: int
    every: int
    fork_ns: int
    inside_ns: int
    #: Until the last thread arrives or the signal comes. All other kinds: the call.
    until_last_ns: int
    long_until_last_ns: int
    #: From there on to the return. Chunks: to the next call.
    after_last_ns: int
    buckets: list[int]
    held_ns: int
    object: int
    same_processor: int
    under_lock: int
    to_all: int
    in_vain: int
    with_own_lock: int
    #: The module's offset of where the first thread of the team called the same barrier; 0: from here.
    met_at: int
    offset: int

    @property
    def call_ns(self):
        assert self.kind not in MEETINGS
        return self.until_last_ns

    @property
    def work_ns(self):
        assert self.kind == "chunk"
        return self.after_last_ns


def blocks(path):
    """The type and the bytes of each block of a file of the probe."""
    data = pathlib.Path(path).read_bytes()
    used, at = struct.unpack_from("<Q", data, 24)[0], 4096
    while at < used:
        type_of_block, size = struct.unpack_from("<II", data, at)
        yield type_of_block, data[at : at + size]
        at += size


def blocks_of(path, wanted):
    return [block for type_of_block, block in blocks(path) if type_of_block == wanted]


def text_at(block, offset):
    return block[offset:].split(b"\0")[0].decode()


def read_times(path):
    """What was timed, of each site and thread of the program's own."""
    found, runtimes, bases = [], [], {}
    for type_of_block, block in blocks(path):
        if type_of_block == 1:
            first, end, base, runtime = struct.unpack_from("<QQQQ", block, 8)
            runtimes += [range(first, end)] * runtime
            bases[range(first, end)] = base
        if type_of_block == 3:
            address, kind, _, *sums = struct.unpack_from("<QIIQQQQQQQ160IQQ160IQQ160IQQQQQQQ", block, 8)
            threads, timed, every, fork, inside, until_last, long_until_last = sums[:7]
            buckets, after_last, held, more = sums[7:167], sums[167], sums[329], sums[491:]
            base = next((base for code, base in bases.items() if address in code), 0)
            more[-1] -= base + 1 if more[-1] else 0
            if not any(address in runtime for runtime in runtimes):
                found.append(Times(KINDS[kind], threads, timed, every, fork, inside, until_last, long_until_last, after_last, buckets, held, *more, address - 1 - base))
    return found


def read_labels(path):
    """What Kokkos calls its kernels, by the number that rows have."""
    return {struct.unpack_from("<QQ", block, 8)[1]: text_at(block, 24) for block in blocks_of(path, 10)}


def read_owners(path):
    """Of each lock, but of no condition, by its number, how many acquisitions were followed, and by how many another thread took it."""
    found = {}
    for block in blocks_of(path, 4):
        places, before = struct.unpack_from("<QQ", block, 8)
        for number, (address,) in enumerate(struct.iter_unpack("<Q", block[64 : 64 + 8 * places])):
            followed, changes, guard = struct.unpack_from("<QQQ", block, 64 + 8 * places + 64 * number + 8)
            if address and not guard:
                found[before + number + 1] = followed, changes
    return found


def read(path):
    """Header and rows of a file of the probe."""
    layout, _, lost, pid, parent, by_fork, run_delay, without_run_delay, has_ended, growth_error = \
        struct.unpack_from("<24sQQqqQQQQq", pathlib.Path(path).read_bytes())
    assert layout.startswith(b"smprobe:")
    modules = [(*struct.unpack_from("<QQQQ", block, 8), text_at(block, 40)) for block in blocks_of(path, 1)]
    rows = []
    for block in blocks_of(path, 2):
        thread, number = struct.unpack_from("<II", block, 8)
        rows += [(thread, *struct.unpack_from("<QQIIQQ", block, 64 + 64 * i)) for i in range(number)]
    labels = read_labels(path)
    found = []
    for thread, address, count, kind, team, _, lock in rows:
        if address:
            _, _, base, runtime, name = next(m for m in modules if m[0] <= address < m[1])
            label = "" if KINDS[kind] in LOCKS else labels.get(lock, "")
            found.append(Row(KINDS[kind], name, address - 1 - base, bool(runtime), team, count, thread, lock, label))
    return {"pid": pid, "parent": parent, "by_fork": by_fork, "lost": lost, "growth_error": growth_error,
            "run_delay_ns": run_delay if has_ended and not without_run_delay else None}, found


@dataclasses.dataclass
class DeviceTimes:
    kind: str
    works: int
    first_start: int
    last_end: int
    busy_ns: int
    idle_ns: int


def read_cuda_spans(path):
    """Of a process, from its first counted call of CUDA to its end, in ns."""
    spans = [struct.unpack_from("<QQ", block, 8) for block in blocks_of(path, 9)]
    return [end - first for first, end in spans]


def read_device(path):
    """What the GPU did for each site."""
    found = []
    for block in blocks_of(path, 6):
        _, kind, _, works, first, last, busy, *rest = struct.unpack_from("<QIIQQQQQ160IQQ160I", block, 8)
        found.append(DeviceTimes(KINDS[kind], works, first, last, busy, rest[161]))
    return found


@dataclasses.dataclass
class KernelTimes:
    name: str
    grid: tuple
    block: tuple
    launches: int
    busy_ns: int


def read_kernels(path):
    """How long each kernel took, by its grid."""
    found = []
    for block in blocks_of(path, 8):
        *sides, launches, busy = struct.unpack_from("<6IQQ", block, 8)
        found.append(KernelTimes(text_at(block, 48), tuple(sides[:3]), tuple(sides[3:]), launches, busy))
    return found


def read_problems(path):
    """Why calls of CUDA were not counted."""
    return [text_at(block, 8) for block in blocks_of(path, 5)]


@dataclasses.dataclass
class Kernel:
    name: str
    kind: str
    cut_off: bool
    launches: int
    blocks: int
    threads: int
    updates: int
    cells: int
    hottest: int
    hottest_warps: int
    lost: int
    #: Those that counted from begin to end.
    counted_launches: int
    counted_blocks: int
    #: By event: (offset, threads, warps, parts, uncounted, cells, hottest, hottest_warps) of each instruction.
    instructions: dict


EVENTS = ["none", "update", "shared_update", "barrier", "cluster_wait", "object_wait"]


def read_patched_kernels(path):
    """What patched kernels counted, each as launched at one site."""
    found = []
    for block in blocks_of(path, 7):
        _, kind, cut_off, *sums, number, whole, whole_blocks = struct.unpack_from("<QIIQQQQQQQQQQQ", block, 8)
        instructions = collections.defaultdict(list)
        for i in range(number):
            offset, event, _, *of = struct.unpack_from("<QIIQQQQQQQ", block, 112 + 72 * i)
            instructions[EVENTS[event]].append((offset, *of))
        name = text_at(block, 112 + 72 * number)
        found.append(Kernel(name, KINDS[kind], bool(cut_off), *sums, whole, whole_blocks, dict(instructions)))
    return found


def functions(program):
    """Where the functions of a program begin: addresses in order, and names."""
    lines = subprocess.run(["nm", "-C", "--defined-only", program], check=True, capture_output=True, text=True).stdout
    found = sorted((int(line[:16], 16), line[19:]) for line in lines.splitlines() if line[17] in "tTwW")
    return [address for address, _ in found], [name for _, name in found]


def by_caller(program, rows):
    """Calls by (name without what compilers add, kind), of the program's own code."""
    starts, names = functions(program)
    counts = collections.Counter()
    for row in rows:
        if not row.module:
            name = names[bisect.bisect_right(starts, row.offset) - 1]
            name = re.sub(r"\(.*|\[.*|\.[a-z_].*", "", name.replace("(anonymous namespace)::", ""))
            counts[name, row.kind] += row.count
    return counts


class Counted:
    """A program that has run under the probe, and what its processes left."""

    def __init__(self, arguments, folder, *, preload="", check=True, **how):
        folder.mkdir()
        environment = os.environ | {"LD_PRELOAD": f"{PROBE}{preload}", "SYNCMETER_PROBE_FOLDER": str(folder), "OMP_DYNAMIC": "false"}
        environment.pop("OMP_NUM_THREADS", None)
        self.folder = folder
        self.done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=120, check=check, **how)
        self.files = [read(path) for path in sorted(folder.glob("*.counts"))]
        self.times = [times for path in folder.glob("*.counts") for times in read_times(path)]
        self.owners = [read_owners(path) for path in sorted(folder.glob("*.counts"))]
        self.problems = [problem for path in sorted(folder.glob("*.counts")) for problem in read_problems(path)]
        self.patched_kernels = [kernel for path in sorted(folder.glob("*.counts")) for kernel in read_patched_kernels(path)]
        self.device = [times for path in folder.glob("*.counts") for times in read_device(path)]
        self.cuda_spans = [span for path in folder.glob("*.counts") for span in read_cuda_spans(path)]
        self.kernels = [times for path in folder.glob("*.counts") for times in read_kernels(path)]
        self.lost = sum(header["lost"] for header, _ in self.files)

    @property
    def rows(self):
        return [row for _, rows in self.files for row in rows]

    def total(self, kind):
        return sum(row.count for row in self.rows if row.kind == kind and not row.runtime)
