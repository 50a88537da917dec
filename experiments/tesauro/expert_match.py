"""The match of 20 games against an expert, and how a long one would end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ludus import play_game
from ludus.analysis import get_rating
from ludus.games.backgammon import Backgammon, Rules
from ludus.learn.gammon import GammonConfig, GammonNetwork, load_training_positions
from ludus.players import player
from ludus.reproduce import Context, Measurement, Remark

from .comparisons import judge_decisions
from .networks import train_on_positions

NETWORKS = {"459-48-1": (48,), "459-24-24-1": (24, 24)}
MATCH_NETWORK = "459-48-1"
SERIOUS = 0.16


def run(context: Context) -> Iterator[Any]:
    files = {name: _train(context, name) for name in NETWORKS}
    games = context.setting("games")
    played = []
    for number in range(games):
        context.progress(number, games, "games against the expert")

        def compute(number: int = number) -> dict[str, Any]:
            return _play_game(context, files[MATCH_NETWORK], number)

        played.append(context.cached(f"game {number}", compute))
    won = [each["won"] for each in played]
    is_clean = [each["serious"] == 0 for each in played]
    decisions = sum(each["decisions"] for each in played)
    loss = sum(each["loss"] for each in played) / max(1, decisions)
    yield _count_of_20("games won of 20", sum(won), games)
    yield _count_of_20("games of 20 without a serious mistake", sum(is_clean), games)
    yield Measurement(
        "loss a decision", 1000 * loss, count=decisions, unit="thousandths", note=get_rating(loss)
    )
    for name, file in files.items():
        tally = context.matches(
            "backgammon",
            f"gammon:weights={file}",
            "gnubg",
            context.setting("long_games"),
            rules="opening=first",
            key=name,
        )
        yield Measurement.proportion(
            f"{name}: games won in the long run", tally.wins[0], tally.games
        )
    clean_wins = sum(a and b for a, b in zip(won, is_clean, strict=True))
    yield Remark(
        f"Of the {sum(is_clean)} games without a serious mistake the network won {clean_wins}, of "
        f"the other {games - sum(is_clean)} it won {sum(won) - clean_wins}; in the paper 6 of 11 "
        "and 5 of 9."
    )


def _count_of_20(name: str, count: int, games: int) -> Measurement:
    """A count as if 20 games had been played, with its exact interval."""
    share = Measurement.proportion(name, count, games)
    low, high = (None if end is None else end / 5 for end in (share.low, share.high))
    return Measurement(name, share.value / 5, low, high, games, unit="games")


def _train(context: Context, name: str) -> Path:
    """The file of a network of this shape."""
    file = context.folder("networks") / f"{name}.npz"

    def compute() -> str:
        settings = GammonConfig(
            hidden=NETWORKS[name], cycles=context.setting("cycles"), seed=context.seed
        )
        train_on_positions(load_training_positions(), settings).save(file)
        return name

    context.cached(f"network {name}", compute)
    GammonNetwork.load(file)
    return file


def _play_game(context: Context, file: Path, number: int) -> dict[str, Any]:
    """Play a game against the expert and judge the network's decisions."""
    game = Backgammon(Rules(opening="first"))
    own = number % 2
    expert = player(f"gnubg:plies={context.setting('plies')}", game)
    players = [player(f"gammon:weights={file}", game), expert]
    if own == 1:
        players.reverse()
    match = play_game(game, (players[0], players[1]), seed=context.seed_for("game", number))
    decisions = judge_decisions(game, match.moves, own, context.setting("judge_plies"))
    losses = [each.cost for each in decisions]
    return {
        "won": match.outcome.winner == own,
        "decisions": len(losses),
        "loss": sum(losses),
        "serious": sum(loss >= SERIOUS for loss in losses),
    }
