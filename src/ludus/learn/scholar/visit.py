"""Visit of all positions that can arise when a scorer plays one side, breadth first.

The opponent may be anyone who does not give the value away, or does so a few times. Positions are
visited once for each class of 16 symmetric ones, as the key of the canonical position. Arrays are
torch tensors on the device of the solved game.

Which move the player makes can depend on two things beside the position: on the last bits of its
arithmetic, and on the history of the game, because a player that expects to win takes another of
its best choices where a move repeats a position or lets the next reply do so. Every move that could
be the best one counts as playable. If one of them gives the value away, the position becomes an
exception with a single stored move; else all of them are followed. A player that does not expect to
win may end the game by a repetition, which is a draw; that leads to no further position.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import torch

from ludus.core.errors import LudusError
from ludus.games.nine_mens_morris.batch import (
    LOST,
    MAX_MOVES,
    NO_POINT,
    NO_VALUE,
    PARTS,
    PositionBatch,
    unpack_part,
)
from ludus.games.nine_mens_morris.bitboards import find_least_images
from ludus.games.nine_mens_morris.board import NUM_POINTS
from ludus.learn.scholar.bounded_scores import (
    GOLDEN_RATIO_64,
    BoundedScores,
    CachedScores,
    ScoreFunction,
)
from ludus.learn.scholar.examples import ExampleBatch, ExampleSource
from ludus.learn.scholar.inference import MIN_WINNING_SCORE, NUM_WINNING_CHOICES
from ludus.learn.scholar.network import as_tensor, to_source_array

UNSCORED = -2.0
"""Below all scores."""

ERROR_BITS = 56
"""Position of the number of errors that the opponent has left in a key, above the position."""

MAX_ERRORS = 15

ANY_NUMBER = -1
"""As the number of errors: the opponent may make any move at any time."""


NUM_PARTS = 8
"""Sets that share the keys, because one sort on a GPU takes at most 2^31 of them."""

MAX_PENDING = 1 << 25
"""Keys of a part that are collected before duplicates are removed, or half of those known to be
distinct, if that is more."""

MERGED_AT_ONCE = 1 << 26
"""Keys whose places are found at a time, which bounds the memory."""


def split_parts(keys: torch.Tensor) -> list[torch.Tensor]:
    """Return the keys of each part, in their order."""
    if not len(keys):
        return [keys] * NUM_PARTS
    part = _shift(keys * GOLDEN_RATIO_64, 64 - (NUM_PARTS - 1).bit_length())
    return [keys[part == number] for number in range(NUM_PARTS)]


class KeySet:
    """A growing set of keys, int64: of each part sorted runs of quickly decreasing lengths."""

    def __init__(self) -> None:
        self.parts: list[list[torch.Tensor]] = [[] for _ in range(NUM_PARTS)]

    @property
    def runs(self) -> list[torch.Tensor]:
        """All sorted runs."""
        return [run for part in self.parts for run in part]

    def __len__(self) -> int:
        return sum(map(len, self.runs))

    def add(self, keys: torch.Tensor) -> None:
        """Add sorted keys, none of them in the set."""
        for runs, new in zip(self.parts, split_parts(keys), strict=True):
            runs.append(new)
            while len(runs) > 1 and 2 * len(runs[-1]) >= len(runs[-2]):
                runs.append(merge_sorted(runs.pop(), runs.pop()))

    def remove_from(self, keys: torch.Tensor, part: int) -> torch.Tensor:
        """Return those of a part's keys that are not in the set."""
        found = torch.zeros_like(keys, dtype=torch.bool)
        for run in self.parts[part]:
            if len(run):
                place = torch.searchsorted(run, keys).clamp(max=len(run) - 1)
                found |= run[place] == keys
        return keys[~found]


def merge_sorted(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Merge sorted keys, none of them in both, in less memory than sorting takes."""
    merged = one.new_empty(len(one) + len(other))
    for keys, among in ((one, other), (other, one)):
        for first in range(0, len(keys), MERGED_AT_ONCE):
            some = keys[first : first + MERGED_AT_ONCE]
            place = torch.searchsorted(among, some)
            place += torch.arange(first, first + len(some), device=keys.device)
            merged[place] = some
    return merged


class KeyCollector:
    """Keys that come in any order, many of them several times, without those of a known set."""

    def __init__(self, known: KeySet | None = None, max_pending: int = MAX_PENDING) -> None:
        self._known, self._max_pending = known, max_pending
        self._pending: list[list[torch.Tensor]] = [[] for _ in range(NUM_PARTS)]
        self._distinct = [0] * NUM_PARTS

    def add(self, keys: torch.Tensor) -> None:
        for part, (pending, new) in enumerate(zip(self._pending, split_parts(keys), strict=True)):
            pending.append(new)
            distinct = self._distinct[part]
            if sum(map(len, pending)) - distinct > max(self._max_pending, distinct // 2):
                reduced = self._reduce(part)
                self._pending[part] = [reduced]
                self._distinct[part] = len(reduced)

    def finish(self) -> Iterator[torch.Tensor]:
        """Yield the distinct keys of each part in ascending order, and forget them."""
        for part in range(NUM_PARTS):
            yield self._reduce(part)

    def _reduce(self, part: int) -> torch.Tensor:
        pending, self._pending[part] = self._pending[part], []
        keys = sort_unique(torch.cat(pending))
        return keys if self._known is None else self._known.remove_from(keys, part)


KeyScoreFunction = Callable[[torch.Tensor], BoundedScores]
"""Evaluates unfinished positions by their canonical keys."""


class Decisions(NamedTuple):
    """Playable moves of positions."""

    playable: torch.Tensor
    """(positions, moves): moves that the player could make; a single one in an exception."""

    is_exception: torch.Tensor
    """(positions,): whether a playable move of the networks gives the value away."""

    stored: torch.Tensor
    """(positions,): in exceptions the index of the best-scored move that keeps the value."""


def score_moves(examples: ExampleBatch, evaluate: KeyScoreFunction) -> BoundedScores:
    """Return the scores of all moves, (positions, moves); UNSCORED where there is none or only one.

    A move that wins by the rules scores 1.
    """
    children = examples.children
    is_move = as_tensor(children.is_move)
    is_won = is_move & (as_tensor(children.value) == LOST)
    pending = is_move & ~is_won & (is_move.sum(1, keepdim=True) > 1)
    positions = children.positions.map(as_tensor)[pending]
    found = evaluate(positions.find_canonical()[0])
    score = torch.where(is_won, 1.0, UNSCORED).to(found.score.dtype)
    tolerance = torch.zeros_like(score)
    score[pending], tolerance[pending] = found
    return BoundedScores(score, tolerance)


Prevented = Literal["errors", "losses"]
"""What stored moves prevent: that the value is given away, or only that the game is lost, so that a
win may become a draw."""


def find_allowed(examples: ExampleBatch, prevented: Prevented) -> torch.Tensor:
    """Return which moves need no exception, (positions, moves)."""
    if prevented == "errors":
        return as_tensor(examples.keeps_value)
    value = as_tensor(examples.children.value)
    is_lost = is_won_value(value) | ~as_tensor(examples.children.is_move)
    return ~is_lost | as_tensor(examples.keeps_value)


def is_won_value(value: torch.Tensor) -> torch.Tensor:
    """Return where the side to move wins: after an odd number of plies."""
    return (value % 2 == 1) & (value < NO_VALUE)


def find_playable(
    examples: ExampleBatch, evaluate: KeyScoreFunction, prevented: Prevented = "errors"
) -> Decisions:
    """Find the moves that the player could make in each position."""
    score, tolerance = score_moves(examples, evaluate)
    is_move, move = as_tensor(examples.children.is_move), as_tensor(examples.children.move)
    is_won = is_move & (as_tensor(examples.children.value) == LOST)
    highest, lowest = score + tolerance, torch.where(is_move, score - tolerance, UNSCORED)
    playable = highest >= lowest.amax(1, keepdim=True)
    # A player that expects to win takes one of its best choices that does not let the game be
    # drawn by repetition; a mill, or a man from the hand, never does.
    in_hand = as_tensor(examples.positions.own_hand)[:, None] > 0
    is_quiet = ~is_won & ~in_hand & (unpack_part(move, PARTS.index("REMOVE")) == NO_POINT)
    last = lowest.topk(NUM_WINNING_CHOICES).values[:, -1:]
    firm = torch.where(is_quiet, UNSCORED, lowest).amax(1, keepdim=True)
    playable |= (highest >= torch.maximum(last, firm)) & (highest > MIN_WINNING_SCORE)
    playable &= is_move
    keeps = find_allowed(examples, prevented)
    is_exception = (playable & ~keeps).any(1)
    stored = torch.where(keeps, score, 2 * UNSCORED).argmax(1)
    only = torch.zeros_like(playable).scatter_(1, stored[:, None], True)
    return Decisions(torch.where(is_exception[:, None], only, playable), is_exception, stored)


@dataclass
class VisitCounts:
    """What a visit has found so far."""

    visited: int = 0
    """Positions with the player to move."""

    critical: int = 0
    """Those in which some moves keep the value and others do not."""

    ambiguous: int = 0
    """Those in which rounding or the history of the game may decide between several moves."""

    exceptions: int = 0
    """Those in which a playable move of the networks gives the value away."""

    slips: int = 0
    """Those in which a playable move turns a win into a draw, where only losses are prevented."""

    checksum: int = 0
    """Sum of the mixed keys of the visited positions, modulo 2^64; it does not depend on order."""

    lost: int = 0
    """Positions in which the player has lost: none, if the exceptions are right."""

    own_moves: int = 0
    """Moves of the player that all of these positions are within."""

    seconds: float = 0.0


class StoredMoves(NamedTuple):
    """Exceptions: canonical keys, ascending, and packed moves."""

    keys: torch.Tensor
    moves: torch.Tensor

    def find(self, keys: torch.Tensor) -> torch.Tensor:
        """Return the stored move of each key, -1 where there is none."""
        if not len(self.keys):
            return torch.full_like(keys, -1, dtype=torch.int32)
        place = torch.searchsorted(self.keys, keys).clamp(max=len(self.keys) - 1)
        return torch.where(self.keys[place] == keys, self.moves[place], -1)

    def merge(self, keys: torch.Tensor, moves: torch.Tensor) -> "StoredMoves":
        """Add moves of other positions."""
        joined, order = torch.cat([self.keys, keys]).sort()
        is_first = torch.ones_like(joined, dtype=torch.bool)
        is_first[1:] = joined[1:] != joined[:-1]
        return StoredMoves(joined[is_first], torch.cat([self.moves, moves])[order][is_first])


class Visit:
    """A visit from some positions, one move of the player and one of the opponent at a time."""

    def __init__(
        self,
        source: ExampleSource,
        evaluate: ScoreFunction,
        roots: PositionBatch,
        opponent_errors: int = 0,
        stored: StoredMoves | None = None,
        batch: int = 1 << 18,
        log2_cache_size: int = 16,
        prevented: Prevented = "errors",
    ) -> None:
        """Begin at `roots`, where the player is to move.

        `opponent_errors` is the number of times that the opponent may give the value away, or
        ANY_NUMBER. `stored` moves are played wherever they apply.
        """
        self.source, self.batch, self.prevented = source, batch, prevented
        self.opponent_errors = opponent_errors
        keys = roots.map(as_tensor).find_canonical()[0]
        self.scores = CachedScores(evaluate, keys.device, log2_cache_size)
        self.frontier = sort_unique(keys + (max(opponent_errors, 0) << ERROR_BITS))
        """Keys of the positions to be visited next."""

        self.known = KeySet()
        """Keys of all positions found so far."""

        self.known.add(self.frontier)

        empty = torch.zeros_like(keys[:0])
        self.stored = StoredMoves(empty, empty.int()) if stored is None else stored
        self.counts = VisitCounts()

    @property
    def is_complete(self) -> bool:
        return len(self.frontier) == 0

    def run(self, seconds: float = float("inf"), own_moves: int = 1 << 30) -> Iterator[VisitCounts]:
        """Visit one move of the player after the other, and yield the counts after each.

        Stop when no position is left, before a step that would probably exceed the time, or after
        this number of moves.
        """
        while not self.is_complete and self.counts.own_moves < own_moves:
            rate = (
                self.counts.visited / self.counts.seconds if self.counts.seconds else float("inf")
            )
            if self.counts.seconds + len(self.frontier) / rate > seconds:
                return
            began = time.monotonic()
            self._step()
            if self.frontier.is_cuda:
                torch.cuda.synchronize()
            self.counts.seconds += time.monotonic() - began
            yield self.counts

    def _step(self) -> None:
        """Visit the frontier and replace it by the positions that can come next."""
        after = KeyCollector()
        for group in group_by_opponent(self.frontier):
            for keys in torch.split(group, self.batch):
                after.add(self._visit(keys))
        self.frontier = self.frontier[:0]
        reached = KeyCollector(self.known)
        for part in after.finish():
            for keys in torch.split(part, self.batch) if len(part) else ():
                reached.add(self._reply(keys))
        found = list(reached.finish())
        self.frontier = torch.cat(found)
        for keys in found:
            self.known.add(keys)
        self.counts.own_moves += 1

    def _visit(self, keys: torch.Tensor) -> torch.Tensor:
        """Return the keys of the positions after the player's moves, finished games left out."""
        self.counts.visited += len(keys)
        self.counts.checksum = (self.counts.checksum + sum_mixed(keys)) % (1 << 64)
        after = []
        for examples, row in self._expand(keys):
            children, value = examples.children, as_tensor(examples.children.value)
            place = keys[row] & ((1 << ERROR_BITS) - 1)
            playable, is_exception, best = find_playable(
                examples, self.scores.evaluate_keys, self.prevented
            )
            move = as_tensor(children.move)
            known_move = self.stored.find(place)
            is_known = known_move >= 0
            playable = torch.where(is_known[:, None], move == known_move[:, None], playable)
            playable &= as_tensor(children.is_move)
            if not bool(playable.any(1).all()):
                raise LudusError("a stored move is not legal")
            is_new = is_exception & ~is_known
            chosen = move.gather(1, best[:, None])[:, 0]
            self.stored = self.stored.merge(place[is_new], chosen[is_new])
            self.counts.exceptions += int((is_exception | is_known).sum())
            self.counts.critical += int(as_tensor(examples.is_critical).sum())
            self.counts.ambiguous += int((playable.sum(1) > 1).sum())
            gives_away = playable & ~find_allowed(examples, self.prevented)
            if bool(gives_away.any()):
                raise LudusError(f"a stored move does not prevent {self.prevented}")
            slips = (playable & ~as_tensor(examples.keeps_value)).any(1)
            self.counts.slips += int(slips.sum())
            playable &= value != LOST
            rows = playable.nonzero()[:, 0]
            reached = children.positions.map(as_tensor)[playable].find_canonical()[0]
            after.append(sort_unique(reached | keys[row][rows] >> ERROR_BITS << ERROR_BITS))
        return sort_unique(torch.cat(after))

    def _reply(self, keys: torch.Tensor) -> torch.Tensor:
        """Return the keys of the positions after the opponent's moves."""
        after = []
        for examples, row in self._expand(keys):
            is_move, keeps = as_tensor(examples.children.is_move), as_tensor(examples.keeps_value)
            errors = (keys[row] >> ERROR_BITS)[:, None]
            can_err = torch.ones_like(errors) if self.opponent_errors < 0 else errors
            is_reply = is_move & (keeps | (can_err > 0))
            self.counts.lost += int((is_reply & (as_tensor(examples.children.value) == LOST)).sum())
            left = errors if self.opponent_errors < 0 else errors - (~keeps).long()
            reached = examples.children.positions.map(as_tensor)[is_reply].find_canonical()[0]
            errors_left = left.expand_as(is_reply)[is_reply]
            after.append(sort_unique(reached | errors_left << ERROR_BITS))
        return sort_unique(torch.cat(after))

    def _expand(self, keys: torch.Tensor) -> Iterator[tuple[ExampleBatch, torch.Tensor]]:
        """Yield the positions of keys with all their moves, and their rows among the keys."""
        positions = PositionBatch.from_keys(keys & ((1 << ERROR_BITS) - 1))
        given = positions.map(to_source_array)
        examples = self.source.examples(given)
        if bool((as_tensor(examples.value) == NO_VALUE).any()):
            raise LudusError("the visit has left the solved part of the game")
        count = as_tensor(examples.children.count)
        rows = torch.arange(len(keys), device=keys.device)
        is_long = count > MAX_MOVES
        if not bool(is_long.any()):
            yield examples, rows
            return
        yield examples[to_source_array(~is_long)], rows[~is_long]
        longest = int(count.max())
        yield self.source.examples(given[to_source_array(is_long)], longest), rows[is_long]


def group_by_opponent(keys: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield the keys ordered by the opponent's men, up to symmetry, some at a time.

    Positions from which the same position can be reached without a capture have the same ones, so
    that most of them are in one batch, and the position is evaluated once for all of them.
    """
    parts = []
    for some in torch.split(keys, GROUPED_AT_ONCE):
        other = PositionBatch.from_keys(some & ((1 << ERROR_BITS) - 1)).other
        parts.append((find_least_images(other, other * 0)[0] >> NUM_POINTS).int())
    boards = torch.cat(parts)
    number = -(-len(keys) // GROUPED_AT_ONCE)
    sample = boards[:: max(len(boards) >> 16, 1)].sort().values
    limits = [int(sample[len(sample) * place // number]) for place in range(1, number)]
    for least, end in pairwise([0, *limits, 1 << NUM_POINTS]):
        rows = ((boards >= least) & (boards < end)).nonzero()[:, 0]
        yield keys[rows[boards[rows].argsort(stable=True)]]


GROUPED_AT_ONCE = 1 << 26
"""Keys that are grouped at a time, which bounds the memory."""


def sort_unique(keys: torch.Tensor) -> torch.Tensor:
    """Return the distinct keys in ascending order."""
    found: torch.Tensor = torch.unique(keys)
    return found


def sum_mixed(keys: torch.Tensor) -> int:
    """Return the sum of a hash (splitmix64) of each key, modulo 2^64."""
    mixed = _multiply(keys ^ _shift(keys, 30), 0xBF58476D1CE4E5B9)
    mixed = _multiply(mixed ^ _shift(mixed, 27), 0x94D049BB133111EB)
    return int((mixed ^ _shift(mixed, 31)).sum()) % (1 << 64)


def _shift(keys: torch.Tensor, places: int) -> torch.Tensor:
    """Shift to the right as unsigned numbers."""
    return keys >> places & ((1 << 64 - places) - 1)


def _multiply(keys: torch.Tensor, factor: int) -> torch.Tensor:
    """Multiply modulo 2^64."""
    return keys * (factor - (1 << 64) if factor >= 1 << 63 else factor)
