"""Hyperparameter search for the Fuzzy player with Optuna.

Each trial plays compiled games against one opponent, half of them begun by either side. Selection
from many noisy trials is biased upwards, so the best few play more games with other seeds, and
those decide.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus._native import patterns as native
from ludus.core.errors import BadSpec
from ludus.core.executors import TaskExecutor
from ludus.core.extras import require_package
from ludus.core.game import AnyGame
from ludus.core.spec import check_choice
from ludus.games import game as named_game
from ludus.learn.patterns.inference import FuzzySettings, build_policy
from ludus.learn.patterns.network import PatternNetwork
from ludus.learn.patterns.network_file import load_network as named_network
from ludus.learn.patterns.player import build_native_policy
from ludus.learn.patterns.train import HEURISTICS
from ludus.learn.tuning import open_study

if TYPE_CHECKING:
    import optuna

SEARCHED_PARAMETERS = (
    "k", "mutual", "wL", "wT", "wF", "wM", "rateThr", "moveThr", "passes", "take",
)  # fmt: skip

NUM_FINALISTS = 10
NUM_FINAL_GAMES = 20_000

ProgressCallback = Callable[[int, float], None]
"""Called with the number of finished trials and the best win rate so far."""


@dataclass(frozen=True, slots=True)
class PatternSearchConfig:
    """Settings of a hyperparameter search."""

    opponent: str = "focused"
    trials: int = 2000
    games: int = 2000
    """Games per trial."""

    network: str = "long"
    seed: int = 0
    threads: int = 2

    def __post_init__(self) -> None:
        check_choice("there is no heuristic", self.opponent, HEURISTICS)


@dataclass(frozen=True, slots=True)
class PatternSearchResult:
    """Settings with their number of wins."""

    settings: FuzzySettings
    wins: int
    games: int


GAMES_PER_BATCH = 1024
BATCH_FACTOR = 0xD1B54A32D192ED03
"""How compiled games are seeded: batch b of a seed is batch 0 of the seed xor b times this."""


class GameBatch(NamedTuple):
    """Some compiled games that have a generator of their own."""

    is_begun: bool
    """Whether the Fuzzy player begins."""

    games: int
    seed: int


@dataclass(frozen=True, slots=True)
class WinTask:
    """The task of counting the wins of settings in a batch of games, on one core."""

    rules: Any
    settings: FuzzySettings
    opponent: str

    def __call__(self, batch: GameBatch) -> int:
        fields, fuzzy = _prepare_games(self.rules, self.settings)
        side = 0 if batch.is_begun else 1
        first, second = (fuzzy, self.opponent) if side == 0 else (self.opponent, fuzzy)
        found = native.games(*fields, first, second, batch.games, batch.seed, 1)
        return found["wins"][side]


@lru_cache(maxsize=16)
def _prepare_games(
    rules: Any, settings: FuzzySettings
) -> tuple[tuple[Any, Any, Any, int], native.Fuzzy]:
    start = named_game("nine_mens_morris", rules).start()
    policy = build_policy(named_network(settings.network), settings)
    return (rules, start.bits, start.hands, start.mover), build_native_policy(rules, policy)


def split_games(half: int, seed: int) -> list[GameBatch]:
    """Return the batches of games in which either side begins, as compiled code splits them."""
    return [
        GameBatch(
            is_begun,
            min(GAMES_PER_BATCH, half - number * GAMES_PER_BATCH),
            (2 * seed + (not is_begun)) ^ (number * BATCH_FACTOR % 2**64),
        )
        for is_begun in (True, False)
        for number in range(-(-half // GAMES_PER_BATCH))
    ]


def measure_win_rate(
    game: AnyGame,
    network: PatternNetwork,
    settings: FuzzySettings,
    opponent: str,
    games: int,
    seed: int,
    threads: int,
) -> float:
    """Return the win rate of settings, with half of the games begun by either side."""
    half = games // 2
    return sum(_count_wins(game, network, settings, opponent, half, seed, threads)) / (2 * half)


def _count_wins(
    game: AnyGame,
    network: PatternNetwork,
    settings: FuzzySettings,
    opponent: str,
    half: int,
    seed: int,
    threads: int,
    executor: TaskExecutor | None = None,
) -> tuple[int, int]:
    """Return the wins among the games it begins, and among those the opponent begins."""
    fuzzy = build_native_policy(game.rules, build_policy(network, settings))
    if executor is not None:
        batches = split_games(half, seed)
        wins = list(executor.map(WinTask(game.rules, settings, opponent), batches))
        return sum(wins[: len(wins) // 2]), sum(wins[len(wins) // 2 :])
    start = game.start()
    fields = game.rules, start.bits, start.hands, start.mover
    begun = native.games(*fields, fuzzy, opponent, half, 2 * seed, threads)
    other = native.games(*fields, opponent, fuzzy, half, 2 * seed + 1, threads)
    return begun["wins"][0], other["wins"][1]


def search_settings(
    game: AnyGame,
    config: PatternSearchConfig,
    study_file: Path | None = None,
    report: ProgressCallback = lambda done, best: None,
    executor: TaskExecutor | None = None,
) -> PatternSearchResult:
    """Return the best settings of a search; with a study file the search resumes.

    With an executor its workers play the games, the same ones.
    """
    network = named_network(config.network)
    study = _open_study(game, config, study_file)

    def value(trial: "optuna.Trial") -> float:
        settings = replace(suggest_settings(trial), network=config.network)
        # The seed depends on the trial, so that no setting profits from one lucky seed throughout.
        seed = 1_000_000 * (config.seed + 1) + trial.number
        try:
            half = config.games // 2
            wins = _count_wins(
                game, network, settings, config.opponent, half, seed, config.threads, executor
            )
            return sum(wins) / (2 * half)
        except BadSpec:
            return 0.0  # scores out of range

    while (done := len(_finished_trials(study))) < config.trials:
        study.optimize(value, n_trials=1)
        report(done + 1, study.best_value)
    return _select_finalist(game, network, config, study, executor)


def suggest_settings(trial: Any) -> FuzzySettings:
    """Sample settings from the search space."""
    return FuzzySettings(
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


def _open_study(game: AnyGame, config: PatternSearchConfig, file: Path | None) -> "optuna.Study":
    require_package("optuna", "the search")
    from optuna.samplers import TPESampler

    # The preset `seed` comes first, with a random man taken.
    first = asdict(FuzzySettings(take="random"))
    return open_study(
        f"{config.opponent} {config.games} {config.network} {config.seed} {game.rules}",
        file,
        {name: first[name] for name in SEARCHED_PARAMETERS},
        sampler=TPESampler(seed=config.seed, n_startup_trials=config.trials // 8),
    )


def _finished_trials(study: "optuna.Study") -> list["optuna.trial.FrozenTrial"]:
    """Return the completed trials; interrupted ones do not count."""
    return [trial for trial in study.trials if trial.value is not None]


def _select_finalist(
    game: AnyGame,
    network: PatternNetwork,
    config: PatternSearchConfig,
    study: "optuna.Study",
    executor: TaskExecutor | None,
) -> PatternSearchResult:
    """Return the best of the finalists, by games with new seeds."""
    ranked = sorted(_finished_trials(study), key=lambda trial: -(trial.value or 0.0))
    found = []
    for number, trial in enumerate(ranked[:NUM_FINALISTS]):
        settings = FuzzySettings(**_round_parameters(trial.params), network=config.network)
        seed, half = 500_000 + number, NUM_FINAL_GAMES // 2
        wins = _count_wins(
            game, network, settings, config.opponent, half, seed, config.threads, executor
        )
        found.append(PatternSearchResult(settings, sum(wins), NUM_FINAL_GAMES))
    return max(found, key=lambda each: each.wins)


def _round_parameters(params: dict[str, Any]) -> dict[str, Any]:
    """Round to three significant digits, which is finer than the effect on play."""
    return {
        name: float(f"{value:.3g}") if isinstance(value, float) else value
        for name, value in params.items()
    }
