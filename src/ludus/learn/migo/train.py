"""Training of MIGO: games against an opponent, or of the learner with itself."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal

from ludus.core.errors import BadSpec, quote
from ludus.core.game import AnyGame, Move, Position
from ludus.learn.checkpoint import TrainingState, dump_random, load_random
from ludus.learn.config import argument_field
from ludus.learn.episodes import (
    Episode,
    EpisodeConfig,
    EpisodeTraining,
    Learner,
    PerfectOpponent,
    play_episode,
)
from ludus.learn.migo.games import StateGraph, find_move, find_target_game, format_game_spec
from ludus.learn.migo.learner import MigoOptions, StrategyLearner
from ludus.learn.migo.program import Program, SavedProgram, load_program
from ludus.learn.migo.simplify import simplify
from ludus.learn.training import Clock, Training


class StartSelector:
    """Chooses start positions from which a game is likely to change the program.

    It avoids positions known to be won, and those from which recent games changed nothing. After as
    many successive games without change as there are positions, it chooses at random again.
    """

    def __init__(self) -> None:
        self._games: Counter[Position] = Counter()
        self._num_updates: Counter[Position] = Counter()
        self._num_unproductive = 0

    def record(self, start: Position, has_changed: bool) -> None:
        """Record a game and whether it changed the program."""
        self._games[start] += 1
        self._num_updates[start] += has_changed
        self._num_unproductive = 0 if has_changed else self._num_unproductive + 1

    def select(
        self,
        starts: Sequence[Position],
        source: Random,
        is_known: Callable[[Position], bool],
        utility: Callable[[Position], float] | None = None,
    ) -> Position:
        """Return the start not known to be won with the highest utility; ties are broken at random.

        The utility is by default the expected rate of updates.
        """
        if self._num_unproductive >= len(starts):
            return source.choice(starts)
        open_starts = [start for start in starts if not is_known(start)] or starts
        utilities = list(map(utility or self._expected_update_rate, open_starts))
        most = max(utilities)
        return source.choice(
            [start for start, each in zip(open_starts, utilities, strict=True) if each == most]
        )

    def _expected_update_rate(self, start: Position) -> float:
        """Return the probability that a game changes the program, by the rule of succession."""
        return (self._num_updates[start] + 1) / (self._games[start] + 2)

    def state(self) -> dict[str, Any]:
        """Return the counts, by the texts of the positions."""
        games = [[str(each), self._games[each], self._num_updates[each]] for each in self._games]
        return {"games": games, "unproductive": self._num_unproductive}

    def load(self, state: Mapping[str, Any], game: AnyGame) -> None:
        """Take over the counts of `state`."""
        for text, games, updates in state["games"]:
            self._games[game.parse(text)] = games
            self._num_updates[game.parse(text)] = updates
        self._num_unproductive = state["unproductive"]


class MigoLearner(Learner):
    """Learns strategies as logic programs from the games it plays."""

    system = "migo"
    Options = MigoOptions

    def __init__(self, game: AnyGame, options: Any = None, spec: str = "") -> None:
        super().__init__(game, options, spec)
        graph = StateGraph(is_memoized=self.options.memo != "no")
        self.strategy_learner = StrategyLearner(graph, self.options, game)
        if self.options.program:
            self.strategy_learner.transfer(load_program(Path(self.options.program)).program)
        self._start_selector = StartSelector()

    @property
    def program(self) -> Program:
        """The current program."""
        return self.strategy_learner.program

    def transfer(self, earlier: Learner) -> None:
        if not isinstance(earlier, MigoLearner):
            raise BadSpec(f"{quote(earlier.name)} has learned no program")
        self.strategy_learner.transfer(earlier.program)

    def list_rules(self) -> list[str]:
        return [str(clause) for clause in self.program.clauses]

    def train_episode(self, start: Position, opponent: PerfectOpponent) -> Episode:
        strategy_learner, graph = self.strategy_learner, self.strategy_learner.reasoner.graph

        def choose(position: Position) -> Move:
            after = strategy_learner.choose(graph.state_id(position), self.random)
            return find_move(position, graph.states[after])

        before = strategy_learner.learned
        if self.options.selfplay:
            practice = strategy_learner.play_self(graph.state_id(start), self.random)
            if practice is not None:
                strategy_learner.learn(*practice)
        played = play_episode(start, choose, opponent)
        if not self.options.selfplay:
            strategy_learner.learn(
                [graph.state_id(each) for each in played.positions], played.score
            )
        self._start_selector.record(start, strategy_learner.learned != before)
        return played

    def select_start(self, starts: Sequence[Position], source: Random) -> Position:
        if not (self.options.active or self.options.gain):
            return super().select_start(starts, source)
        learner, graph = self.strategy_learner, self.strategy_learner.reasoner.graph

        def expected_information(start: Position) -> float:
            return learner.expected_information(graph.state_id(start))

        return self._start_selector.select(
            starts,
            source,
            lambda start: learner.has_known_win(graph.state_id(start)),
            expected_information if self.options.gain else None,
        )

    def summary(self) -> str:
        return f"{len(self.program.clauses)} clauses"

    def state(self) -> TrainingState:
        return TrainingState(
            {"strategy": self.strategy_learner.state(), "starts": self._start_selector.state()}
        )

    def load(self, state: TrainingState) -> None:
        self.strategy_learner.load(
            state.facts["strategy"], lambda texts: list(map(self.game.parse, texts))
        )
        self._start_selector.load(state.facts["starts"], self.game)

    def init_from(self, file: Path) -> None:
        self.strategy_learner.transfer(load_program(file).program)

    def export(self, training_run: Mapping[str, Any]) -> SavedProgram:
        return SavedProgram(simplify(self.program), format_game_spec(self.game))


class MigoConfig(EpisodeConfig, MigoOptions):
    """Configuration of MIGO."""

    game: str = argument_field("noughts_and_crosses")
    """A game, connect_three, or a Python file with start, move, won and drawn."""

    mode: Literal["faithful", "improved"] = "improved"
    """As published, with both defects (faithful); or with switches that mend them (improved)."""


class MigoTraining(EpisodeTraining):
    """Learn rules from games against a perfect opponent, or by self-play."""

    Config = MigoConfig
    learner_class = MigoLearner
    config: MigoConfig

    def __init__(self, config: MigoConfig, **replaced: Any) -> None:
        self.target = find_target_game(config.game, config.rules)
        self.is_unopposed = config.selfplay or self.target.game is None
        if self.is_unopposed:
            Training.__init__(self, config)
            options = MigoOptions.parse(
                {name: getattr(config, name) for name in MigoOptions.model_fields}
                | {"selfplay": True}
            )
            self.strategy_learner = StrategyLearner(self.target.graph, options, self.target.game)
            if options.program:
                self.init_from(Path(options.program))
            self._source = Random(config.seed)
            self.max_steps = config.games
            self._num_examples: list[bool] = []
            self.regrets: list[int] = []
        else:
            super().__init__(config, **replaced)
            self.strategy_learner = self.learner.strategy_learner  # type: ignore[attr-defined]
        self.title = f"migo {self.target.name}"

    def step(self, clock: Clock) -> None:
        """Play a game and learn from it."""
        if not self.is_unopposed:
            super().step(clock)
            return
        learner, graph = self.strategy_learner, self.target.graph
        start = graph.state_id(self._source.choice(self.target.start_states))
        practice = learner.play_self(start, self._source)
        if practice is not None:
            learner.learn(*practice)
        self._num_examples.append(practice is not None)

    def metrics(self) -> dict[str, float]:
        if not self.is_unopposed:
            return super().metrics()
        new, self._num_examples = self._num_examples, []
        return {"games with an example": sum(new) / len(new)}

    def state(self) -> TrainingState:
        if not self.is_unopposed:
            return super().state()
        return TrainingState(
            {"strategy": self.strategy_learner.state(), "source": dump_random(self._source)}
        )

    def load(self, state: TrainingState) -> None:
        if not self.is_unopposed:
            super().load(state)
            return
        self.strategy_learner.load(state.facts["strategy"], self.target.parse_many)
        load_random(self._source, state.facts["source"])

    def init_from(self, file: Path) -> None:
        self.strategy_learner.transfer(load_program(file).program)

    def export(self) -> SavedProgram:
        return SavedProgram(simplify(self.strategy_learner.program), self.target.name)

    def report(self) -> dict[str, Any]:
        return {
            "game": self.target.name,
            "games": self.config.games,
            "seed": self.config.seed,
            "regret": None if self.is_unopposed else self.regrets,
            "program": [str(each) for each in self.export().program.clauses],
        }

    def describe(self, report: Mapping[str, Any]) -> str:
        program = str(self.export()) if report["out"] is None else ""
        games, total = len(self.regrets), sum(self.regrets)
        regret = f"% regret while learning {total} in {games} games; other seeds differ much"
        return f"{program}{'' if self.is_unopposed else regret}".rstrip("\n")
