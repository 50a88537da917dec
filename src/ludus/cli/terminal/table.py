"""The table at which a game is played: whose turn it is, what they did, how it ended."""

import random
import time
from collections.abc import Collection, Iterable
from typing import Any

from ludus.cli.terminal.commands import COMMANDS, Leave
from ludus.cli.terminal.entry import Entry
from ludus.cli.terminal.line import Line
from ludus.cli.terminal.places import spoken
from ludus.cli.terminal.screen import Screen
from ludus.cli.terminal.words import ending
from ludus.core.errors import BadMove, LudusError
from ludus.core.game import CHANCE, AnyGame
from ludus.core.marks import Marks
from ludus.players import player as named_player

PAUSE = 0.6
"""Seconds between two moves when nobody plays and somebody watches."""

WIDTH = 60
"""So many characters of a list of places are shown in a question."""

KINDS = {"take?": "take"}
"""How the places that a question is about are marked, if not as `legal`."""

PERSON = "person"
"""How a record calls somebody who is no player of ours."""


class Table:
    """A game between people and players, in a terminal."""

    def __init__(
        self, line: Line, opponent: str, people: Collection[int], seed: int, screen: Screen
    ) -> None:
        self.opponent = opponent
        self.people = frozenset(people)
        self.seed = seed
        self.random = random.Random(seed)
        self.screen = screen
        self.sit_down(line)
        if self.people:
            self.news.append("Type a move or its first place; help tells what else.")

    @property
    def game(self) -> AnyGame:
        return self.line.game

    @property
    def names(self) -> tuple[str, str]:
        """What the sides are called here: you, and the name of the other side."""
        first, second = self.game.sides
        if len(self.people) != 1:
            return first, second
        return ("you", second) if 0 in self.people else (first, "you")

    @property
    def who(self) -> tuple[str, str]:
        """Who plays the sides: a spec, or a person."""
        first, second = ((PERSON if side in self.people else self.opponent) for side in (0, 1))
        return first, second

    def run(self) -> None:
        """Play until the person leaves."""
        try:
            while True:
                self._turn()
        except Leave:
            self.screen.say("Goodbye.")

    def sit_down(self, line: Line) -> None:
        """Begin this game, or go on with it."""
        players = [named_player(self.opponent, line.game) for _ in line.game.sides]
        for player in players:
            player.begin(self.random.getrandbits(62))
        self.line, self.players = line, players
        self.news: list[str] = []

    def show(self, entry: Entry | None = None, good: Iterable[str] = ()) -> None:
        """The board, with the last move, the places to choose from and those that are advised."""
        points = dict.fromkeys(self.line.last_places(), "last")
        if entry is not None:
            kind = KINDS.get(entry.question, "legal")
            points |= self._marked(entry.places, kind) | self._marked(entry.touched, "selected")
        points |= dict.fromkeys(good, "good")
        self.screen.show(self._title(), self.line.position, Marks(points=points), self.news)

    def _marked(self, places: Iterable[str], kind: str) -> dict[str, str]:
        """The mark of each place, by its name on the board."""
        side = self.line.position.mover
        return {spoken(self.game, place, side): kind for place in places}

    def _title(self) -> str:
        seats = [
            f"you are {side}" if number in self.people else f"{self.players[number].name} is {side}"
            for number, side in enumerate(self.game.sides)
        ]
        people = "two people" if len(self.people) == 2 else ", ".join(seats)
        return f"{self.game.title} · {people}"

    def tell(self, side: int, deed: str) -> None:
        """Keep what a side did, to be shown with the next board."""
        self.news.append(f"{self.names[side].capitalize()} {deed}.")

    def _turn(self) -> None:
        position = self.line.position
        if position.outcome() is not None:
            for side in {0, 1} - set(self.people):
                self.players[side].end(position.outcome())
            self._end(ending(position.outcome(), self.names))
        elif position.mover == CHANCE:
            self._roll()
        elif position.mover in self.people:
            self._ask()
        else:
            self._let_choose(position.mover)

    def _roll(self) -> None:
        rolls, weights = zip(*self.game.chances(self.line.position), strict=True)
        roll = self.random.choices(rolls, weights)[0]
        self.line.play(roll)
        self.tell(self.line.position.mover, f"rolled {roll}")

    def _let_choose(self, side: int) -> None:
        """A player's turn."""
        with self.screen.thinking(f"{self.names[side]} is thinking"):
            choice = self.players[side].choose(self.line.position)
        self.line.play(choice.move, choice.comment)
        remark = f": {choice.comment}" if choice.comment else ""
        self.tell(side, f"played {choice.move}{remark}")
        if not self.people:
            self.show()
            self.news.clear()
            if self.screen.is_live:
                time.sleep(PAUSE)

    def _ask(self) -> None:
        """A person's turn: commands and pieces of a move, until the game has changed."""
        entry, side = Entry(self.game, self.line.position), self.line.position.mover
        if entry.is_pass:
            self.line.play(self.line.position.legal_moves()[0])
            self.tell(side, "could not move")
            return
        self.show(entry)
        is_done = False
        while not is_done:
            text = self._read(_question(self.game.sides[side], entry))
            try:
                command = _command(text)
                is_done = command(self, text, entry) if command else self._move(text, entry)
            except LudusError as error:
                self.screen.say(str(error), "red")

    def _move(self, text: str, entry: Entry) -> bool:
        """Go on with a move; True when it is made."""
        if not text:
            # Where only one place is left, Enter is enough.
            if not entry.touched or len(entry.places) != 1:
                return False
            text = entry.places[0]
        move = entry.read(text)
        if move is None:
            self.show(entry)
            return False
        side = self.line.position.mover
        self.line.play(move)
        self.news.clear()
        self.tell(side, f"played {move}")
        return True

    def _end(self, verdict: str) -> None:
        """Say how it ended and offer another game."""
        self.show()
        self.screen.say(verdict, "bold")
        is_done = False
        while not is_done:
            text = self._read("Another game? (yes, no, back, save FILE)")
            word = {"y": "new", "yes": "new", "n": "quit", "no": "quit"}.get(text.lower(), text)
            try:
                command = _command(word)
                if command is None:
                    raise BadMove("the game is over: answer yes or no, or type help")
                is_done = command(self, word, None)
            except LudusError as error:
                self.screen.say(str(error), "red")

    def _read(self, question: str) -> str:
        text = self.screen.ask(question)
        if text is None:
            raise Leave
        return text


def _command(text: str) -> Any:
    """What a line asks for, if it is not a move."""
    word = text.split(maxsplit=1)[0].lower() if text else ""
    return COMMANDS.get(word)


def _question(side: str, entry: Entry) -> str:
    if not entry.touched:
        return f"{side}, {entry.question}"
    places = ", ".join(entry.places)
    shown = places if len(places) <= WIDTH else f"{places[:WIDTH].rpartition(',')[0]}, …"
    return f"{'-'.join(entry.touched)} {entry.question} ({shown})"
