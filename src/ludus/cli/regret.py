"""`ludus regret`: measure the minimax regret of a player against perfect play."""

import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ludus.cli.options import (
    AlternateOption,
    ClusterOption,
    DepthOption,
    GameArgument,
    JobsOption,
    JsonOption,
    NodesOption,
    OracleOption,
    PlayerArgument,
    RulesOption,
    SeedOption,
    TimeOption,
    read_positions,
)
from ludus.cli.output import (
    game_as_json,
    get_table_width,
    print_json,
    print_notice,
    print_player_notices,
    track_progress,
)
from ludus.core.errors import BadPosition, BadSpec, LudusError
from ludus.core.files import quote_path
from ludus.core.player import Limit
from ludus.games import game as named_game
from ludus.players import player as named_player

if TYPE_CHECKING:
    from ludus.core.game import AnyGame
    from ludus.oracles.interface import Oracle

NumGamesOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=10_000_000,
        help="Number of games, or with --one-move of positions.",
        show_default="100, or all positions",
    ),
]


def regret(
    game: GameArgument,
    player: PlayerArgument,
    oracle: OracleOption = None,
    games: NumGamesOption = None,
    opponent: Annotated[
        str, typer.Option("--opponent", metavar="PLAYER", help="The opponent.")
    ] = "perfect",
    rules: RulesOption = "",
    seed: SeedOption = 0,
    alternate: AlternateOption = True,
    positions: Annotated[
        Path | None,
        typer.Option(
            "--positions", metavar="FILE", help="Start positions, one per line, in turn; -: stdin."
        ),
    ] = None,
    random_plies: Annotated[
        int, typer.Option(min=0, max=200, help="Random plies before each game.")
    ] = 0,
    one_move: Annotated[
        bool,
        typer.Option("--one-move", help="Evaluate one move in each position, no games."),
    ] = False,
    time: TimeOption = None,
    nodes: NodesOption = None,
    depth: DepthOption = None,
    jobs: JobsOption = 0,
    cluster: ClusterOption = "",
    json: JsonOption = False,
) -> None:
    """Play games and compare every move of a player with perfect play."""
    from ludus.arena import regret as arena
    from ludus.arena.executors import make_executor
    from ludus.oracles import oracle as find_oracle

    chosen = named_game(game, rules)
    judge = find_oracle(chosen, oracle)
    limit = Limit(time, nodes, depth)
    about = {**game_as_json(chosen), "player": player}
    if one_move:
        sample, about["over"] = _sample_positions(chosen, positions, games, seed)
        found = arena.judge_choices(
            named_player(player, chosen),
            sample,
            oracle=judge,
            limit=limit,
            seed=seed,
            track=_make_tracker("choosing", judge, chosen, player),
        )
    else:
        about["opponent"] = other = _add_oracle_option(opponent, oracle)
        with make_executor(jobs, cluster) as executor:
            found = arena.regret(
                chosen,
                player,
                opponent=other,
                games=games or 100,
                seed=seed,
                alternate=alternate,
                positions=_read_starts(chosen, positions),
                random_plies=random_plies,
                limit=limit,
                oracle=judge,
                executor=executor,
                track=_make_tracker("playing", judge, chosen, player, other),
            )
    if json:
        print_json(**about, seed=seed, **found.to_json())
        return
    print(found.format(get_table_width()))
    if about.get("over"):
        print(f"\n{about['over']} positions in which the game is over were left out")


def _make_tracker(label: str, oracle: "Oracle", game: "AnyGame", *players: str) -> Any:
    """Return what shows progress, and says first what users should know.

    That is which moves can be judged, if not all, and the notices of players.
    """

    def track(items: Iterable[Any], total: int) -> Iterator[Any]:
        if not oracle.has_value(game.start()):
            advice = f"; {oracle.advice} solves all" if oracle.advice else ""
            print_notice(
                f"{game.id} is solved {oracle.coverage}; no other moves are judged{advice}"
            )
        print_player_notices(named_player(spec, game) for spec in players)
        yield from track_progress(items, total, label)

    return track


def _add_oracle_option(opponent: str, folder: Path | None) -> str:
    """Give a perfect opponent without options the same oracle folder as the evaluation."""
    if opponent != "perfect" or folder is None:
        return opponent
    if "," in str(folder):
        raise LudusError(f"a comma in {quote_path(folder)} cannot be used in a player's spec")
    return f"perfect:oracle={folder}"


def _read_starts(game: "AnyGame", file: Path | None) -> list[str]:
    from ludus.arena.jobs import normalize_start

    if file is None:
        return []

    def parse(text: str) -> list[str]:
        found = []
        for number, line in enumerate(text.splitlines(), 1):
            try:
                found.append(normalize_start(game, line))
            except LudusError as error:
                raise BadPosition(f"line {number}: {error}") from error
        return found

    return read_positions(file, parse)


def _sample_positions(
    game: "AnyGame", file: Path | None, num_positions: int | None, seed: int
) -> tuple[list[Any], int]:
    """Return the positions of a file, or a random sample, and the number of finished ones.

    In a finished position there is no move to evaluate, so it is left out.
    """
    from ludus.arena.choices import parse_positions

    if file is None:
        raise BadSpec("--one-move needs --positions FILE")
    num_lines = 0

    def parse(text: str) -> list[Any]:
        nonlocal num_lines
        num_lines = len(text.removesuffix("\n").split("\n"))
        return parse_positions(text, game, skip_finished=True)

    parsed = read_positions(file, parse)
    over = num_lines - len(parsed)
    if num_positions is not None and num_positions < len(parsed):
        parsed = random.Random(seed).sample(parsed, num_positions)
    return [each.position for each in parsed], over
