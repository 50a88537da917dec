"""`ludus match`: let two players meet."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.files import whole_file
from ludus.cli.match_compiled import compiled_match
from ludus.cli.options import GameName, Json, Rules, StartText
from ludus.cli.output import print_json, rules_as_json, with_progress
from ludus.core.game import AnyGame
from ludus.core.match import MAX_PLIES, MatchRecord, play_match
from ludus.core.outcome import Outcome
from ludus.core.player import Player
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus._native.morris import Tally

SIGNIFICANT = 0.05

PlayerName = Annotated[
    str,
    typer.Argument(
        metavar="PLAYER",
        help="A player, with options if you like: random, playouts:games=500.",
        show_default=False,
    ),
]


@dataclass
class Score:
    """Who won how often, by player and not by side."""

    wins: list[int] = field(default_factory=lambda: [0, 0])
    draws: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    def add(self, outcome: Outcome, is_swapped: bool) -> None:
        """Count a game; `is_swapped` tells that the second player had the first side."""
        self.reasons[outcome.reason] += 1
        if outcome.winner is None:
            self.draws += 1
        else:
            self.wins[outcome.winner ^ is_swapped] += 1

    def add_tally(self, tally: "Tally", is_swapped: bool) -> None:
        """Count many games."""
        self.reasons.update(tally["reasons"])
        self.draws += tally["draws"]
        for side, wins in enumerate(tally["wins"]):
            self.wins[side ^ is_swapped] += wins


def match(
    game: GameName,
    first: PlayerName,
    second: PlayerName,
    games: Annotated[int, typer.Option(min=1, max=10_000_000, help="How many games.")] = 100,
    rules: Rules = "",
    position: StartText = "",
    seed: Annotated[int, typer.Option(help="The same seed gives the same games.")] = 0,
    alternate: Annotated[
        bool, typer.Option("--alternate/--fixed", help="Who begins: both in turn, or the first.")
    ] = True,
    max_plies: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="A longer game is called a draw.")
    ] = MAX_PLIES,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write the games into this file."),
    ] = None,
    compiled: Annotated[
        bool,
        typer.Option(
            "--compiled/--one-by-one",
            help="Compiled players meet in compiled code, if there is nothing to record. It plays "
            "other games for the same seed, 100,000 a second.",
        ),
    ] = True,
    json: Json = False,
) -> None:
    """Let two players meet and count who wins."""
    from ludus.arena.binomial import compare

    chosen = named_game(game, rules)
    start = chosen.parse(position) if position else chosen.start()
    players = named_player(first, chosen), named_player(second, chosen)
    score, tallies = Score(), None
    if compiled and record is None and not position:
        tallies = compiled_match(chosen, (first, second), games, seed, alternate, max_plies)
    if tallies is not None:
        for is_swapped, tally in tallies:
            score.add_tally(tally, is_swapped)
    else:
        played = _games(chosen, players, games, seed, alternate, start, max_plies)
        shown = enumerate(with_progress(played, games, "playing"), 1)
        with whole_file(record) if record is not None else nullcontext() as file:
            for number, (is_swapped, result) in shown:
                score.add(result.outcome, is_swapped)
                if file is not None:
                    print(_text(result, chosen, number), end="\n\n", file=file)
    if json:
        print_json(
            game=chosen.id,
            rules=rules_as_json(chosen.rules),
            players=[first, second],
            seed=seed,
            games=games,
            wins=score.wins,
            draws=score.draws,
            reasons=dict(score.reasons.most_common()),
            p_value=compare(*score.wins).p_value,
        )
        return
    width = max(len(first), len(second), len("draws"))
    for name, count in ((first, score.wins[0]), (second, score.wins[1]), ("draws", score.draws)):
        print(f"{name:{width}}  {count:>{len(str(games))}}")
    ends = ", ".join(f"{reason} {count}" for reason, count in score.reasons.most_common())
    print(f"{'ends':{width}}  {ends}")
    p_value = compare(*score.wins).p_value
    verdict = "no more than chance" if p_value >= SIGNIFICANT else "more than chance"
    print(f"the difference is {verdict} (p = {p_value:.2g})")


def _games(
    game: AnyGame,
    players: tuple[Player, Player],
    games: int,
    seed: int,
    alternate: bool,
    start: Any,
    max_plies: int,
) -> Iterator[tuple[bool, MatchRecord]]:
    """Every game, and whether the second player had the first side in it."""
    seeds = random.Random(seed)
    for number in range(games):
        is_swapped = alternate and number % 2 == 1
        sides = (players[1], players[0]) if is_swapped else players
        own_seed = seeds.getrandbits(62)
        yield (
            is_swapped,
            play_match(game, sides, seed=own_seed, start=start, max_plies=max_plies),
        )


def _text(result: MatchRecord, game: AnyGame, number: int) -> str:
    from ludus.core.record import Record

    found = Record.from_match(result, game)
    return str(replace(found, headers={"Round": str(number), **found.headers}))
