"""What a campaign ends with on a terminal: three to six sentences, from the rows of the page."""

from __future__ import annotations

from syncmeter_analysis.claims import judged
from syncmeter_analysis.relate import text
from syncmeter_analysis.relate.campaign import Campaign
from syncmeter_analysis.relate.evidence import Evidence
from syncmeter_analysis.render.head import verdict_of_machine
from syncmeter_analysis.render.recommendations import chosen, sentence, undecided, what_to_run

_most_advice = 3


def findings(campaign: Campaign) -> list[str]:
    """The machine's quiet first, then the advice of the first cards with its effect, what could not be
    told, and the command that would decide most of what is open. Empty where nothing was measured."""
    if not campaign.measured:
        return []
    claims = judged(Evidence(campaign))
    told = [f"{verdict_of_machine(campaign)[0]}."]
    told += [sentence(advice) for advice in chosen(claims)[:_most_advice]]
    doubtful, unclear = undecided(claims)
    if doubtful or unclear:
        told.append(
            f"Not told: {text.count(len(unclear), 'question')} could not be decided, {len(doubtful)} "
            f"rest on doubtful figures."
        )
    if runs := what_to_run(campaign, claims):
        command, statements = runs[0]
        told.append(
            f"Next: {command} ({text.count(len(statements), 'open question')}, for example: "
            f"{statements[0].rstrip('.')})."
        )
    return told
