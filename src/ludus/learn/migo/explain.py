"""Why a move was chosen: the rule, and the lines it rests on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ludus.learn.migo.english import explain_predicate
from ludus.learn.migo.labels import Known
from ludus.learn.migo.strategy import Strategy

MAX_LINES = 60

NO_RULE = "No rule gives a move here, so any move will do."


@dataclass(frozen=True, slots=True)
class Explanation:
    """A move and why it was chosen."""

    move: str
    rule: str | None
    """The predicate that holds, as `win_2`; None if the move was as good as any."""

    sentence: str
    """What the rule says."""

    lines: tuple[str, ...]
    """For a win every reply with its answer, indented by how deep it is; else the moves that were
    refused, each with the reply that refutes it."""


class Explainer:
    """Explains the moves of a strategy."""

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.world = strategy.reasoner.world
        wins = [strategy.concepts[name] for name in strategy.program.levels("win")]
        self._known = Known(strategy.reasoner, wins)

    def explain(self, state: Any) -> Explanation:
        """Explain the first move that the program gives in a state that is not over."""
        board = self.world.number(state)
        decision = self.strategy.decide(board)
        after = decision.boards[0]
        rule = decision.rule
        if rule is None:
            sentence, lines = NO_RULE, self._refusals(board, decision.boards)
        else:
            sentence = explain_predicate(self.strategy.program, rule)
            is_win = rule.startswith("win")
            lines = self._answers(after) if is_win else self._refusals(board, decision.boards)
        return Explanation(self._named(board, after), rule, sentence, _cut(lines))

    def ends(self, state: Any) -> Iterator[Any]:
        """Every state in which a win ends that the program knows, after a winning move to here."""
        yield from (self.world.states[end] for end in self._ends(self.world.number(state)))

    def _ends(self, board: int) -> Iterator[int]:
        if self.world.won(board):
            yield board
        for reply in self.world.moves(board):
            level = self._known.win_level(reply)
            if level is not None:
                yield from self._ends(self._first_win(reply, level))

    def refused(self, state: Any) -> list[Any]:
        """The moves that are not wanted because the opponent would win."""
        board = self.world.number(state)
        wanted = self.strategy.decide(board).boards
        legal = zip(state.legal_moves(), self.world.moves(board), strict=True)
        return [
            move
            for move, after in legal
            if after not in wanted and self._known.win_level(after) is not None
        ]

    def _answers(self, board: int, depth: int = 0) -> Iterator[str]:
        """After a winning move: every reply, and how the win goes on."""
        for reply in self.world.moves(board):
            level = self._known.win_level(reply)
            played = f"{'  ' * depth}{self._named(board, reply)}"
            if level is None:
                yield f"{played}: no answer is known"
                continue
            answer = self._first_win(reply, level)
            end = " and wins" if level == 1 else ""
            yield f"{played}: {self._named(reply, answer)}{end} (win_{level})"
            yield from self._answers(answer, depth + 1)

    def _refusals(self, board: int, wanted: tuple[int, ...]) -> Iterator[str]:
        """The moves that are not wanted because the opponent would win."""
        for after in self.world.moves(board):
            level = self._known.win_level(after)
            if level is not None and after not in wanted:
                reply = self._named(after, self._first_win(after, level))
                refused = self._named(board, after)
                yield f"not {refused}: {reply} wins for the opponent (win_{level})"

    def _first_win(self, board: int, level: int) -> int:
        return next(self.strategy.reasoner.solutions(self._known.wins[level - 1], board))

    def _named(self, board: int, after: int) -> str:
        """A move as its game writes it; where moves have no names, the state it leads to."""
        state = self.world.states[board]
        if not hasattr(state, "legal_moves"):
            return str(self.world.states[after])
        place = self.world.moves(board).index(after)
        return str(state.legal_moves()[place])


def _cut(lines: Iterator[str]) -> tuple[str, ...]:
    shown = [line for line, _ in zip(lines, range(MAX_LINES), strict=False)]
    return (*shown, "…") if next(lines, None) is not None else tuple(shown)
