from collections.abc import Sequence

MAX_CONCEPTS: int
"""Concepts of a prover, `move` included."""

class HexapawnProver:
    """Proves goals of learned programs about boards of hexapawn, and keeps the answers.

    Concepts are numbered in order of definition; 0 is `move`. A board is given by its cells, row by
    row, and the side to move.
    """

    def __init__(self, size: int, no_pawns_loses: bool) -> None: ...
    def define(self, rules: Sequence[tuple[int, str, int]]) -> int:
        """Add a concept and return its number: first literal, condition and its concept by rule."""

    def holds(self, number: int, cells: str, mover: int) -> bool:
        """Return whether a move to this board has the property."""

    def has_solution(self, number: int, cells: str, mover: int) -> bool:
        """Return whether there is a move from this board with the property."""

    @property
    def num_boards(self) -> int:
        """The number of boards that were visited; mirror images count once."""
