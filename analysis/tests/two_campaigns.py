"""Two made-up campaigns beside each other, as `compare` has them."""

import random

from syncmeter_analysis.conclude.compare import conclude
from syncmeter_analysis.record.reader import read_results
from syncmeter_analysis.relate.pairings import pairs_of_files
from syncmeter_analysis.render.compare import as_text
from syncmeter_analysis.voice.compare import program_text
from tests.made import point, visits, write


def both(tmp_path, old, new, first_old=None, first_new=None, **options):
    a = write(tmp_path / "old.jsonl", old, first=first_old)
    b = write(tmp_path / "new.jsonl", new, first=first_new)
    return pairs_of_files(read_results(a), read_results(b), **options)


def screen_of(table, everything=False, width=0):
    return as_text([table], everything, width=width)


def result_of(table):
    return conclude(table).result


def why(pair):
    """Returns the reason in JSON."""
    return program_text(pair.why)


def notes_of(table):
    """Returns the notes in JSON."""
    return [program_text(note) for note in table.notes]


def many(seed, n=100, scatter=0.03, factor=1.0):
    rng = random.Random(seed)
    lines = []
    for i in range(n):
        costs = [factor * 10 * rng.lognormvariate(0, scatter) for _ in range(5)]
        lines += visits(costs, point(f"op{i}"))
    return lines


def steady(rng, costs, scatter=0.003):
    return [x * rng.lognormvariate(0, scatter) for x in costs]
