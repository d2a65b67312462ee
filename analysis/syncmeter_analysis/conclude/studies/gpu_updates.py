"""Concludes which update to use on a GPU, from the driver's studies `accumulate`, `defaults`, `atomics`
and `widths`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from syncmeter_analysis.conclude.conclusion import Conclusion, Kind
from syncmeter_analysis.conclude.studies import update_orders, update_ways, update_widths
from syncmeter_analysis.relate.campaign import Campaign


@dataclass
class Updates:
    """Ways to add to shared addresses, orders and scopes, and widths."""

    ways: list[update_ways.Launch] = field(default_factory=list)
    orders: list[update_orders.Place] = field(default_factory=list)
    widths: update_widths.Widths = field(default_factory=update_widths.Widths)

    def __bool__(self) -> bool:
        return bool(self.ways or self.orders or self.widths)


def rows(campaign: Campaign) -> Updates:
    """Returns all updates of the campaign, each kind only if something can be compared."""
    return Updates(
        update_ways.launches_of(campaign),
        update_orders.places_of(campaign),
        update_widths.widths_in(campaign) or update_widths.Widths(),
    )


def conclude(campaign: Campaign) -> list[Conclusion]:
    """Returns the ways, then orders and scopes, then widths."""
    found = rows(campaign)
    made = [
        *update_ways.conclusions_of(found.ways),
        *update_orders.conclusions_of(found.orders),
        *update_widths.conclusions_of(found.widths),
    ]
    # Half of the alternatives are slower, and none of the others is worth a change.
    return [replace(c, kind=Kind.keep) if c.kind is Kind.any and c.reference else c for c in made]
