"""A search over the paper's parameters for the setting that wins most games.

Optuna proposes settings; each plays compiled games against one opponent, begun by either side
equally often. Of many settings that were tried on few games the one that looks best was also lucky,
so the best few play again, more games with other seeds, and that decides.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus._native import patterns as native
from ludus.core.errors import BadSpec, LudusError, UnknownName, quoted
from ludus.core.game import AnyGame
from ludus.core.spec import suggestion
from ludus.learn.patterns.compiled_games import HEURISTICS
from ludus.learn.patterns.network import Network
from ludus.learn.patterns.player import compiled
from ludus.learn.patterns.settings import Settings, knowledge
from ludus.learn.patterns.shipped import network as named_network

if TYPE_CHECKING:
    import optuna

SEARCHED = ("k", "mutual", "wL", "wT", "wF", "wM", "rateThr", "moveThr", "passes", "take")

FINALISTS = 10
FINAL_GAMES = 20_000

Report = Callable[[int, float], None]
"""Told how many trials are done, and the best share of wins so far."""


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched for."""

    opponent: str = "focused"
    trials: int = 2000
    games: int = 2000
    """For each trial."""

    network: str = "long"
    seed: int = 0
    threads: int = 2

    def __post_init__(self) -> None:
        if self.opponent not in HEURISTICS:
            hint = suggestion(self.opponent, HEURISTICS)
            raise UnknownName(f"there is no heuristic {quoted(self.opponent)}{hint}")


@dataclass(frozen=True, slots=True)
class Found:
    """A setting and how often it wins."""

    settings: Settings
    wins: int
    games: int


def share_of_wins(
    game: AnyGame,
    network: Network,
    settings: Settings,
    opponent: str,
    games: int,
    seed: int,
    threads: int,
) -> float:
    """The share of games that a setting wins, half of them begun by it."""
    half = games // 2
    return sum(_wins(game, network, settings, opponent, half, seed, threads)) / (2 * half)


def _wins(
    game: AnyGame,
    network: Network,
    settings: Settings,
    opponent: str,
    half: int,
    seed: int,
    threads: int,
) -> tuple[int, int]:
    """Games won among those it begins, and among those the opponent begins."""
    fuzzy = compiled(game.rules, knowledge(network, settings))
    start = game.start()
    fields = game.rules, start.bits, start.hands, start.mover
    begun = native.games(*fields, fuzzy, opponent, half, 2 * seed, threads)
    other = native.games(*fields, opponent, fuzzy, half, 2 * seed + 1, threads)
    return begun["wins"][0], other["wins"][1]


def search(
    game: AnyGame,
    plan: Search,
    study_file: Path | None = None,
    report: Report = lambda done, best: None,
) -> Found:
    """The best setting of a search; one with a file goes on where it stopped."""
    network = named_network(plan.network)
    study = _study(game, plan, study_file)

    def value(trial: "optuna.Trial") -> float:
        settings = replace(suggested(trial), network=plan.network)
        # Numbers of trials are seeds, so that luck with one of them does not stay.
        seed = 1_000_000 * (plan.seed + 1) + trial.number
        try:
            return share_of_wins(
                game, network, settings, plan.opponent, plan.games, seed, plan.threads
            )
        except BadSpec:
            return 0.0  # scores beyond all bounds

    while (done := len(_finished(study))) < plan.trials:
        study.optimize(value, n_trials=1)
        report(done + 1, study.best_value)
    return _final(game, network, plan, study)


def suggested(trial: Any) -> Settings:
    """The space that is searched."""
    return Settings(
        k=trial.suggest_float("k", 0.5, 10),
        mutual=trial.suggest_float("mutual", 0, 0.95),
        wL=trial.suggest_float("wL", 1, 100, log=True),
        wT=trial.suggest_float("wT", 0, 3),
        wF=trial.suggest_float("wF", 0, 20),
        wM=trial.suggest_float("wM", 0, 5),
        rateThr=trial.suggest_float("rateThr", 0.5, 200, log=True),
        moveThr=trial.suggest_float("moveThr", 0.5, 200, log=True),
        passes=trial.suggest_int("passes", 1, 8),
        take=trial.suggest_categorical("take", ["random", "share", "best"]),
    )


def _study(game: AnyGame, plan: Search, file: Path | None) -> "optuna.Study":
    try:
        import optuna
    except ImportError:
        raise LudusError("the search needs optuna: pip install 'ludus[learn]'") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    name = f"{plan.opponent} {plan.games} {plan.network} {plan.seed} {game.rules}"
    try:
        study = optuna.create_study(
            storage=None if file is None else f"sqlite:///{file}",
            study_name=name,
            load_if_exists=True,
            direction="maximize",
            sampler=optuna.samplers.TPESampler(seed=plan.seed, n_startup_trials=plan.trials // 8),
        )
    except Exception as error:  # whatever the database and its driver make of the file
        what = " ".join(str(error).split())[:120]
        raise LudusError(f"{quoted(str(file), 200)} cannot keep a search: {what}") from error
    if not study.trials:  # what the paper says comes first, with any man taken
        paper = asdict(Settings(take="random"))
        study.enqueue_trial({name: paper[name] for name in SEARCHED})
    return study


def _finished(study: "optuna.Study") -> list["optuna.trial.FrozenTrial"]:
    """The trials that were played to the end; one that was interrupted counts for nothing."""
    return [trial for trial in study.trials if trial.value is not None]


def _final(game: AnyGame, network: Network, plan: Search, study: "optuna.Study") -> Found:
    """The best of the finalists, by games that no trial has seen."""
    ranked = sorted(_finished(study), key=lambda trial: -(trial.value or 0.0))
    found = []
    for number, trial in enumerate(ranked[:FINALISTS]):
        settings = Settings(**_rounded(trial.params), network=plan.network)
        seed = 500_000 + number
        wins = _wins(game, network, settings, plan.opponent, FINAL_GAMES // 2, seed, plan.threads)
        found.append(Found(settings, sum(wins), FINAL_GAMES))
    return max(found, key=lambda each: each.wins)


def _rounded(params: dict[str, Any]) -> dict[str, Any]:
    """Numbers as people write them; three digits are more than play shows."""
    return {
        name: float(f"{value:.3g}") if isinstance(value, float) else value
        for name, value in params.items()
    }
