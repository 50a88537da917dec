"""The teacher and our search in critical positions of the dataset, by the time of a move."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ludus import Limit
from ludus.arena import RegretStatistics, find_verdicts
from ludus.datasets import MoveBatch
from ludus.games import game as named_game
from ludus.oracles import Oracle
from ludus.oracles import oracle as find_oracle
from ludus.players import player as named_player
from ludus.reproduce import Context, Finding, Measurement, Remark, Table

from .critical import TEACHER
from .data import read_held_out_entries
from .deepmill import VARIABLE, find_deepmill, make_contestant
from .games import GAME, RULES, Contestant
from .regret_tables import CAPTION, HEADINGS, count_kept, make_row


def run(context: Context) -> Iterator[Finding]:
    game = named_game(GAME, RULES)
    oracle = find_oracle(game, context.oracle)
    entries, num_solved, num_critical = shuffle_critical_entries(oracle, context)
    positions = entries.to_positions(game)
    yield Remark(
        f"Solved {oracle.coverage}: {num_solved:,} entries of the last tenth of the dataset, of"
        f" which {num_critical:,} are critical."
    )
    if not num_critical:
        return
    trials = [(each["seconds"], each["positions"]) for each in context.setting("trials")]
    most = max(number for _, number in trials)
    chosen: dict[str, Sequence[Any]] = {TEACHER: entries[:most].to_moves()}
    for seconds, number in trials:
        for contestant in list_contestants(context, seconds):
            chosen[contestant.name] = choose_each(context, contestant, positions[:number])
    rows = []
    for name, moves in chosen.items():
        statistics = RegretStatistics(game, oracle)
        statistics.add_moves(positions[: len(moves)], moves)
        found = count_kept(statistics)
        num_kept, num_evaluated = found["all"][:2]
        yield Measurement.proportion(f"{name}: critical positions kept", num_kept, num_evaluated)
        rows.append(make_row(name, found))
    yield Table("By phase", HEADINGS, rows, CAPTION)
    if find_deepmill() is None:
        yield Remark(f"DeepMill was not measured: {VARIABLE} does not name it (docs/engine.md).")


def shuffle_critical_entries(oracle: Oracle, context: Context) -> tuple[MoveBatch, int, int]:
    """Return critical entries in random order, and the numbers of solved and critical ones."""
    entries = read_held_out_entries()
    entries = entries[np.flatnonzero(entries.totals[0] >= 3)]
    positions = entries.to_positions(named_game(GAME, RULES))
    solved = [number for number, each in enumerate(positions) if oracle.has_value(each)]
    verdicts = find_verdicts(oracle, [positions[number] for number in solved])
    critical = [
        number
        for number, verdict in zip(solved, verdicts, strict=True)
        if verdict is not None and verdict.is_critical
    ]
    rng = np.random.default_rng(context.seed_for("entries"))
    order = rng.permutation(np.array(critical, dtype=np.intp))
    return entries[order], len(solved), len(critical)


def list_contestants(context: Context, seconds: float) -> list[Contestant]:
    """DeepMill, if it is there, and our search with the positions it visits in this time."""
    script = find_deepmill()
    num_positions = int(seconds * context.published["positions_per_second"])
    search = Contestant(f"negascout, {seconds:g} s", f"negascout:nodes={num_positions}")
    return [search] if script is None else [make_contestant(script, seconds), search]


def choose_each(context: Context, contestant: Contestant, positions: Sequence[Any]) -> list[Any]:
    """Return a player's move in each position, as the first of a game; each is stored at once."""
    game = named_game(GAME, RULES)
    player = named_player(contestant.spec, game)
    moves = []
    for number, position in enumerate(positions):
        context.progress(number, len(positions), contestant.name)

        def compute(position: Any = position) -> str:
            player.start_game(context.seed)
            return str(player.choose(position, Limit()).move)

        text = context.cached(f"move {contestant.key or contestant.spec} {position}", compute)
        moves.append(game.parse_move(text, position))
    return moves
