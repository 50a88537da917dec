"""A player that is another program, which speaks the text protocol of `ludus engine`."""

import dataclasses
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

from ludus.core.errors import BadMove, BadSpec, quoted
from ludus.core.game import AnyGame
from ludus.core.limit import Limit
from ludus.core.player import Choice, Player
from ludus.protocol.child import Child, Silence
from ludus.protocol.errors import ExternalError
from ludus.protocol.external_options import Options
from ludus.protocol.hearing import Hearing, option_name
from ludus.protocol.road import Road
from ludus.protocol.speech import Turn, speech

DEFAULT_TIME = 1.0
"""Seconds for a move if nobody sets a limit."""

SHORTEST = 0.01
MOST_OPTIONS, LONGEST_OPTION = 1000, 1000


class ExternalPlayer(Player):
    """Starts a program, tells it positions, and plays what it answers.

    Whatever goes wrong is an ExternalError within the time that the options allow; the program
    is ended then, and a new one is started for the next game.
    """

    title: ClassVar[str] = "another program that speaks the protocol of ludus engine"
    options: ClassVar[Options] = Options()
    main_option: ClassVar[str] = "cmd"

    def __init__(self, game: AnyGame, settings: Any, spec: str) -> None:
        super().__init__(game, settings, spec)
        if not settings.cmd:
            raise BadSpec("external needs a program: external:CMD or external:cmd=CMD,time=1")
        self._speech = speech(game)
        is_apart, is_foreign = settings.captures == "token", settings.fen == "sanmill"
        self._road = Road(self._speech, apart=is_apart, foreign=is_foreign)
        self._child: Child | None = None
        self._engine_name = ""
        self._offered: dict[str, str] = {}
        self._end: Callable[[], object] = lambda: None

    @property
    def name(self) -> str:
        """What the program calls itself, once it has been asked."""
        return self._engine_name or self.spec

    def close(self) -> None:
        """End the program. It is started again when it is needed."""
        self._child = None
        self._end()

    def begin(self, seed: int) -> None:
        super().begin(seed)
        self._road.forget()
        with self._talking():
            child = self._running()
            if "seed" in self._offered:
                child.send(f"setoption name Seed value {seed}")
            child.send("ucinewgame")
            self._wait_ready(child, time.monotonic() + self.settings.startup)

    def choose(self, position: Any, limit: Limit = Limit()) -> Choice:  # noqa: B008 - frozen
        with self._talking():
            child = self._running()
            self._road.reach(position)
            budget = self._budget(limit)
            until = time.monotonic() + (
                self.settings.longest
                if budget.time is None
                else budget.time + self.settings.patience
            )
            choice = self._ask(child, Turn(position), (), budget, until)
        self._road.play(choice.move)
        return choice

    @contextmanager
    def _talking(self) -> Iterator[None]:
        """While it lasts, whatever goes wrong ends the program and names it."""
        name = quoted(self.settings.command[0], 100)
        try:
            yield
        except Silence as error:
            self.close()
            raise ExternalError(f"{name} {error} in time and was ended") from None
        except ExternalError as error:
            self.close()
            raise ExternalError(f"{name} {error}") from None
        except BaseException:  # Ctrl-C, too: an answer that comes later would be misunderstood
            self.close()
            raise

    def _ask(
        self, child: Child, turn: Turn, begun: tuple[str, ...], budget: Limit, until: float
    ) -> Choice:
        self._wait_ready(child, until)  # what it has said before is of no interest
        began = time.monotonic()
        child.send(self._road.line(begun))
        child.send(_go(budget))
        hearing = Hearing()
        while (word := hearing.answer(child.receive(until))) is None:
            pass
        try:
            move, is_whole = self._speech.read(turn, word)
        except BadMove as error:
            raise ExternalError(f"answered {quoted(word)}: {error}") from None
        if is_whole:
            return Choice(move, hearing.comment, hearing.scores(move))
        left = None if budget.time is None else budget.time - (time.monotonic() - began)
        rest = dataclasses.replace(budget, time=None if left is None else max(left, SHORTEST))
        return self._ask(child, Turn(turn.position, move), (word,), rest, until)

    def _budget(self, limit: Limit) -> Limit:
        """The narrower of what the options and the match allow."""
        both = {
            name: min(
                (
                    bound
                    for bound in (getattr(self.settings, name), getattr(limit, name))
                    if bound is not None
                ),
                default=None,
            )
            for name in ("time", "nodes", "depth")
        }
        return Limit(**both) if any(both.values()) else Limit(time=DEFAULT_TIME)

    def _running(self) -> Child:
        """The program, started if it is not there."""
        if self._child is None:
            child = Child(self.settings.command)
            self._end = weakref.finalize(self, child.end)
            self._child = child
            self._introduce(child, time.monotonic() + self.settings.startup)
        return self._child

    def _introduce(self, child: Child, until: float) -> None:
        child.send("uci")
        self._offered = {}
        while (line := child.receive(until)) != "uciok":
            if line.startswith("id name ") and len(line) < 200:
                self._engine_name = line.removeprefix("id name ")
            elif line.startswith("option ") and len(self._offered) < MOST_OPTIONS:
                self._offered[option_name(line).lower()] = line[:LONGEST_OPTION]
        if self._engine_name.startswith("Ludus"):
            self._agree_on_game(child)
        for name, value in self.settings.pairs:
            if name.lower() not in self._offered:
                raise ExternalError(f"offers no option {quoted(name)}")
            child.send(f"setoption name {name} value {value}")

    def _agree_on_game(self, child: Child) -> None:
        """One of our own can play any game under any rules."""
        if f" default {self.game.id} " not in self._offered.get("game", ""):
            child.send(f"setoption name Game value {self.game.id}")
        words = []
        for field in dataclasses.fields(self.game.rules):
            value = getattr(self.game.rules, field.name)
            text = {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
            words.append(f"{field.name}={text}")
        child.send(f"setoption name Rules value {','.join(words)}")

    def _wait_ready(self, child: Child, until: float) -> None:
        child.send("isready")
        while (line := child.receive(until)) != "readyok":
            if line.startswith("info string error:"):
                raise ExternalError(f"says {quoted(line.removeprefix('info string '), 300)}")


def _go(budget: Limit) -> str:
    words = ["go"]
    if budget.depth is not None:
        words.append(f"depth {budget.depth}")
    if budget.nodes is not None:
        words.append(f"nodes {budget.nodes}")
    if budget.time is not None:
        words.append(f"movetime {max(int(1000 * budget.time), 1)}")
    return " ".join(words)
