"""The player `fuzzy`, its pictures, and whole games of fuzzy players in compiled code."""

import atexit
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ludus._native import patterns as native
from ludus.core.files import check_writable
from ludus.core.game import AnyGame
from ludus.core.marks import Marks, Note, Picture
from ludus.core.player import Choice, Limit, Player
from ludus.games.nine_mens_morris.board import POINTS
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.learn.patterns.inference import FuzzyOptions, FuzzyPolicy, build_policy, find_threats
from ludus.learn.patterns.network import (
    NUM_PLACES,
    QUADRANTS,
    QUADRANTS_OF_POINT,
    MatchObserver,
    encode_quadrant,
    format_bits,
)
from ludus.learn.patterns.network_file import load_network, save_network

if TYPE_CHECKING:
    from ludus.games.nine_mens_morris.board import Move

QUADRANT_NAMES = ("top", "right", "bottom", "left")
"""Names of the quadrants by index."""

DANGER_COLOUR = 3

MIN_PROBABILITY = 0.005
"""Minimum probability that is shown."""

MAX_THREATS = 5
"""Maximum number of threats shown, the largest first."""


def make_probability_picture(probabilities: Mapping["Move", float]) -> Picture:
    """Return a picture of the probability of each target point."""
    heat: dict[str, float] = {}
    for move, probability in probabilities.items():
        if move.to is not None:
            heat[POINTS[move.to]] = heat.get(POINTS[move.to], 0.0) + probability
    return Picture(
        "Chances",
        Marks(
            heat={
                point: probability
                for point, probability in heat.items()
                if probability >= MIN_PROBABILITY
            }
        ),
        "How likely it was to go to each point, in percent, before chance decided.",
    )


def make_pattern_pictures(
    position: MorrisPosition, move: "Move", policy: FuzzyPolicy
) -> Iterator[Picture]:
    """Yield a picture of the pattern, with its score, that a move makes in each quadrant."""
    if move.to is None:
        return
    before = position.bits[position.mover]
    after = before | 1 << move.to
    if move.frm is not None:
        after &= ~(1 << move.frm)
    for quadrant in QUADRANTS_OF_POINT[move.to]:
        old, new = encode_quadrant(before, quadrant), encode_quadrant(after, quadrant)
        points = [POINTS[point] for point in QUADRANTS[quadrant]]
        men = [name for place, name in enumerate(points) if new >> (NUM_PLACES - 1 - place) & 1]
        score = format_score(policy.scores[new])
        was = f"it was {format_score(policy.scores[old])}"
        made = "" if (old, new) in policy.edges else ", but it has not seen this move often enough"
        yield Picture(
            f"Pattern at the {QUADRANT_NAMES[quadrant]}",
            Marks(points=dict.fromkeys(men, "selected")),
            f"Pattern {new} ({format_bits(new)}) has the score {score}; {was}{made}.",
            (Note((POINTS[move.to],), score),),
            (*(tuple(points[row : row + 3]) for row in (0, 3, 6)), tuple(points[1::3])),
        )


def make_threat_picture(position: MorrisPosition, policy: FuzzyPolicy) -> Picture | None:
    """Return a picture of the points that the other side threatens; None if there are none."""
    found = find_threats(position, policy) if policy.blocks_threats else {}
    if not found:
        return None
    worst = sorted(found.items(), key=lambda item: -item[1])[:MAX_THREATS]
    return Picture(
        "What it fears",
        text="Where the other side could make a much better pattern, and the score of that.",
        notes=tuple(
            Note((POINTS[point],), format_score(score), colour=DANGER_COLOUR)
            for point, score in worst
        ),
    )


def format_score(score: float) -> str:
    """Format a score in few characters; scores are powers and may be large.

    >>> [format_score(score) for score in (1, 8.25, 430, 21_500, 3_400_000, 7.1e12)]
    ['1.0', '8.2', '430', '22k', '3.4M', '7e12']
    """
    if score < 100:
        return f"{score:.1f}"
    if score < 1000:
        return f"{score:.0f}"
    for unit, letter in ((1e6, "k"), (1e9, "M")):
        if score < unit:
            small = score / (unit / 1000)
            return f"{small:.{0 if small >= 10 else 1}f}{letter}"
    return f"{score:.0e}".replace("e+0", "e").replace("e+", "e")


class FuzzyPlayer(Player):
    """Samples moves in proportion to their scores in a network of board patterns."""

    title: ClassVar[str] = "draws moves by the scores of a network of board patterns it has learned"
    options: ClassVar[FuzzyOptions] = FuzzyOptions()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        self._settings = settings.to_settings()
        self._choice: Choice | None = None
        self.network = load_network(self._settings.network)
        self._use_network()
        mutual = self._settings.mutual
        self._observer = MatchObserver(self.network, self._settings.weights, mutual)
        if settings.save:
            check_writable(Path(settings.save))
            atexit.register(self._end_match)  # the last match of a process has no next one

    def start_game(self, seed: int) -> None:
        super().start_game(seed)
        self._end_match()

    def choose(self, position: MorrisPosition, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        choice = self._choice = self._sample_choice(position)
        if self.settings.learn:
            self._observer.observe(position, choice.move)
            if self._observer.is_over:
                self._end_match()
        return choice

    def pictures(self, position: MorrisPosition) -> list[Picture]:
        """Return move probabilities, the patterns of the chosen move, and the threats."""
        if self._choice is None or not self._choice.scores:
            return []
        policy, move = self.policy, self._choice.move
        threats = make_threat_picture(position, policy)
        return [
            make_probability_picture(self._choice.scores),
            *make_pattern_pictures(position, move, policy),
            *([threats] if threats is not None else []),
        ]

    def _end_match(self) -> None:
        """Train on the finished match, use the new scores, and save the network."""
        if self._observer.finish():
            self._use_network()
            if self.settings.save:
                save_network(self.network, Path(self.settings.save))

    def native_twin(self) -> native.Fuzzy | None:
        """Return the compiled policy, unless the player learns during a game."""
        return None if self.settings.learn else self.native_policy

    def _sample_choice(self, position: MorrisPosition) -> Choice:
        moves = position.legal_moves()
        weights = self.native_policy.weights(position.bits, position.hands, position.mover)
        if not weights:
            return Choice(moves[0], "cannot move")
        move = self.random.choices(moves, weights)[0]
        total = sum(weights)
        probabilities = {each: weight / total for each, weight in zip(moves, weights, strict=True)}
        return Choice(
            move,
            f"chosen with {probabilities[move]:.0%} probability among {len(moves)} moves"
            if len(moves) > 1
            else "has no choice",
            probabilities,
        )

    def _use_network(self) -> None:
        """Rebuild the policy from the network."""
        self.policy = build_policy(self.network, self._settings)
        self.native_policy = build_native_policy(self.game.rules, self.policy)


def build_native_policy(rules: Any, policy: FuzzyPolicy) -> native.Fuzzy:
    """Build the compiled twin of `compute_move_weights` for positions under these rules."""
    return native.Fuzzy(
        rules,
        policy.scores,
        sorted(policy.edges),
        None if policy.threat_edges is None else sorted(policy.threat_edges),
        policy.rate_threshold,
        policy.move_threshold,
        policy.scores_corner_moves,
        policy.scores_left_quadrants,
        policy.blocks_threats,
        policy.capture_rule,
    )
