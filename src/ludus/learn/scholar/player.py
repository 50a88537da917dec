"""The player `scholar`: moves selected and explained by the scorer or the chain of networks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec
from ludus.core.game import AnyGame, Outcome
from ludus.core.marks import Marks, Note, Picture
from ludus.core.player import Choice, Forecast, Limit, Player
from ludus.core.spec import check_ranges
from ludus.games.nine_mens_morris.batch import (
    DRAWN,
    LOSS,
    PARTS,
    WIN,
    PositionBatch,
    moves_to_points,
    points_to_moves,
    unpack_moves,
)
from ludus.games.nine_mens_morris.board import POINTS, Move
from ludus.games.nine_mens_morris.position import MorrisPosition
from ludus.games.nine_mens_morris.rules import Rules
from ludus.learn.move_explanation import (
    PART_MEANINGS,
    DecodingRule,
    MoveDecision,
    select_by_parts,
    split_move,
)
from ludus.learn.scholar import inference
from ludus.learn.scholar.encoding import MEN_PER_SIDE
from ludus.learn.scholar.exceptions import NO_EXCEPTION, PackedExceptions, is_covered
from ludus.learn.scholar.inference import (
    LOSS_AVERSION,
    MAX_LOSS_AVERSION,
    MIN_WINNING_SCORE,
    NUM_RESULTS,
    NUM_WINNING_CHOICES,
    Chain,
    Kind,
    MoveProbabilities,
    Scorer,
    ScorerOutput,
    utility,
)
from ludus.learn.weights import BadWeights

FloatArray = NDArray[np.float32]

REPETITION = "repetition"
"""Outcome reason of the rules for a repeated position."""


MIN_CERTAIN_SCORE = 0.9
"""Absolute expected result beyond which the result counts as certain."""

MIN_SCORE_DIFFERENCE = 0.5
"""Moves whose expected results differ by more count as leading to different results."""


def describe_evaluation(best: int, expected: FloatArray, risk: float, plies: FloatArray) -> str:
    """Describe the scorer's evaluation of the position and how many moves keep it."""
    score = float(expected[best])
    if score < -MIN_CERTAIN_SCORE:
        return f"I am losing, whatever I do, in {_format_plies(plies[1])}."
    if score > MIN_CERTAIN_SCORE:
        evaluation = f"I am winning, in {_format_plies(plies[0])}"
    elif abs(score) < 1 - MIN_CERTAIN_SCORE:
        evaluation = "This is a draw"
    else:
        side, end = ("better", "win") if score > 0 else ("worse", "loss")
        evaluation = f"I think I am {side}, but cannot tell a draw from a {end}"
    keeping = int((expected > score - MIN_SCORE_DIFFERENCE).sum())
    some = f"; {keeping} of {len(expected)} moves {'keeps' if keeping == 1 else 'keep'} that."
    many = ", whatever I do." if keeping == len(expected) else some
    return f"{evaluation}{many} The chance that this loses seems {_format_probability(risk)}."


def _format_plies(plies: float) -> str:
    """Format the moves of the winner in a number of plies, given as log2 without the next one."""
    number = 1 + round(2 ** min(max(float(plies), 0.0), 9.0)) if plies else 1
    moves = (number + 1) // 2
    return "one move" if moves == 1 else f"about {moves} moves"


def _format_probability(probability: float) -> str:
    """Format a probability in percent, bounded at 0.1%."""
    return "below 0.1%" if probability < 0.001 else f"{probability:.1%}"


MAX_LABELS = 5
"""Points of a picture that are labelled with their scores."""


def make_score_picture(meaning: str, best: Mapping[str, float]) -> Picture:
    """Draw the best score of a move with each point."""
    heat = {name: (1 + score) / 2 for name, score in best.items()}
    # Labels on all points would cover each other; adding 0 turns -0.0 into 0.0.
    ranked = sorted(best.items(), key=lambda item: -item[1])[:MAX_LABELS]
    notes = tuple(Note((name,), f"{round(score, 1) + 0:+.1f}") for name, score in ranked)
    text = (
        "The best score of a move with each point: −1 is a loss, 0 a draw, 1 a win; "
        "a risk of losing counts more than a chance of winning. The best points are labelled."
    )
    return Picture(f"Scores: {meaning}", Marks(heat=heat), text, notes)


class ScorerPolicy:
    """Policy that evaluates the position after each legal move and plays the best, or a stored
    move."""

    def __init__(
        self, scorer: Scorer, loss_aversion: float, exceptions: PackedExceptions | None = None
    ) -> None:
        self._scorer, self._loss_aversion = scorer, loss_aversion
        self._exceptions = exceptions

    def choose_many(self, positions: Sequence[MorrisPosition]) -> list[Choice]:
        moves = [position.legal_moves() for position in positions]
        children = [
            position.play(move)
            for position, its_moves in zip(positions, moves, strict=True)
            for move in its_moves
        ]
        outcomes = [child.outcome() for child in children]
        (probabilities, log2_plies), scores = self._evaluate(children, outcomes, ends_draws=False)
        ends_drawn = np.array([each is not None and each.winner is None for each in outcomes])
        ends = accumulate((len(its_moves) for its_moves in moves), initial=0)
        return [
            self._choice(
                its_moves,
                children[first:last],
                ends_drawn[first:last],
                probabilities[first:last],
                log2_plies[first:last],
                scores[first:last],
                stored,
            )
            for its_moves, (first, last), stored in zip(
                moves, pairwise(ends), self._find_stored_moves(positions), strict=True
            )
        ]

    def _find_stored_moves(self, positions: Sequence[MorrisPosition]) -> list[Move | None]:
        """Return the move of each position that is an exception, None for the others."""
        if self._exceptions is None or not positions:
            return [None] * len(positions)
        packed = self._exceptions.find(PositionBatch.from_positions(positions))
        moves = points_to_moves(unpack_moves(packed))
        return [
            None if is_own else move
            for move, is_own in zip(moves, packed == NO_EXCEPTION, strict=True)
        ]

    def _choice(
        self,
        moves: Sequence[Move],
        children: Sequence[MorrisPosition],
        ends_drawn: NDArray[np.bool_],
        probabilities: FloatArray,
        log2_plies: FloatArray,
        scores: NDArray[np.floating[Any]],
        stored: Move | None,
    ) -> Choice:
        best = self._find_best(scores, children, ends_drawn)
        preferred = moves[best]
        if stored is not None:
            if stored not in moves:
                raise BadWeights(f"the stored move {stored} is not legal")
            best = moves.index(stored)
        probabilities[ends_drawn] = np.eye(NUM_RESULTS)[DRAWN]
        text = describe_evaluation(
            best,
            utility(probabilities, loss_aversion=1.0),
            float(probabilities[best, WIN]),
            log2_plies[best],
        )
        if moves[best] != preferred:
            text += f" I play a stored move here: {preferred} would give the value away."
        return Choice(moves[best], text, dict(zip(moves, scores.tolist(), strict=True)))

    def _find_best(
        self,
        scores: NDArray[np.floating[Any]],
        children: Sequence[MorrisPosition],
        ends_drawn: NDArray[np.bool_],
    ) -> int:
        """Return the index of the best move, and change the scores of those that end in a draw.

        A player that expects to win takes the first of its best choices with which neither it nor
        the opponent's reply ends the game as a draw. Otherwise a draw is as good as any score
        above 0. So few choices depend on the history of the game, and the number of positions
        stays small that can arise, and that a certificate must visit.
        """
        if scores.max() <= MIN_WINNING_SCORE:
            scores[ends_drawn] = np.maximum(scores[ends_drawn], 0)
            return _select_best(scores, children)
        first = best = _select_best(scores, children)
        for _ in range(NUM_WINNING_CHOICES):
            if scores[best] <= MIN_WINNING_SCORE:
                break
            if not ends_drawn[best] and not has_repeating_move(children[best]):
                return best
            scores[best] = 0
            best = _select_best(scores, children)
        return first

    def pictures(self, position: MorrisPosition) -> list[Picture]:
        """Draw the best score of each point for each part of a move."""
        scores = self.choose_many([position])[0].scores
        pictures = []
        for part, meaning in enumerate(PART_MEANINGS):
            best: dict[str, float] = {}
            for move, score in scores.items():
                if (point := split_move(move)[part]) is not None:
                    best[POINTS[point]] = max(score, best.get(POINTS[point], -1.0))
            if best:
                pictures.append(make_score_picture(meaning, best))
        return pictures

    def evaluate(self, positions: Sequence[MorrisPosition]) -> ScorerOutput:
        """Return the predicted result of each position for its mover, exact if the game is over."""
        outcomes = [position.outcome() for position in positions]
        return self._evaluate(positions, outcomes, ends_draws=True)[0]

    def _evaluate(
        self,
        positions: Sequence[MorrisPosition],
        outcomes: Sequence[Outcome | None],
        ends_draws: bool,
    ) -> tuple[ScorerOutput, NDArray[np.floating[Any]]]:
        """Evaluate positions; draws, most of which depend on the history, as ends or not.

        The scores are for the side that has just moved.
        """
        scores = np.zeros(len(positions))
        output = ScorerOutput(
            np.zeros((len(positions), NUM_RESULTS), dtype=np.float32),
            np.zeros((len(positions), 2), dtype=np.float32),
        )
        pending = []
        for number, (position, outcome) in enumerate(zip(positions, outcomes, strict=True)):
            if outcome is None or (outcome.winner is None and not ends_draws):
                pending.append(number)
            elif outcome.winner is None:
                output.probabilities[number, DRAWN] = 1
            else:
                won = outcome.winner == position.mover
                output.probabilities[number, WIN if won else LOSS] = 1
                scores[number] = -1 if won else 1
        if pending:
            batch = PositionBatch.from_positions(positions[each] for each in pending)
            evaluated, scores[pending] = self._scorer.score(batch, self._loss_aversion)
            output.probabilities[pending], output.log2_plies[pending] = evaluated
        return output, scores


def _select_best(scores: NDArray[np.floating[Any]], children: Sequence[MorrisPosition]) -> int:
    """Return the index of the best score; if several are equal, that of the position with the least
    canonical key, so that symmetric positions have symmetric answers."""
    best = np.flatnonzero(scores == scores.max())
    if len(best) > 1:
        keys = PositionBatch.from_positions(
            children[each] for each in best.tolist()
        ).canonical_keys()
        best = best[keys.argmin() :]
    return int(best[0])


def has_repeating_move(position: MorrisPosition) -> bool:
    """Return whether some move repeats an earlier position, which is a draw."""
    if position.outcome() is not None or position.hands[position.mover]:
        return False
    ends = (position.play(move).outcome() for move in position.legal_moves())
    return any(end is not None and end.reason == REPETITION for end in ends)


class ChainPolicy:
    """Policy that chooses TO, FROM and REMOVE in turn, with or without masking illegal choices."""

    def __init__(
        self, chain: Chain, masks_illegal: bool = True, rule: DecodingRule = "parts"
    ) -> None:
        self._chain = chain
        self._masks_illegal = masks_illegal
        self._rule = rule

    def choose_many(self, positions: Sequence[MorrisPosition]) -> list[Choice]:
        return [
            Choice(each.move, each.describe(), each.scores) for each in self._decisions(positions)
        ]

    def pictures(self, position: MorrisPosition) -> list[Picture]:
        """Draw the probability of each point as a part of the move, given the parts before it."""
        decision = self._decisions([position])[0]
        batch = PositionBatch.from_positions([position])
        along = self._chain.probabilities_along(batch, moves_to_points([decision.move]))[0]
        drawn = decision._replace(distributions=along)
        return [drawn.draw_part(part) for part in range(len(PARTS))]

    def _decisions(self, positions: Sequence[MorrisPosition]) -> list[MoveDecision]:
        batch = PositionBatch.from_positions(positions)
        moves = [position.legal_moves() for position in positions]
        ends = [0, *accumulate(map(len, moves))]
        owner = np.repeat(np.arange(len(moves)), [len(each) for each in moves])
        parts = moves_to_points(move for each in moves for move in each)
        scored = self._chain.score_moves(batch, owner, parts)
        decisions = [
            _select_legal_move(its_moves, parts[first:end], scored.slice(first, end), self._rule)
            for its_moves, (first, end) in zip(moves, pairwise(ends), strict=True)
        ]
        return decisions if self._masks_illegal else self._without_mask(batch, decisions)

    def _without_mask(
        self, positions: PositionBatch, masked: Sequence[MoveDecision]
    ) -> list[MoveDecision]:
        """Replace the moves by unmasked choices; the scores still cover legal moves only."""
        choices, probabilities = self._chain.choose(positions)
        moves = points_to_moves(choices)
        return [
            MoveDecision.from_distributions(
                moves[number], probabilities[number], scores=each.scores
            )
            for number, each in enumerate(masked)
        ]


def _select_legal_move(
    moves: Sequence[Move],
    parts: NDArray[np.integer[Any]],
    scored: MoveProbabilities,
    rule: DecodingRule,
) -> MoveDecision:
    """Select the legal move with the likeliest parts, one after the other or jointly."""
    joint = scored.probabilities.prod(axis=1)

    def choose(part: int, left: NDArray[np.intp]) -> int:
        likeliest = left[scored.probabilities[left, part].argmax()]
        return int(parts[likeliest, part])

    if rule == "parts":
        chosen = select_by_parts(parts, range(len(PARTS)), choose)
    else:
        chosen = int(joint.argmax())
    masked = tuple(np.flatnonzero(scored.best_choices[chosen] != parts[chosen]).tolist())
    scores = dict(zip(moves, joint.tolist(), strict=True))
    return MoveDecision(moves[chosen], scored.probabilities[chosen].tolist(), masked, scores)


@dataclass(frozen=True, slots=True)
class ScholarOptions:
    """Options of the scholar."""

    aliases: ClassVar[Mapping[str, str]] = {"way": "kind", "care": "loss_aversion"}
    """Old names of options."""

    size: str = inference.DEFAULT_SIZE
    """full, or compact or small for slow machines."""

    kind: Kind = "scorer"
    """scorer: evaluate the position after each move. chain: choose TO, FROM and REMOVE in turn."""

    weights: str = ""
    """A file written by `ludus train scholar`, instead of the shipped networks."""

    loss_aversion: float = LOSS_AVERSION
    """Scorer only: the factor on the predicted probability of a loss; 1 or more."""

    exceptions: bool = True
    """Scorer only: play the stored moves where the networks alone would give the value away."""

    check: bool = True
    """Chain only: mask illegal choices at each part of the move."""

    rule: DecodingRule = "parts"
    """Chain only: `parts`, the likeliest choice of each part in turn, or `joint`, the likeliest
    move."""

    def __post_init__(self) -> None:
        check_ranges(self, loss_aversion=(1, MAX_LOSS_AVERSION))
        if self.kind == "chain" and self.loss_aversion != LOSS_AVERSION:
            raise BadSpec(
                "a chain chooses without judging results; loss_aversion is for kind=scorer"
            )
        if self.kind == "chain" and not self.exceptions:
            raise BadSpec("a chain has no exceptions; they are for kind=scorer")
        if self.kind == "scorer" and not (self.check and self.rule == "parts"):
            raise BadSpec(
                "a scorer judges legal moves as a whole; check and rule are for kind=chain"
            )
        if self.rule == "joint" and not self.check:
            raise BadSpec("rule=joint compares legal moves, so there is nothing to check")


class ScholarPlayer(Player):
    """Networks trained on exact values, without a search."""

    title: ClassVar[str] = "networks trained on perfect play evaluate every move without search"
    options: ClassVar[ScholarOptions] = ScholarOptions()
    games: ClassVar[frozenset[str] | None] = frozenset({"nine_mens_morris"})

    settings: ScholarOptions

    def __init__(self, game: AnyGame, settings: Any = None, spec: str = "") -> None:
        super().__init__(game, settings, spec)
        settings = self.settings
        check_rules(game.rules)
        networks = inference.load_networks(settings.kind, settings.size, settings.weights)
        self._policy = (
            ScorerPolicy(
                networks, settings.loss_aversion, _select_exceptions(networks, game.rules, settings)
            )
            if isinstance(networks, Scorer)
            else ChainPolicy(networks, settings.check, settings.rule)
        )
        # Invalid weights are detected at once, and the first move takes no longer than later ones.
        self._policy.choose_many([game.start()])

    def choose(self, position: MorrisPosition, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        return self._policy.choose_many([position])[0]

    def choose_many(
        self,
        positions: Sequence[MorrisPosition],
        limit: Limit = Limit(),  # noqa: B008
    ) -> list[Choice]:
        return self._policy.choose_many(positions)

    def forecast_many(self, positions: Sequence[MorrisPosition]) -> list[Forecast]:
        """Return the scorer's predictions; a chain makes none."""
        if not isinstance(self._policy, ScorerPolicy):
            raise BadSpec("a chain chooses without judging results; kind=scorer forecasts")
        probabilities, log2_plies = self._policy.evaluate(positions)
        return [
            Forecast(row[WIN], row[DRAWN], row[LOSS], _forecast_plies(row[WIN] > row[LOSS], plies))
            for row, plies in zip(probabilities.tolist(), log2_plies.tolist(), strict=True)
        ]

    def pictures(self, position: MorrisPosition) -> list[Picture]:
        """Draw the networks' evaluation of the points, one picture for each part of a move."""
        return self._policy.pictures(position)


def _select_exceptions(
    scorer: Scorer, rules: Rules, settings: ScholarOptions
) -> PackedExceptions | None:
    """Return the scorer's exceptions if they hold for these rules and options."""
    exceptions = scorer.exceptions if settings.exceptions and is_covered(rules) else None
    if exceptions is None or exceptions.loss_aversion != settings.loss_aversion:
        return None
    return exceptions


def _forecast_plies(is_win: bool, log2_plies: Sequence[float]) -> float:
    """Return the plies to the likelier end, from log2 of those to a loss and to a win."""
    return float(2 ** min(max(log2_plies[is_win], 0.0), 9.0))


def check_rules(rules: Rules) -> None:
    """Check that the networks were trained for these rules."""
    if rules.men != MEN_PER_SIDE or rules.diagonals or rules.place_or_move:
        raise BadSpec(
            f"the scholar has learned {MEN_PER_SIDE} men a side on the board without diagonals, "
            "all placed before any is moved"
        )
