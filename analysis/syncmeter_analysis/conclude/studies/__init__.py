"""The studies that conclude: a module NAME.py (underscores for dashes) with `conclude(campaign)`, which
returns the conclusions, the most important first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from syncmeter_analysis.conclude.conclusion import Conclusion
from syncmeter_analysis.relate.campaign import Campaign

Conclude = Callable[[Campaign], list[Conclusion]]


@cache
def concluding() -> Mapping[str, Conclude]:
    """Returns the functions by the name of the study."""
    modules = {m.name: import_module(f"{__name__}.{m.name}") for m in iter_modules(__path__)}
    found = {name: getattr(module, "conclude", None) for name, module in modules.items()}
    return {name.replace("_", "-"): f for name, f in sorted(found.items()) if f}
