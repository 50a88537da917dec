"""The player `scholar`: moves selected by the scorer or by the chain of networks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.core.marks import Marks, Picture
from ludus.core.player import Choice, Limit, Player
from ludus.games.nine_mens_morris.board import POINTS, Move
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.scholar import inference
from ludus.learn.scholar.explain import MIN_CERTAIN_SCORE, describe_evaluation, make_score_picture
from ludus.learn.scholar.inference import (
    DRAW_CLASS,
    LOSS_AVERSION,
    LOSS_CLASS,
    MAX_LOSS_AVERSION,
    NO_POINT,
    RESULT_NAMES,
    WIN_CLASS,
    Chain,
    MoveProbabilities,
    Scorer,
    ScorerOutput,
    pack_positions,
    penalize_length,
    utility,
)

FloatArray = NDArray[np.float32]

SCORER_PARTS = (
    ("to", "where a man goes"),
    ("frm", "which man moves"),
    ("take", "which man is taken"),
)
"""Parts of a move and what they mean."""

REPETITION = "repetition"
"""Outcome reason of the rules for a repeated position."""


class ScorerPolicy:
    """Policy that evaluates the position after each legal move and plays the best."""

    def __init__(self, scorer: Scorer, care: float) -> None:
        self._scorer, self._care = scorer, care

    def choices(self, positions: Sequence[Any]) -> list[Choice]:
        moves = [position.legal_moves() for position in positions]
        children = [
            position.play(move)
            for position, its_moves in zip(positions, moves, strict=True)
            for move in its_moves
        ]
        chances, plies = self._judged(children)
        ends = accumulate((len(its_moves) for its_moves in moves), initial=0)
        return [
            self._choice(its_moves, children[first:last], chances[first:last], plies[first:last])
            for its_moves, (first, last) in zip(moves, pairwise(ends), strict=True)
        ]

    def _choice(
        self, moves: Sequence[Move], children: Sequence[Any], chances: FloatArray, plies: FloatArray
    ) -> Choice:
        scores = penalize_length(utility(chances, self._care), plies)
        best = int(scores.argmax())
        # An opponent that can repeat a position turns a win into a draw; drawn positions are
        # unaffected.
        while scores[best] > 1 - MIN_CERTAIN_SCORE and has_repeating_move(children[best]):
            scores[best] = 0
            best = int(scores.argmax())
        words = describe_evaluation(
            best, utility(chances, care=1.0), float(chances[best, WIN_CLASS]), plies[best]
        )
        return Choice(moves[best], words, dict(zip(moves, scores.tolist(), strict=True)))

    def pictures(self, position: Any) -> list[Picture]:
        """Draw the best score of each point for each part of a move."""
        scores = self.choices([position])[0].scores
        pictures = []
        for part, meaning in SCORER_PARTS:
            best: dict[str, float] = {}
            for move, score in scores.items():
                if (point := getattr(move, part)) is not None:
                    best[POINTS[point]] = max(score, best.get(POINTS[point], -1.0))
            if best:
                pictures.append(make_score_picture(meaning, best))
        return pictures

    def _judged(self, children: Sequence[Any]) -> ScorerOutput:
        """Return the predicted result of each position for its mover, exact if the game is over."""
        found = ScorerOutput(
            np.zeros((len(children), len(RESULT_NAMES)), dtype=np.float32),
            np.zeros((len(children), 2), dtype=np.float32),
        )
        asked = []
        for number, child in enumerate(children):
            outcome = child.outcome()
            if outcome is None:
                asked.append(number)
            elif outcome.winner is None:
                found.chances[number, DRAW_CLASS] = 1
            else:
                found.chances[
                    number, WIN_CLASS if outcome.winner == child.mover else LOSS_CLASS
                ] = 1
        if asked:
            said = self._scorer.judged(pack_positions([children[each] for each in asked]))
            found.chances[asked], found.plies[asked] = said
        return found


def has_repeating_move(position: Any) -> bool:
    """Return whether some move repeats an earlier position, which is a draw."""
    if position.outcome() is not None or position.hands[position.mover]:
        return False
    ends = (position.play(move).outcome() for move in position.legal_moves())
    return any(end is not None and end.reason == REPETITION for end in ends)


DecodingRule = Literal["parts", "joint"]

PART_NAMES = ("TO", "FROM", "REMOVE")
PART_MEANINGS = ("where a man goes", "which man moves", "which man is taken")
ABSENT_PART_NAMES = ("nowhere", "the hand", "nobody")
"""Names of an absent part."""


class ChainDecision(NamedTuple):
    """Decision of the chain in one position."""

    parts: NDArray[np.int64]
    """Shape (3,): the points of the move, or NO_POINT."""

    chances: list[float]
    """Probability of each part."""

    changed: tuple[int, ...]
    """Parts whose likeliest choice was not legal."""

    scores: dict[Move, float]
    """Joint probability of every legal move."""

    @property
    def move(self) -> Move:
        to, frm, take = (None if part == NO_POINT else part for part in self.parts.tolist())
        return Move(frm, to, take)

    def told(self) -> str:
        """Describe the decision in one sentence."""
        said = (
            f"{name} {_point_name(int(part), ABSENT_PART_NAMES[number])} {chance:.0%}"
            for number, (name, part, chance) in enumerate(
                zip(PART_NAMES, self.parts, self.chances, strict=True)
            )
        )
        refused = " and ".join(PART_NAMES[part] for part in self.changed)
        return ", ".join(said) + (f"; the check has changed {refused}" if refused else "")


class ChainPolicy:
    """Policy that chooses TO, FROM and REMOVE in turn, with or without masking illegal choices."""

    def __init__(self, chain: Chain, has_check: bool = True, rule: DecodingRule = "parts") -> None:
        self._chain = chain
        self._has_check = has_check
        self._rule = rule

    def choices(self, positions: Sequence[Any]) -> list[Choice]:
        return [Choice(each.move, each.told(), each.scores) for each in self._decisions(positions)]

    def pictures(self, position: Any) -> list[Picture]:
        """Draw the probability of each point as a part of the move, given the parts before it."""
        decision = self._decisions([position])[0]
        said = self._chain.said(pack_positions([position]), decision.parts[None])[0]
        return [
            _make_part_picture(decision, part, chances)
            for part, chances in enumerate(said.tolist())
        ]

    def _decisions(self, positions: Sequence[Any]) -> list[ChainDecision]:
        seen = pack_positions(positions)
        moves = [position.legal_moves() for position in positions]
        ends = [0, *accumulate(map(len, moves))]
        owner = np.repeat(np.arange(len(moves)), [len(each) for each in moves])
        parts = np.array([_split_move(move) for each in moves for move in each]).reshape(-1, 3)
        ranked = self._chain.ranked(seen, owner, parts)
        found = [
            _select_legal_move(its_moves, parts[first:end], ranked.some(first, end), self._rule)
            for its_moves, (first, end) in zip(moves, pairwise(ends), strict=True)
        ]
        return found if self._has_check else self._unchecked(seen, found)

    def _unchecked(self, seen: Any, checked: Sequence[ChainDecision]) -> list[ChainDecision]:
        """Replace the moves by unmasked choices; the scores still cover legal moves only."""
        choices, chances = self._chain.choose(seen)
        likely = chances.max(axis=2).tolist()
        return [
            ChainDecision(choices[number], likely[number], (), each.scores)
            for number, each in enumerate(checked)
        ]


def _select_legal_move(
    moves: Sequence[Move], parts: NDArray[np.int64], ranked: MoveProbabilities, rule: DecodingRule
) -> ChainDecision:
    """Select the legal move with the likeliest parts, one after the other or jointly."""
    whole = ranked.chances.prod(axis=1)
    left = np.arange(len(moves))
    if rule == "parts":
        for part in range(len(PART_NAMES)):
            first = left[ranked.chances[left, part].argmax()]
            left = left[parts[left, part] == parts[first, part]]
        chosen = left[0]
    else:
        chosen = whole.argmax()
    changed = tuple(np.flatnonzero(ranked.likeliest[chosen] != parts[chosen]).tolist())
    scores = dict(zip(moves, whole.tolist(), strict=True))
    return ChainDecision(parts[chosen], ranked.chances[chosen].tolist(), changed, scores)


def _make_part_picture(decision: ChainDecision, part: int, chances: Sequence[float]) -> Picture:
    heat = dict(zip(POINTS, chances, strict=False))
    changed = ", as the rules demand" if part in decision.changed else ""
    text = f"It chooses {_point_name(int(decision.parts[part]), ABSENT_PART_NAMES[part])}{changed}."
    if part:  # every move has a TO
        text += f" For {ABSENT_PART_NAMES[part]}: {chances[NO_POINT]:.0%}."
    return Picture(f"{PART_NAMES[part]}: {PART_MEANINGS[part]}", Marks(heat=heat), text)


def _split_move(move: Move) -> list[int]:
    return [NO_POINT if part is None else part for part in (move.to, move.frm, move.take)]


def _point_name(part: int, none: str) -> str:
    return none if part == NO_POINT else POINTS[part]


MEN_PER_SIDE = 9

Way = Literal["scorer", "chain"]


@dataclass(frozen=True, slots=True)
class ScholarOptions:
    """Options of the scholar."""

    size: str = inference.DEFAULT_SIZE
    """full, or small for slow machines."""

    way: Way = "scorer"
    """scorer: evaluate the position after each move. chain: choose TO, FROM and REMOVE in turn."""

    weights: str = ""
    """A file written by `ludus train scholar`, instead of the shipped networks."""

    care: float = LOSS_AVERSION
    """Scorer only: loss aversion, the factor on the predicted probability of a loss; 1 or more."""

    check: bool = True
    """Chain only: mask illegal choices at each part of the move."""

    rule: DecodingRule = "parts"
    """Chain only: `parts`, the likeliest choice of each part in turn, or `joint`, the likeliest
    move."""

    def __post_init__(self) -> None:
        if not 1 <= self.care <= MAX_LOSS_AVERSION:
            raise BadSpec(f"care={self.care:g} must be from 1 to {MAX_LOSS_AVERSION:g}")
        if self.way == "chain" and self.care != LOSS_AVERSION:
            raise BadSpec("a chain chooses without judging results; care is for way=scorer")
        if self.way == "scorer" and not (self.check and self.rule == "parts"):
            raise BadSpec(
                "a scorer judges legal moves as a whole; check and rule are for way=chain"
            )
        if self.rule == "joint" and not self.check:
            raise BadSpec("rule=joint compares legal moves, so there is nothing to check")


class ScholarPlayer(Player):
    """Networks trained on exact values, without a search."""

    title: ClassVar[str] = "networks taught by perfect play judge every move without a search"
    options: ClassVar[ScholarOptions] = ScholarOptions()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    settings: ScholarOptions

    def __init__(self, game: Any, settings: ScholarOptions, spec: str) -> None:
        super().__init__(game, settings, spec)
        check_rules(game.rules)
        found = inference.load_networks(settings.way, settings.size, settings.weights)
        self._way = (
            ScorerPolicy(found, settings.care)
            if isinstance(found, Scorer)
            else ChainPolicy(found, settings.check, settings.rule)
        )
        # Invalid weights are detected at once, and the first move takes no longer than later ones.
        self._way.choices([game.start()])

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self._way.choices([position])[0]

    def choose_many(self, positions: Sequence[Any], limit: Limit = Limit()) -> list[Choice]:  # noqa: B008
        return self._way.choices(positions)

    def pictures(self, position: Any) -> list[Picture]:
        """Draw the networks' evaluation of the points, one picture for each part of a move."""
        return self._way.pictures(position)


def check_rules(rules: Rules) -> None:
    """Check that the networks were trained for these rules."""
    if rules.men != MEN_PER_SIDE or rules.diagonals or rules.place_or_move:
        raise BadSpec(
            f"the scholar has learned {MEN_PER_SIDE} men a side on the board without diagonals, "
            "all placed before any is moved"
        )
