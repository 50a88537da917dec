"""The paper's plan: find blunders, add examples that show the right move, train again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludus import play_match
from ludus.datasets import parse_scored_positions
from ludus.games.backgammon import Backgammon, Position, Rules, to_position_id
from ludus.learn.gammon import (
    GammonNetwork,
    GammonTrainingConfig,
    load_training_positions,
    play_native_games,
)
from ludus.players import player
from ludus.protocol import score_position
from ludus.reproduce import (
    Conclusion,
    Context,
    Figure,
    Measurement,
    Table,
    compute_difference_interval,
)

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

    tool: Measurement
    """Games won against tool."""

    expert: Measurement

    num_blunders: int | None
    """Blunders in its games, which become examples of the next round; None in the last."""


def run(context: Context) -> Iterator[Any]:
    added: list[str] = []
    rounds: list[Round] = []
    last = context.setting("rounds")
    for number in range(last + 1):
        context.progress(number, last + 1, "rounds")
        file, test, won = _train_and_test(context, number, tuple(added))
        expert = context.matches(
            "backgammon",
            f"gammon:weights={file}",
            "gnubg",
            context.setting("expert_games"),
            rules="opening=first",
            key=f"round {number}",
        )
        name = "before repairs" if number == 0 else "forecast" if number == last else ""
        blunders = [] if number == last else _collect_examples(context, number, file)
        rounds.append(
            Round(
                len(added),
                test,
                Measurement.proportion(
                    f"{name}: games against tool", won, context.setting("tool_games")
                ),
                Measurement.proportion(
                    f"{name}: games against the expert", expert.wins[0], expert.games
                ),
                None if number == last else len(blunders),
            )
        )
        added += blunders
    for each in (rounds[0], rounds[-1]):
        yield each.tool
        yield each.expert
    for what in ("tool", "expert"):
        yield _conclude(what, getattr(rounds[0], what), getattr(rounds[-1], what))
    table = [
        [number, each.num_added, each.test, each.tool.value, each.expert.value, each.num_blunders]
        for number, each in enumerate(rounds)
    ]
    yield Table("Rounds of repairs", HEADINGS, [_round_cells(row) for row in table])
    yield Figure("Repairs", draw, table, "Games won after each round, and test positions.")


HEADINGS = (
    "round",
    "examples added",
    "test positions, %",
    "won against tool, %",
    "won against the expert, %",
    "blunders found",
)


def _round_cells(row: Sequence[Any]) -> list[Any]:
    return ["" if cell is None else round(cell, 1) for cell in row]


def _conclude(what: str, before: Measurement, after: Measurement) -> Conclusion:
    ends = [(each.low or 0.0, each.high or 100.0) for each in (after, before)]
    low, high = compute_difference_interval(after.value, ends[0], before.value, ends[1])
    return Conclusion(
        f"examples of its blunders make the network win more games against {what}",
        True if low > 0 else False if high < 0 else None,
        f"{before.value:.1f}% before, {after.value:.1f}% after, a difference of "
        f"{after.value - before.value:+.1f} ({low:+.1f} to {high:+.1f})",
    )


def _train_and_test(
    context: Context, number: int, added: tuple[str, ...]
) -> tuple[Path, float, int]:
    """Train on all positions with the added ones, and measure agreement and games against tool."""
    file = context.folder("networks") / f"round-{number}.npz"

    def compute() -> list[float]:
        examples = list(parse_scored_positions("\n".join(added)))
        positions = [*load_training_positions(), *examples * context.setting("copies")]
        settings = GammonTrainingConfig(cycles=context.setting("cycles"), seed=context.seed)
        network = train_on_positions(positions, settings)
        network.save(file)
        games, dice = context.setting("tool_games"), context.seed_for("tool", number)
        result = play_native_games(network, "tool", games, dice, context.jobs)
        return [100 * float(check_test_positions(network).mean()), sum(result.wins)]

    test, won = context.cached(f"round {number} with {len(added)} examples", compute)
    GammonNetwork.load(file)
    return file, test, int(won)


def _collect_examples(context: Context, number: int, file: Path) -> list[str]:
    """The blunders of some games against tool, as scored positions."""
    found: list[str] = []
    for game in range(context.setting("games")):
        context.progress(game, context.setting("games"), f"round {number}: judging games")

        def compute(game: int = game) -> list[str]:
            return _judge_game(context.seed_for("judged", number, game), game % 2, file)

        found += context.cached(f"blunders of round {number}, game {game}", compute)
    return list(dict.fromkeys(found))


def _judge_game(seed: int, own: int, file: Path) -> list[str]:
    game = Backgammon(Rules(opening="first"))
    players = [player(f"gammon:weights={file}", game), player("tool", game)]
    if own == 1:
        players.reverse()
    match = play_match(game, (players[0], players[1]), seed=seed)
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
