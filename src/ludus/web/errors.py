"""Errors of requests, each with its HTTP status."""

from typing import ClassVar

from ludus.core.errors import LudusError


class RequestRefused(LudusError):
    """The request cannot be fulfilled."""

    status: ClassVar[int] = 422


class GameNotFound(RequestRefused):
    """The game, or a move of it, does not exist."""

    status: ClassVar[int] = 404


class OutOfTurn(RequestRefused):
    """The game has changed since, or it is not a person's turn."""

    status: ClassVar[int] = 409


class LimitReached(RequestRefused):
    """A limit of the settings is reached."""

    status: ClassVar[int] = 429


class WorkerUnavailable(RequestRefused):
    """A worker did not respond, or all workers are busy."""

    status: ClassVar[int] = 503
