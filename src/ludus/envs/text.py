"""Games as text for language models, with an exact reward for every move."""

import random
import string
import threading
from functools import lru_cache
from itertools import islice
from typing import Any, Literal, get_args

import gymnasium
from gymnasium import spaces

from ludus.analysis import Analyst, PositionAnalysis
from ludus.core.errors import BadMove, BadPosition, BadSpec, LudusError
from ludus.core.game import CHANCE, AnyGame, Move, Position
from ludus.core.match import MAX_PLIES
from ludus.core.player import Limit, Player
from ludus.core.spec import check_choice, check_range
from ludus.envs.environments import OpponentEnv, SideOption
from ludus.envs.episode import OracleOption
from ludus.games.presentation import VARIANTS, Presentation, Variant

ILLEGAL_COST = 2.0
"""Points that an answer costs which names no legal move: as much as to lose a won game."""

StartOption = Literal["start", "puzzles"]
"""Where games begin: at their start, or at random positions in which some move is a mistake."""

START_OPTIONS: tuple[str, ...] = get_args(StartOption)

RewardOption = Literal["regret", "outcome"]
"""Minus the points that each move gives away, or the points of the game at its end."""

REWARD_OPTIONS: tuple[str, ...] = get_args(RewardOption)

MAX_TEXT = 100_000
"""Length of an observation and of an answer."""

CHARSET = frozenset(string.printable + "·–’●○×─│┌┐└┘├┤┬┴┼…≤≥")

MAX_SEARCHED = 10_000
"""Random positions among which one is looked for that is a puzzle."""


class TextEnv(gymnasium.Env[str, str]):
    """A game against a player as text: what the agent reads, and an answer with its move.

    The first observation has the rules, the board and the legal moves; later ones have what the
    opponent answered. A move stands in `<move>…</move>`, or alone in the last line of an answer.

    The reward is minus the points that the move gives away, compared with perfect play: 0 for a
    best move, -1 for one that turns a win into a draw. Where no exact value is known, a player's
    evaluation takes its place if `estimates` allow that, and `info["certainty"]` says so. An answer
    that names no legal move costs ILLEGAL_COST and loses the game.

    `variant` shows the game as it is known (`plain`), under a random symmetry (`turned`), or with
    other names of places, sides and men as well (`renamed`). `start="puzzles"` begins at a random
    position in which some move is a mistake; `moves=1` makes each of them an episode.

    >>> env = TextEnv("hexapawn", opponent="perfect", side=0)
    >>> text, info = env.reset(seed=1)
    >>> print(text.splitlines()[-2])
    Legal moves: a1-a2, b1-b2, c1-c2
    >>> text, reward, terminated, truncated, info = env.step("I move <move>a1-a2</move>")
    >>> reward, terminated
    (0.0, False)
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        game: AnyGame | str,
        opponent: Player | str = "random",
        *,
        rules: Any = "",
        side: SideOption = "alternate",
        limit: Limit = Limit(),  # noqa: B008 - frozen
        oracle: OracleOption = "auto",
        variant: Variant = "plain",
        start: StartOption = "start",
        moves: int = MAX_PLIES,
        reward: RewardOption = "regret",
        estimates: bool = True,
        feedback: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Play a game; `moves` of the agent at most.

        With `feedback` the text says what each move gave away.
        """
        check_choice("there is no variant", variant, VARIANTS, BadSpec)
        check_choice("there is no start", start, START_OPTIONS, BadSpec)
        check_choice("there is no reward", reward, REWARD_OPTIONS, BadSpec)
        check_range("TextEnv moves", moves, 1, MAX_PLIES)
        self._env = OpponentEnv(game, opponent, rules=rules, side=side, limit=limit, oracle=oracle)
        self.episode = self._env.episode
        self.render_mode = render_mode
        self.observation_space = spaces.Text(MAX_TEXT, charset=CHARSET)
        self.action_space = spaces.Text(MAX_TEXT, min_length=0, charset=CHARSET)
        self.game = self._env.game
        self.variant, self.start_option, self.max_moves = variant, start, moves
        self.reward_option, self.has_estimates, self.has_feedback = reward, estimates, feedback
        self.presentation = Presentation(self.game)
        self.num_moves = 0

    @property
    def position(self) -> Position:
        """The position in which the agent is to move, or in which the game ended."""
        return self.episode.position

    @property
    def side(self) -> int:
        """The agent's side."""
        return self._env.side

    @property
    def is_over(self) -> bool:
        """Whether the game has ended or was broken off."""
        return self.episode.is_over or self.num_moves >= self.max_moves

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Start a new game; the seed determines dice, opponent, names and, of puzzles, the start.

        Options are `side`, `variant`, `presentation` (a `Presentation`) and `position`.
        """
        super().reset(seed=seed)
        given = dict(options or {})
        if seed is None:
            seed = int(self.np_random.integers(2**62))
        shown: Presentation | None = given.pop("presentation", None)
        variant = given.pop("variant", self.variant)
        self.presentation = shown or Presentation.draw(self.game, variant, seed)
        if self.start_option == "puzzles" and "position" not in given:
            given["position"] = self._find_puzzle(random.Random(seed))
        if (position := given.get("position")) is not None:
            if (outcome := position.outcome()) is not None:
                raise BadPosition(f"the game is over in {position}: {outcome}")
            given.setdefault("side", self.game.turn(position))
        self._env.reset(seed=seed, options=given)
        self.num_moves = 0
        return self._introduce(), self._describe_state()

    def _find_puzzle(self, source: random.Random) -> Any:
        """Return a random position with a choice, of which a move is a mistake if that is known.

        Three of four are passed over: most first ones would be near the start.
        """
        judge = self.episode.judge
        for position in islice(self.game.puzzle_positions(source, judge.is_solved), MAX_SEARCHED):
            if position.mover == CHANCE or position.outcome() is not None or source.random() < 0.75:
                continue
            oracle = judge.oracle
            if oracle is None or not oracle.has_value(position):
                if self.has_estimates and len(position.legal_moves()) > 1:
                    return position
            elif oracle.verdict(position).is_critical:
                return position
        raise BadSpec(f"there seems to be no puzzle in {self.game.id}")

    def step(self, answer: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play the move of an answer, and let the opponent play until the agent is to move."""
        position = self.position
        if self.is_over:
            raise gymnasium.error.ResetNeeded("no game is played; call reset()")
        self.num_moves += 1
        try:
            move = self.presentation.parse_answer(answer, position)
        except BadMove as error:
            return self._lose(error)
        first = len(self.episode.played)
        regret: float | None = None
        points, has_ended, is_truncated = 0.0, False, False
        for action in self.episode.coding.encode_move(position, move):
            _, points, has_ended, is_truncated, info = self._env.step(action)
            regret = info.get("regret")
        loss, certainty = (
            (regret, "exact") if regret is not None else self._estimate(position, move)
        )
        reward = points if self.reward_option == "outcome" else -(loss or 0.0) + 0.0
        found = {"move": str(move), "loss": loss, "certainty": certainty, "is_illegal": False}
        turns = self._describe_turns(first, loss if self.has_feedback else None)
        return (
            "\n".join([*turns, self._describe_position()]),
            reward,
            has_ended,
            is_truncated or (not has_ended and self.num_moves >= self.max_moves),
            self._describe_state() | found,
        )

    def _lose(self, error: BadMove) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """End the game after an answer that names no legal move."""
        _, points, *_ = self._env.step(-1)
        reward = points if self.reward_option == "outcome" else -ILLEGAL_COST
        found = {"move": "", "loss": ILLEGAL_COST, "certainty": "exact", "is_illegal": True}
        text = f"{error}. This loses the game."
        return text, reward, True, False, self._describe_state() | found

    def _estimate(self, position: Position, move: Move) -> tuple[float | None, str]:
        """Return the points that a move gives away by a player's evaluation, and how certain."""
        if not self.has_estimates:
            return None, ""
        try:
            analysis = analyse_position(self.game, position, move)
        except LudusError:
            return None, ""
        certainty = {analysis.best.evaluation.certainty, analysis.find(move).evaluation.certainty}
        return analysis.cost(move), certainty.pop() if len(certainty) == 1 else "estimate"

    def _introduce(self) -> str:
        """Return the rules, what happened before the agent's first move, and the position."""
        shown, side = self.presentation, self._env.side
        you, other = shown.sides[side], shown.sides[1 - side]
        return "\n".join(
            [
                f"{shown.title}. You are {you} and play against {other}.",
                "",
                "Rules:",
                shown.rules(),
                "",
                *self._describe_turns(0, None),
                self._describe_position(),
            ]
        )

    def _describe_turns(self, first: int, loss: float | None) -> list[str]:
        """Describe the moves since a ply, and what the agent's own has given away."""
        shown, lines = self.presentation, []
        for position, move in self.episode.played[first:]:
            is_own = position.mover == self.side
            name = "You" if is_own else shown.sides[position.mover].capitalize()
            roll = self.game.dice(position)
            rolled = f" rolled {roll[0]} {roll[1]} and" if roll is not None else ""
            cost = f", which gives away {loss:.3g} points" if is_own and loss else ""
            lines.append(f"{name}{rolled} played {shown.format_move(move)}{cost}.")
        return lines

    def _describe_position(self) -> str:
        shown, episode = self.presentation, self.episode
        board = shown.describe(episode.position)
        if episode.is_over:
            return board
        return "\n".join(
            [
                board,
                "",
                shown.describe_moves(episode.position),
                "End your answer with your move between <move> and </move>.",
            ]
        )

    def render(self) -> str | None:
        """Return the position as the agent sees it."""
        return self.presentation.describe(self.position) if self.render_mode else None

    def _describe_state(self) -> dict[str, Any]:
        """Return the info of every step."""
        episode, shown = self.episode, self.presentation
        info: dict[str, Any] = {
            "side": self._env.side,
            "symmetry": shown.symmetry,
            "legal_moves": [] if episode.is_over else shown.list_moves(episode.position),
        }
        if episode.outcome is not None:
            info["outcome"] = episode.outcome.score(self._env.side)
            info["reason"] = episode.outcome.reason
        return info


_analysis = threading.Lock()


def analyse_position(
    game: AnyGame, position: Position, played: Move | None = None
) -> PositionAnalysis:
    """Evaluate the moves of a position by an analyst that all environments of a game share."""
    with _analysis:
        analyst = _load_analyst(type(game), game.rules, game.engine)
        return analyst.evaluate([position], [played])[0]


@lru_cache(maxsize=8)
def _load_analyst(kind: type[AnyGame], rules: Any, engine: str) -> Analyst:
    return Analyst(kind(rules, engine))


class ToolEnv:
    """A TextEnv in the form of TRL's `environment_factory`: public methods are the model's tools.

    `GRPOTrainer(…, environment_factory=lambda: ToolEnv("hexapawn", opponent="perfect"))` plays a
    game in each rollout; `get_reward` is the sum of its rewards.

    >>> env = ToolEnv("hexapawn", opponent="perfect", side=0)
    >>> "You are white" in env.reset(seed=1)
    True
    >>> print(env.play_move("a1-a2").splitlines()[0])
    You played a1-a2.
    """

    def __init__(
        self, game: AnyGame | str, opponent: Player | str = "random", **options: Any
    ) -> None:
        """Play a game with the options of TextEnv."""
        self._env = TextEnv(game, opponent, **options)
        self._total = 0.0

    def reset(self, seed: int | None = None, **columns: Any) -> str:
        """Start a new game, of the seed if the dataset has a column `seed`; return its rules."""
        self._total = 0.0
        return self._env.reset(seed=seed)[0]

    def play_move(self, move: str) -> str:
        """Play a move; the opponent's answer and the new position are returned.

        Args:
            move: One of the legal moves, as it is listed.

        Returns:
            The moves played, and the position, or how the game ended.
        """
        if self._env.is_over:
            return "The game is over."
        text, reward, *_ = self._env.step(move)
        self._total += reward
        return text

    def get_reward(self) -> float:
        """Return the sum of the rewards of this game; to leave it costs ILLEGAL_COST.

        Otherwise a model that plays no move would give nothing away.
        """
        return self._total if self._env.is_over else self._total - ILLEGAL_COST
