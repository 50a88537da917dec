"""Connect-3 on four columns of four: men fall to the lowest free square, three in a line win.

A state is a text: the rows from the top, separated by slashes, and the side to move, x or o.
"""

from collections.abc import Iterator

SIZE = 4
EMPTY = "."


def start() -> str:
    """Return the state before the first move."""
    return "/".join([EMPTY * SIZE] * SIZE) + " x"


def move(state: str, /) -> Iterator[str]:
    """Yield the states after a man in each column that is not full, from the left."""
    if won(state):
        return
    board, mover = state.split()
    for column in range(SIZE):
        cells = list(board)
        # Rows are SIZE squares and a slash apart; the last of the free ones is the lowest.
        free = [i for i in range(column, len(cells), SIZE + 1) if cells[i] == EMPTY]
        if free:
            cells[free[-1]] = mover
            yield f"{''.join(cells)} {'o' if mover == 'x' else 'x'}"


def won(state: str, /) -> bool:
    """Return whether the side that has just moved has three in a line."""
    board, mover = state.split()
    last = "o" if mover == "x" else "x"
    down = SIZE + 1
    # The slash between the rows keeps lines from running over an edge.
    return any(
        board[i] == board[i + step] == board[i + 2 * step] == last
        for step in (1, down, down + 1, down - 1)
        for i in range(len(board) - 2 * step)
    )


def drawn(state: str, /) -> bool:
    """Return whether the board is full without a line."""
    return EMPTY not in state and not won(state)
