"""Strength of networks and conventional program against a ladder of programs."""

from collections.abc import Iterator
from typing import Any

from ludus.reproduce import Context, Measurement, Table, find_experiments_folder, read_published

from .networks import get_trained_network, make_config

OPPONENTS = ("pubeval", "gnubg", "bsd")


def run(context: Context) -> Iterator[Any]:
    players = {"tool": "tool", **_list_networks(context)}
    games = context.setting("games")
    table = []
    for name, spec in players.items():
        shares: list[str | float] = [name]
        for opponent in OPPONENTS:
            tally = context.matches(
                "backgammon", spec, opponent, games[opponent], rules="opening=first"
            )
            won, played = tally.wins[0], tally.games
            yield Measurement.proportion(f"{name} against {opponent}", won, played)
            shares.append(round(won / played, 3))
        table.append(shares)
    yield Table("Share of games won", ["", *OPPONENTS], table)


def _list_networks(context: Context) -> dict[str, str]:
    """The first network of every row of Table 1, and the one that compares alternatives."""
    folder = find_experiments_folder() / "tesauro"
    table = read_published(folder / "table_1.toml", "tesauro-table-1")
    rows = {row["row"]: row.extra for row in table.rows if "hidden" in row.extra}
    specs = {
        name: get_trained_network(context, name, make_config(row, context.seed))[0]
        for name, row in rows.items()
    }
    compared = make_config(rows["a"], context.seed, error="comparison")
    specs["comparison"] = get_trained_network(context, "comparison", compared)[0]
    return {name: f"gammon:weights={file}" for name, file in specs.items()}
