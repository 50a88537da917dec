"""Games of OpenSpiel (Lanctot et al. 2019) and replays of Kaggle's environments, which use it.

A game is a list of its actions: as numbers, as its strings of actions, as a serialized state, as a
playthrough, or in a replay of `kaggle-environments` and Game Arena. Rules that differ from ours:

- Nine men's morris has no draw by repetition; it is a draw after 200 turns, which the header
  `MaxPlies` says.
- In backgammon a gammon counts one point by default, as in a match to one point.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from ludus.core.errors import BadRecord, quote, to_one_line
from ludus.core.game import Outcome
from ludus.core.movetext import Line, Node
from ludus.core.record import Record
from ludus.games.backgammon.game_files import FileGame, Turn, make_records
from ludus.games.coding import coding_for
from ludus.games.nine_mens_morris.board import READING_ORDER
from ludus.games.nine_mens_morris.coding import BASE, BESIDE
from ludus.games.registry import game as named_game

MAX_TURNS: Final = 200
"""Turns after which nine men's morris is a draw."""

MAX_ACTIONS: Final = 1352
"""Actions are below this number in both games."""

POINTS: Final = 24
ILLEGAL: Final = -1
"""What Kaggle's players send if they find no legal action."""

POINT: Final = re.compile(
    r"(?:place at |capture opponent piece at |place |capture )?point ([0-9]{1,5})"
)
SLIDE: Final = re.compile(r"move (?:point )?([0-9]{1,5}) ?-> ?(?:point )?([0-9]{1,5})")
NUMBERED: Final = re.compile(r"(?:chance outcome )?([0-9]{1,5})(?: [xo] starts,)?(?: \(| - ).*")
"""An action of backgammon, `chance outcome 2 (roll: 13)` or `702 - 24/20`."""

NUMBERS: Final = re.compile(r"\[?[0-9]{1,5}(?:, ?[0-9]{1,5})+\]?")
"""A list of actions in a line."""

SERIALIZED: Final = re.compile(r"\[Game\]\n(?P<game>.*)\n\[State\]\n(?P<state>[\s\S]*)")
PLAYED: Final = re.compile(r"^action: ([0-9]{1,5})$", re.MULTILINE)
"""An action of a playthrough."""


@dataclass(frozen=True, slots=True)
class Forfeit:
    """The loss of a player by something other than a legal move."""

    side: int
    reason: str
    """`illegal`, `timeout` or `crash`."""

    tried: str = ""
    """The illegal move, if it is known."""


@dataclass(frozen=True, slots=True)
class ActionGame:
    """A game as its actions."""

    name: str
    """With its parameters: `backgammon(scoring_type=full_scoring)`."""

    actions: tuple[int, ...]
    players: tuple[str, str] = ("", "")
    forfeit: Forfeit | None = None
    num_opening: int = 0
    """Actions that were made before the players began."""


def is_open_spiel(text: str) -> bool:
    """Return whether a text is one of OpenSpiel's or Kaggle's."""
    head = text.lstrip()
    if head.startswith("{"):
        return '"openSpielGameName"' in text
    if SERIALIZED.search(text) or (head.startswith("game: ") and PLAYED.search(text)):
        return True
    first = head.partition("\n")[0].strip()
    return bool(NUMBERS.fullmatch(first)) or _read_action(first) is not None


def parse_open_spiel(text: str) -> list[Record]:
    """Parse the games of a text, each a game that can be played here."""
    return [_make_record(each) for each in _read_games(text)]


def _read_games(text: str) -> list[ActionGame]:
    head = text.lstrip()
    if head.startswith("{"):
        return [_read_replay(text)]
    if found := SERIALIZED.search(text):
        return [ActionGame(found["game"].strip(), _read_state(found["state"]))]
    if head.startswith("game: "):
        name = head.partition("\n")[0].removeprefix("game: ").strip()
        return [ActionGame(name, tuple(map(int, PLAYED.findall(text))))]
    games = []
    for part in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in part.splitlines()]
        if all(map(NUMBERS.fullmatch, lines)):
            games += [ActionGame(*_name_numbers(line)) for line in lines]
        else:
            games.append(_read_words(lines))
    return games


def _name_numbers(line: str) -> tuple[str, tuple[int, ...]]:
    """Return a game of bare numbers: backgammon if it begins with a roll that no point can be."""
    actions = tuple(map(int, re.findall("[0-9]+", line)))
    is_backgammon = any(each >= POINTS for each in actions[1:2])
    return "backgammon" if is_backgammon else "nine_mens_morris", actions


def _read_words(lines: Sequence[str]) -> ActionGame:
    actions = []
    words = [word for line in lines for word in _split(line)]
    for word in words:
        action = _read_action(word)
        if action is None:
            raise BadRecord(f"{quote(word)} is no action of OpenSpiel")
        actions.append(action)
    is_backgammon = words[0].lower().startswith("chance outcome")
    return ActionGame("backgammon" if is_backgammon else "nine_mens_morris", tuple(actions))


def _split(line: str) -> list[str]:
    """Return the actions of a line; those of backgammon have commas of their own."""
    if NUMBERED.fullmatch(line.lower()):
        return [line]
    return [word.strip() for word in re.split(r"[,;]", line) if word.strip()]


def _read_action(word: str) -> int | None:
    """Return the number of an action that is given as a string."""
    text = re.sub(r"^[wbxo]: ", "", word.strip().lower())
    if found := SLIDE.fullmatch(text):
        return POINTS + POINTS * int(found[1]) + int(found[2])
    if found := POINT.fullmatch(text) or NUMBERED.fullmatch(text):
        return int(found[1])
    return PASSED if text == "pass" else None


def _read_state(text: str) -> tuple[int, ...]:
    """Return the actions of a serialized state: a line each, or `history=0:19,1:7`."""
    if found := re.search(r"^history=(.*)$", text, re.MULTILINE):
        return tuple(map(int, re.findall("[0-9]:([0-9]{1,5})", found[1])))
    return tuple(map(int, re.findall(r"^[0-9]{1,5}$", text, re.MULTILINE)))


def _read_replay(text: str) -> ActionGame:
    """Read a replay of Kaggle's environments."""
    try:
        replay = json.loads(text)
        configuration, info = replay["configuration"], replay["info"]
        name = info.get("openSpielGameStringResolved") or configuration["openSpielGameString"]
        actions = tuple(int(each) for each in info["actionHistory"])
        return ActionGame(
            str(name).replace("_proxy(", "("),
            actions,
            _name_players(info),
            _find_forfeit(replay),
            len(info.get("initialActions") or ()),
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError) as error:
        what = to_one_line(repr(error), 60)
        raise BadRecord(f"this replay lacks what a game of OpenSpiel has: {what}") from error


def _name_players(info: Mapping[str, Any]) -> tuple[str, str]:
    names = info.get("TeamNames") or [each.get("Name", "") for each in info.get("Agents") or ()]
    first, second = [*map(str, names), "", ""][:2]
    return first, second


def _find_forfeit(replay: Mapping[str, Any]) -> Forfeit | None:
    """Return how the last step ended the game, if not by a legal action."""
    reasons = {"TIMEOUT": "timeout", "ERROR": "crash", "INVALID": "illegal"}
    for side, (state, status) in enumerate(
        zip(replay["steps"][-1], replay["statuses"], strict=True)
    ):
        info, action = state.get("info") or {}, state.get("action") or {}
        submitted = info.get("actionSubmitted")
        if submitted is not None and info.get("actionApplied") is None:
            # A player that fails to answer sends -2.
            reason = "crash" if submitted < ILLEGAL else "illegal"
            known = submitted if submitted >= 0 else ""
            return Forfeit(side, reason, str(action.get("actionString") or known))
        if status in reasons and info:
            return Forfeit(side, reasons[status])
    return None


def _make_record(played: ActionGame) -> Record:
    name = re.match(r"\w*", played.name)
    kind = name[0] if name else ""
    if kind not in READERS:
        known = " and ".join(READERS)
        raise BadRecord(f"OpenSpiel's game {quote(kind)} cannot be read, only {known}")
    if not all(0 <= each < MAX_ACTIONS for each in played.actions):
        raise BadRecord(f"an action of {kind} is a number from 0 to {MAX_ACTIONS - 1}")
    return READERS[kind](played)


def _read_morris(played: ActionGame) -> Record:
    """Return a game of nine men's morris; a mill and the man it takes are one move here."""
    game = named_game("nine_mens_morris", "repetition=0")
    coding, position = coding_for(game), game.start()
    begun: tuple[int, ...] = ()
    nodes: list[Node] = []
    start, num_opening = position, 0
    for number, action in enumerate(played.actions, 1):
        begun = (*begun, _encode(action, is_capture=bool(begun)))
        moves = coding.decode_actions(position)
        if begun in moves:
            nodes.append(Node(str(moves[begun])))
            position, begun = position.play(moves[begun]), ()
        elif not any(actions[: len(begun)] == begun for actions in moves):
            tried = "".join(map(coding.describe_action, begun)) if begun[-1] >= 0 else str(action)
            nodes.append(Node(tried))
            break
        if number == played.num_opening:
            start, num_opening = position, len(nodes)
    max_plies = MAX_TURNS - num_opening
    made = tuple(nodes[num_opening:])
    is_long = len(made) >= max_plies and position.outcome() is None
    outcome = Outcome(None, "length") if is_long else position.outcome()
    names = played.players[0] or game.sides[0], played.players[1] or game.sides[1]
    record = Record.from_line(game, names, str(start), start.mover, Line(made), outcome)
    headers = {**record.headers, "MaxPlies": str(max_plies)}
    return _add_forfeit(replace(record, headers=headers).end_at_illegal(game), played)


def _encode(action: int, is_capture: bool) -> int:
    """Return our number of an action; -1 if OpenSpiel has no such action."""
    if action < POINTS:
        point = READING_ORDER[action]
        return BASE * point + BESIDE if is_capture else BASE * BESIDE + point
    if action >= POINTS + POINTS * POINTS:
        return -1
    frm, to = divmod(action - POINTS, POINTS)
    return BASE * READING_ORDER[frm] + READING_ORDER[to]


def _add_forfeit(record: Record, played: ActionGame) -> Record:
    """Say who lost by what, if a player did not make a legal move."""
    lost = played.forfeit
    return record if lost is None else record.forfeit(lost.side, lost.reason, lost.tried)


ROLLS: Final = tuple(
    pair for low in range(1, 7) for high in range(low + 1, 7) for pair in ((low, high), (high, low))
) + tuple((die, die) for die in range(1, 7))
"""Dice by the number of a chance outcome; an even one lets the first player begin."""

DIGITS: Final = 26
"""A half turn is two digits to this base: where each die is played from, 24 the bar, 25 nowhere."""

NOWHERE: Final = 25
LOW_FIRST: Final = DIGITS * DIGITS
"""Actions from here on play the lower die first."""

PASSED: Final = NOWHERE * DIGITS + NOWHERE


def _read_backgammon(played: ActionGame) -> Record:
    """Return a game of backgammon; a double, two actions there, is one move here."""
    turns: list[Turn] = []
    dice: tuple[int, int] | None = None
    side, steps, is_second = -1, [], False
    for action in played.actions:
        if dice is None:
            if not 0 <= action < len(ROLLS):
                raise BadRecord(f"{action} is no roll of the dice")
            dice = ROLLS[action]
            side = action % 2 if side < 0 else 1 - side
            continue
        half = _list_steps(action, side, dice)
        steps += half
        if dice[0] == dice[1] and len(half) == 2 and not is_second:
            is_second = True
            continue
        turns.append(_make_turn(side, dice, steps))
        dice, steps, is_second = None, [], False
    if dice is not None and steps:
        turns.append(_make_turn(side, dice, steps))
    names = played.players[0] or "white", played.players[1] or "black"
    length = 0 if "full_scoring" in played.name else 1
    layout: Literal["standard", "hyper"] = (
        "hyper" if "hyper_backgammon=true" in played.name.lower() else "standard"
    )
    game = FileGame(names, tuple(turns), length, layout=layout, has_stakes=False)
    [record] = make_records([game])
    return _add_forfeit(record, played)


def _make_turn(side: int, dice: tuple[int, int], steps: Sequence[str]) -> Turn:
    return Turn(side, f"{dice[0]}{dice[1]}", " ".join(steps))


def _list_steps(action: int, side: int, dice: tuple[int, int]) -> list[str]:
    """Return the steps of an action, as the mover counts the points."""
    order = sorted(dice, reverse=action < LOW_FIRST)
    digits = divmod(action % LOW_FIRST, DIGITS)[::-1]
    found = []
    for die, digit in zip(order, digits, strict=True):
        if digit != NOWHERE:
            place = 25 if digit == NOWHERE - 1 else digit + 1 if side else 24 - digit
            found.append(f"{place}/{max(place - die, 0)}")
    return found


READERS: Final[Mapping[str, Callable[[ActionGame], Record]]] = {
    "nine_mens_morris": _read_morris,
    "backgammon": _read_backgammon,
}
