"""The paper's plan: find blunders, add examples that show the right move, train again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from ludus import play_game
from ludus.datasets import parse_scored_positions
from ludus.games.backgammon import Backgammon, Position, Rules, to_position_id
from ludus.learn.gammon import (
    GammonConfig,
    GammonNetwork,
    load_training_positions,
    play_native_games,
)
from ludus.players import player
from ludus.protocol import score_position
from ludus.reproduce import Conclusion, Context, Figure, Measurement, Table

from .comparisons import judge_decisions
from .data_base import check_test_positions
from .networks import train_on_positions

BLUNDER = 0.16
JUDGE_PLIES = 1


@dataclass(frozen=True)
class Round:
    """A network, the number of examples added before it was trained, and how it does."""

    num_added: int
    test: float
    """Agreement with the expert on test positions, in percent."""

    tool: float
    """Games won against tool, in percent."""

    expert: float

    num_blunders: int | None
    """Blunders in its games, which become examples of the next round; None in the last."""


def run(context: Context) -> Iterator[Any]:
    loops = [_run_loop(context, seed) for seed in range(context.setting("trainings"))]
    first, last = ([loop[number] for loop in loops] for number in (0, -1))
    for name, rounds in (("before repairs", first), ("forecast", last)):
        yield Measurement.mean(
            f"{name}: games against tool", [each.tool for each in rounds], unit="%"
        )
        yield Measurement.mean(
            f"{name}: games against the expert", [each.expert for each in rounds], unit="%"
        )
    yield _conclude("tool", [each.tool for each in first], [each.tool for each in last])
    yield _conclude("the expert", [each.expert for each in first], [each.expert for each in last])
    table = [[number, *_average(rounds)] for number, rounds in enumerate(zip(*loops, strict=True))]
    yield Table(
        "Rounds of repairs",
        HEADINGS,
        [_round_cells(row) for row in table],
        f"Means over {len(loops)} loops, each from a training of its own.",
    )
    yield Figure("Repairs", draw, table, "Games won after each round, and test positions.")


def _run_loop(context: Context, seed: int) -> list[Round]:
    """Train, judge games, add the blunders and train again; one loop with its own examples."""
    added: list[str] = []
    rounds: list[Round] = []
    last = context.setting("rounds")
    for number in range(last + 1):
        context.progress(number, last + 1, f"loop {seed}: rounds")
        file, test, won = _train_and_test(context, seed, number, tuple(added))
        expert = context.matches(
            "backgammon",
            f"gammon:weights={file}",
            "gnubg",
            context.setting("expert_games"),
            rules="opening=first",
            key=f"loop {seed}, round {number}",
        )
        blunders = [] if number == last else _collect_examples(context, seed, number, file)
        rounds.append(
            Round(
                len(added),
                test,
                100 * won / context.setting("tool_games"),
                100 * expert.wins[0] / expert.games,
                None if number == last else len(blunders),
            )
        )
        added += blunders
    return rounds


HEADINGS = (
    "round",
    "examples added",
    "test positions, %",
    "won against tool, %",
    "won against the expert, %",
    "blunders found",
)


def _average(rounds: Sequence[Round]) -> list[float | None]:
    """The columns of the table after the number of the round."""
    columns = zip(
        *((each.num_added, each.test, each.tool, each.expert) for each in rounds), strict=True
    )
    blunders = [each.num_blunders for each in rounds if each.num_blunders is not None]
    return [*(mean(column) for column in columns), mean(blunders) if blunders else None]


def _round_cells(row: Sequence[Any]) -> list[Any]:
    return ["" if cell is None else round(cell, 1) for cell in row]


def _conclude(what: str, before: Sequence[float], after: Sequence[float]) -> Conclusion:
    """Decide by the differences within loops: both networks of a loop begin with equal weights."""
    change = Measurement.mean("", [b - a for a, b in zip(before, after, strict=True)])
    text = f"{mean(before):.1f}% before, {mean(after):.1f}% after, a difference of "
    text += f"{change.value:+.1f}"
    holds = None
    if change.low is not None and change.high is not None:
        text += f" ({change.low:+.1f} to {change.high:+.1f} over {len(before)} loops)"
        holds = True if change.low > 0 else False if change.high < 0 else None
    return Conclusion(
        f"examples of its blunders make the network win more games against {what}", holds, text
    )


def _train_and_test(
    context: Context, seed: int, number: int, added: tuple[str, ...]
) -> tuple[Path, float, int]:
    """Train on all positions with the added ones, and measure agreement and games against tool."""
    file = context.folder("networks") / f"loop-{seed}-round-{number}.npz"

    def compute() -> list[float]:
        examples = list(parse_scored_positions("\n".join(added)))
        positions = [*load_training_positions(), *examples * context.setting("copies")]
        settings = GammonConfig(cycles=context.setting("cycles"), seed=context.seed + seed)
        network = train_on_positions(positions, settings)
        network.save(file)
        games, dice = context.setting("tool_games"), context.seed_for("tool", seed, number)
        result = play_native_games(network, "tool", games, dice, context.jobs)
        return [100 * float(check_test_positions(network).mean()), sum(result.wins)]

    test, won = context.cached(f"loop {seed}, round {number} with {len(added)} examples", compute)
    GammonNetwork.load(file)
    return file, test, int(won)


def _collect_examples(context: Context, seed: int, number: int, file: Path) -> list[str]:
    """The blunders of some games against tool, as scored positions."""
    found: list[str] = []
    for game in range(context.setting("games")):
        context.progress(
            game, context.setting("games"), f"loop {seed}, round {number}: judging games"
        )

        def compute(game: int = game) -> list[str]:
            return _judge_game(context.seed_for("judged", seed, number, game), game % 2, file)

        found += context.cached(f"blunders of loop {seed}, round {number}, game {game}", compute)
    return list(dict.fromkeys(found))


def _judge_game(seed: int, own: int, file: Path) -> list[str]:
    game = Backgammon(Rules(opening="first"))
    players = [player(f"gammon:weights={file}", game), player("tool", game)]
    if own == 1:
        players.reverse()
    match = play_game(game, (players[0], players[1]), seed=seed)
    decisions = judge_decisions(game, match.moves, own, JUDGE_PLIES)
    blunders = [each for each in decisions if each.cost >= BLUNDER]
    positions: list[Any] = [each.position for each in blunders]
    scored = [score_position(turn_to_side_0(position)) for position in positions]
    return [str(each) for each in scored if each is not None]


def turn_to_side_0(position: Position) -> Position:
    """Return the position with side 0 to move, as in the data bases."""
    assert position.dice is not None
    dice = "".join(map(str, position.dice))
    turned = Backgammon().parse(f"{to_position_id(position)}:0:{dice}")
    assert isinstance(turned, Position)
    return turned


def draw(axes: Any, data: list[list[Any]]) -> None:
    for column, label in ((2, "test positions"), (3, "against tool"), (4, "against the expert")):
        axes.plot([row[1] for row in data], [row[column] for row in data], "o-", label=label)
    axes.set_xlabel("examples added")
    axes.set_ylabel("%")
    axes.legend()
