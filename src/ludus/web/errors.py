"""Requests that are refused, each with the status it is answered with."""

from typing import ClassVar

from ludus.core.errors import LudusError


class Refused(LudusError):
    """A request that cannot be granted."""

    status: ClassVar[int] = 422


class NoSuchGame(Refused):
    """Nobody knows this game, or this move of it."""

    status: ClassVar[int] = 404


class OutOfTurn(Refused):
    """The game has gone on since, or it is not a person's turn."""

    status: ClassVar[int] = 409


class TooMuch(Refused):
    """A bound of the settings is reached."""

    status: ClassVar[int] = 429


class NoAnswer(Refused):
    """A player or an oracle did not answer, or everybody who could is busy."""

    status: ClassVar[int] = 503
