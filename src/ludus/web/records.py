"""Games as text: a table's whole tree as a record, with everything that was tried and said."""

from dataclasses import replace

from ludus.core.match import MatchRecord
from ludus.core.outcome import Outcome
from ludus.core.record import Record
from ludus.web.table import Table

ENDING = ("Result", "Reason", "Points")
"""Headers of a game that has ended where its first line ends."""


def record_of(table: Table) -> Record:
    """The record; its main line is what was played first."""
    line = table.tree.record_line()
    last = table.tree.nodes[0]
    while last.children:
        last = table.tree.nodes[last.children[0]]
    outcome = last.position.outcome()
    match = MatchRecord(
        game=table.game.id,
        rules=table.game.rules,
        players=(_name(table, 0), _name(table, 1)),
        seed=table.seed,
        start=str(table.tree.nodes[0].position),
        moves=(),
        outcome=outcome or Outcome(None, "unfinished"),
    )
    headers = dict(Record.from_match(match, table.game).headers)
    del headers["Seed"]
    if outcome is None:
        headers = {name: text for name, text in headers.items() if name not in ENDING}
    is_second_first = table.tree.nodes[0].position.mover == 1
    first_ply = int(is_second_first and bool(line.moves))
    return replace(Record(headers), line=line, first_ply=first_ply)


def _name(table: Table, side: int) -> str:
    seat = table.seats[side]
    return "person" if seat.is_person else seat.spec
