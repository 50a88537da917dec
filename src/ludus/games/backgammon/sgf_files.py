"""Games of backgammon in SGF (FF[4], GM[6]), as GNU Backgammon writes and reads them.

A point is a letter, `a` to `x` as White counts; `y` is the bar and `z` off the board. A node is
`;W[31hefe]`, `;B[double]`, `;W[take]` or `;W[drop]`.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from ludus.core.errors import BadRecord, quote
from ludus.core.record import Record
from ludus.games.backgammon.board import BAR, OFF
from ludus.games.backgammon.game_files import MAX_GAMES, FileGame, Turn, join_sessions

COLOURS: Final = ("W", "B")
"""SGF's letters of side 0 and side 1."""

MAX_LETTERS: Final = 8


def format_sgf(records: Iterable[Record]) -> str:
    """Format games, one tree each, with the comments of their moves."""
    games = join_sessions(list(records))
    return "".join(f"{_format_game(number, each)}\n" for number, each in enumerate(games))


def _format_game(number: int, played: FileGame) -> str:
    rules = ["Crawford"] if played.length else []
    rules += ["CrawfordGame"] if played.is_crawford else []
    rules += ["Jacoby"] if played.is_jacoby else []
    info = f"[length:{played.length}][game:{number}][ws:{played.score[0]}][bs:{played.score[1]}]"
    names = f"PW[{_escape(played.players[0])}]PB[{_escape(played.players[1])}]"
    shown_rules = f"RU[{':'.join(rules)}]" if rules else ""
    result = ""
    if played.winner is not None:
        result = f"RE[{COLOURS[played.winner]}+{played.points}{'R' * bool(played.resigned)}]"
    nodes = "".join(f"\n;{_format_turn(turn)}" for turn in played.turns)
    return f"(;FF[4]GM[6]CA[UTF-8]AP[Ludus]MI{info}{names}{shown_rules}{result}{nodes}\n)"


def _format_turn(turn: Turn) -> str:
    comment = f"C[{_escape(turn.comment)}]" if turn.comment else ""
    if len(turn.action) != 2:
        return f"{COLOURS[turn.side]}[{turn.action}]{comment}"
    places = [int(place.rstrip("*")) for place in re.split(r"[ /]", turn.move) if place]
    letters = "".join(_to_letter(place, turn.side) for place in places)
    return f"{COLOURS[turn.side]}[{turn.action}{letters}]{comment}"


def _to_letter(place: int, side: int) -> str:
    if place in (BAR, OFF):
        return "y" if place == BAR else "z"
    return chr(ord("a") + place - 1) if side == 0 else chr(ord("x") - place + 1)


def _to_place(letter: str, side: int) -> int:
    if letter in "yz":
        return BAR if letter == "y" else OFF
    return ord(letter) - ord("a") + 1 if side == 0 else ord("x") - ord(letter) + 1


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


PROPERTY: Final = re.compile(r"\s*([A-Z]{1,8})\s*((?:\[(?:[^\]\\]|\\.)*\]\s*)+)", re.DOTALL)
VALUE: Final = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
MOVE: Final = re.compile(r"([1-6][1-6])([a-z]*)")

Node = dict[str, list[str]]


def parse_sgf(text: str) -> list[FileGame]:
    """Parse the games of an SGF file, main lines only; BadRecord says what is wrong where."""
    games = []
    for number, nodes in enumerate(_parse_trees(text), 1):
        if number > MAX_GAMES:
            raise BadRecord(f"more than {MAX_GAMES} games")
        games.append(_parse_game(number, nodes))
    return games


def _parse_trees(text: str) -> Iterator[list[Node]]:
    """Yield the nodes of each tree's main line: of several branches the first."""
    nodes: list[Node] = []
    branches: list[int] = []  # numbers of branches of the trees that are open
    skipped: int | None = None  # depth of a branch that is not the first
    at = 0
    while at < len(text):
        letter = text[at]
        if letter == "(":
            if branches:
                branches[-1] += 1
                if branches[-1] > 1 and skipped is None:
                    skipped = len(branches)
            branches.append(0)
        elif letter == ")":
            if not branches:
                raise BadRecord(f"character {at + 1}: a ) without its (")
            branches.pop()
            if skipped == len(branches):
                skipped = None
            if not branches:
                yield nodes
                nodes = []
        elif letter == ";" and branches:
            at, node = _parse_node(text, at + 1)
            if skipped is None:
                nodes.append(node)
            continue
        elif not letter.isspace():
            raise BadRecord(f"character {at + 1}: {quote(text[at : at + 20])} is not SGF")
        at += 1
    if branches:
        raise BadRecord("the file ends in the middle of a game")


def _parse_node(text: str, at: int) -> tuple[int, Node]:
    node: Node = {}
    while (found := PROPERTY.match(text, at)) is not None:
        node.setdefault(found[1], []).extend(
            re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL) for value in VALUE.findall(found[2])
        )
        at = found.end()
    return at, node


def _parse_game(number: int, nodes: list[Node]) -> FileGame:
    where = f"game {number}"
    if not nodes or nodes[0].get("GM", ["6"]) != ["6"]:
        raise BadRecord(f"{where} is not a game of backgammon, GM[6]")
    root = nodes[0]
    info = dict(item.partition(":")[::2] for item in root.get("MI", ()))
    numbers = [_parse_number(info.get(key, "0"), where) for key in ("length", "ws", "bs")]
    length, white, black = numbers
    rules = ":".join(root.get("RU", ())).split(":")
    names = [root.get(key, [default])[0] for key, default in (("PW", "white"), ("PB", "black"))]
    turns = [turn for node in nodes for turn in _parse_turns(node, where)]
    winner, points = _parse_result(root.get("RE", [""])[0], where)
    return FileGame(
        (names[0], names[1]),
        tuple(turns),
        length,
        (white, black) if length else (0, 0),
        "CrawfordGame" in rules,
        winner,
        points,
        is_jacoby=True if "Jacoby" in rules else None,
    )


def _parse_turns(node: Node, where: str) -> Iterator[Turn]:
    for side, colour in enumerate(COLOURS):
        for value in node.get(colour, ()):
            comment = " ".join(" ".join(node.get("C", ())).split())
            if value in ("double", "take", "drop"):
                yield Turn(side, value, comment=comment)
                continue
            found = MOVE.fullmatch(value)
            if found is None or len(found[2]) % 2 or len(found[2]) > MAX_LETTERS:
                raise BadRecord(f"{where}: {quote(value)} is not a move as in 31hefe")
            places = [_to_place(letter, side) for letter in found[2]]
            steps = zip(places[::2], places[1::2], strict=True)
            yield Turn(side, found[1], " ".join(f"{a}/{b}" for a, b in steps), comment)


def _parse_result(text: str, where: str) -> tuple[int | None, int]:
    if not text:
        return None, 0
    found = re.fullmatch(r"([BW])\+([0-9]{1,5})R?(?:esign)?", text)
    if found is None:
        raise BadRecord(f"{where}: result {quote(text)} is not as in B+2")
    return COLOURS.index(found[1]), int(found[2])


def _parse_number(text: str, where: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= 5):
        raise BadRecord(f"{where}: {quote(text)} is not a number")
    return int(text)
