"""What the worker lists: each op of Triton's with its forms, and the machine code that it should be. It
needs no Triton."""

from dataclasses import dataclass, field

WARP = 32


@dataclass(frozen=True)
class Row:
    """One entry of the capabilities, at one placement."""

    op: str
    type: str = ""
    order: str = "unordered"
    scope: str = ""
    placement: str = ""
    oracle: str = field(default="", compare=False)
    declares: str = field(default="", compare=False)

    @property
    def name(self):
        parts = ("triton", self.op, self.type, self.order, self.scope, self.placement)
        return "_".join(part for part in parts if part)

    @property
    def unroll(self):
        """Steps of a trip. Results that are checked are kept for a whole one, and 1024 threads have 64 registers each."""
        return 8 if self.op.startswith(("atomic_exchange", "atomic_cas", "block_")) else 32

    @property
    def family(self):
        return FAMILIES.get(self.op, "atomic")

    @property
    def min_lanes(self):
        return 2 * WARP if self.op in ("sum_across_warps", "layout_conversion") else WARP

    def symbols(self, lanes):
        return [f"{self.name}_{lanes}_{count}" for count in (0, 1)]


PLACEMENTS = ("shared", "strided")
#: What Triton takes where the author says nothing comes first.
ORDERS = ("acq_rel", "relaxed", "acquire", "release")
ALL_SCOPES = ("device", "block", "system")
#: Their forms at int32: every order at every scope of an add, else the default and what is enough.
ADDS = ("atomic_add", "atomic_fetch_add")
ORACLES = {"atomic_add": "adds", "atomic_fetch_add": "adds", "atomic_max_raise": "raises", "atomic_max_hold": "unchanged",
           "atomic_exchange": "exchanges", "atomic_cas_pass": "unchanged", "atomic_cas_fail": "unchanged"}
OTHER_TYPES = ("uint64", "float", "double")
#: Ops of a whole block (collectives.py) with their types, what each compiles to, and what it is. A sum through shared
#: memory has three barriers: the values of the last one must have been read, a warp's sums must be there, and theirs.
BLOCK_SUM = "BAR.SYNC 3, STS 2, LDS 2, "
COLLECTIVES = {
    "barrier": ("barrier", {"": "BAR.SYNC 1"}, "tl.debug_barrier()"),
    "reduce_add_sync": ("warp", {"": "REDUX.SUM 1"}, "tl.sum over a warp's row"),
    "reduce_max_sync": ("warp", {"": "REDUX.MAX 1"}, "tl.max over a warp's row"),
    "sum_across_warps": ("group", {"int32": BLOCK_SUM + "REDUX.SUM 1"},
                         "x += tl.sum over the rows, one for each warp"),
    "block_sum": ("group", {"int32": BLOCK_SUM + "REDUX.SUM 2", "float": BLOCK_SUM + "SHFL.BFLY 10, FADD 10, FFMA 1"},
                  "x += tl.sum(x) of a block's threads; of floats x = 2 * mean - x"),
    "block_scan": ("group", {"int32": "BAR.SYNC 2, STS 1, LDS 8, SHFL.UP 5"},
                   "x = tl.cumsum(x) of a block's threads"),
    "layout_conversion": ("group", {"int32": "BAR.SYNC 2, STS 1, LDS 1"},
                          "x = tl.trans(x) of rows of a warp each, and one more, back in the layout of the rows"),
}
#: What the compiler calls each of them once it has laid the values out.
MADE_AS = {"reduce_add_sync": '"tt.reduce"', "reduce_max_sync": '"tt.reduce"', "sum_across_warps": '"tt.reduce"',
           "block_sum": '"tt.reduce"', "block_scan": '"tt.scan"', "layout_conversion": "ttg.convert_layout"}
FAMILIES = {"plain_read": "memory"} | {op: family for op, (family, _, _) in COLLECTIVES.items()}
NOTES = {op: note for op, (_, _, note) in COLLECTIVES.items()}


def _around(order, scope):
    """An order is a fence before the update (release) and a drop of L1 behind it (acquire); a block's scope has the fence
    alone, without the wait for errors."""
    level = {"block": "CTA", "system": "SYS"}.get(scope, "GPU")
    terms = [f"MEMBAR.ALL.{level} 1"] if order in ("release", "acq_rel") else []
    if scope != "block":
        terms += ["ERRBAR 1", "CGAERRBAR 1"] * bool(terms)
        terms += ["CCTL.IVALL 1"] * (order in ("acquire", "acq_rel"))
    return terms


def _update(op, order, scope, placement, type):
    """Where all lanes visibly use one address, ptxas lets one lane of a warp speak for all; what they add is a multiple
    that it finds before the loop."""
    what = {"atomic_max_raise": "MAX", "atomic_max_hold": "MAX", "atomic_exchange": "EXCH", "atomic_cas_pass": "CAS",
            "atomic_cas_fail": "CAS"}.get(op, "ADD")
    unused = op in ("atomic_add", "atomic_max_raise", "atomic_max_hold")
    opcode = "RED" if unused and order in ("relaxed", "release") else "ATOMG"
    reach = {"block": ".SM", "system": ".SYS"}.get(scope, "")
    terms = [*_around(order, scope), f"{opcode}.{what}{reach} 1"]
    if what == "EXCH" and type in ("float", "double"):
        terms.append("FADD 1" if type == "float" else "DADD 1")
    if placement == "shared" and op == "atomic_fetch_add" and type in ("int32", "uint64"):
        terms.append("SHFL.IDX 1, imad 1" if type == "int32" else "SHFL.IDX 2, imad 1")
    if placement == "shared" and op == "atomic_max_raise" and type == "int32":
        terms.append("REDUX.MAX 1")
    return ", ".join(terms)


def _forms(op, type):
    if op in ADDS and type == "int32":
        return [(order, scope) for scope in ALL_SCOPES for order in ORDERS]
    forms = [(order, "device") for order in ORDERS[:2]]
    return forms + [("relaxed", "system")] * (type == "int32")


def rows():
    found = []
    for op, oracle in ORACLES.items():
        others = OTHER_TYPES if op in (*ADDS, "atomic_exchange") else ("uint64",)
        for type in ("int32", *others):
            found += [Row(op, type, order, scope, placement, oracle, _update(op, order, scope, placement, type))
                      for order, scope in _forms(op, type) for placement in PLACEMENTS]
    found += [Row("plain_read", type, placement=placement, declares="LDG.STRONG.SYS 1")
              for type in ("int32", *OTHER_TYPES) for placement in PLACEMENTS]
    found += [Row(op, type, oracle="" if op == "barrier" else "collective", declares=declares)
              for op, (_, types, _) in COLLECTIVES.items() for type, declares in types.items()]
    return found
