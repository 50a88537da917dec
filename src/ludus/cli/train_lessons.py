"""The learners that take lessons: MENACE, HER, Q-learning and deep Q-learning."""

from ludus.cli.options import GameName, Json


def menace(game: GameName, json: Json = False) -> None:
    """Teach MENACE."""


def her(game: GameName, json: Json = False) -> None:
    """Teach."""


def qlearning(game: GameName, json: Json = False) -> None:
    """Teach."""


def deepq(game: GameName, json: Json = False) -> None:
    """Teach."""
