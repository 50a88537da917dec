"""Every place where Ludus reads a text, and what feeds hostile strings to it."""

import base64
import collections
import dataclasses
import itertools
import os
import pickle
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import ludus
from fuzzing.hostile import Hostile
from ludus.core.errors import LudusError
from ludus.core.match import play_game
from ludus.core.player import Limit
from ludus.core.record import Line, Node, Record
from ludus.core.spec import apply_options, parse_options, parse_spec
from ludus.games.backgammon import to_gnubg_id, to_position_id
from ludus.games.backgammon.position_ids import to_xgid
from ludus.games.nine_mens_morris import to_playok_move, to_sanmill, to_thesis, to_thesis_move
from support.games import VARIANTS, play_randomly

UNUSUAL = (
    "nine_mens_morris:men=3,flying=no,repetition=3",
    "nine_mens_morris:morabaraba,blocked=passes,place_or_move=yes,quiet_plies=30,repetition=0",
    "nine_mens_morris:men=12,lose_below=1,take_from_mills=always,full_board=draws",
    "noughts_and_crosses:size=8,line=5",
    "hexapawn:size=8",
    "backgammon:hyper,opening=any",
)
"""Rules without a name of their own."""


@dataclass(frozen=True)
class Target:
    """One parser, and what is done with what it accepts."""

    name: str
    valid: tuple[str, ...]
    """Texts that it accepts, to be spoiled."""

    feed: Callable[[str], None]
    """Parses a text and uses the result; raises a LudusError if the text is refused."""

    odd: Callable[[], str] | None = None
    """Makes texts that are well formed and strange."""

    weight: float = 1


def all_targets(source: random.Random) -> list[Target]:
    """Every parser with every game and preset."""
    specs = [f"{name}:{preset}" for name, preset in VARIANTS] + list(UNUSUAL)
    games = {spec: ludus.game(spec) for spec in specs}
    found = [target for spec, game in games.items() for target in _of_game(spec, game, source)]
    return [*found, *_of_specs(specs), *_of_records(games)]


def _of_game(spec: str, game: Any, source: random.Random) -> list[Target]:
    positions = [position for seed in range(4) for position in play_randomly(game, seed, 60)]
    positions = positions[:: max(len(positions) // 60, 1)]
    playable = [position for position in positions if position.outcome() is None]
    has_twin = game.id in ("nine_mens_morris", "backgammon")

    def feed_move(text: str) -> None:
        position = source.choice(playable)
        move = game.parse_move(text, position)
        assert move in position.legal_moves()
        position.play(move)

    return [
        Target(
            f"position of {spec}",
            tuple(text for position in positions for text in _position_texts(position, game)),
            lambda text: use_position(game, game.parse(text), source),
            lambda: odd_text(game, source),
            weight=4 if has_twin else 1,
        ),
        Target(
            f"move of {spec}",
            tuple({text for here in playable for text in _move_texts(here, game)}),
            feed_move,
            weight=2 if has_twin else 0.5,
        ),
    ]


def _position_texts(position: Any, game: Any) -> list[str]:
    """A position in every notation its game has."""
    texts = [str(position)]
    if game.id == "nine_mens_morris":
        texts.append(to_sanmill(position))
        if max(*position.hands, *map(len, position.men)) <= 9:
            texts.append(to_thesis(position))
    if game.id == "backgammon":
        texts += [to_position_id(position), to_gnubg_id(position), to_xgid(position)]
    return texts


def _move_texts(position: Any, game: Any) -> list[str]:
    """A few moves in every notation the game has."""
    moves = position.legal_moves()[:6]
    texts = [str(move) for move in moves]
    if game.id == "nine_mens_morris":
        texts += [write(move) for write in (to_playok_move, to_thesis_move) for move in moves]
    return [text for text in texts if text]


def _of_specs(specs: list[str]) -> list[Target]:
    hexapawn = ludus.game("hexapawn")
    options = tuple(
        f"{field.name}={getattr(rules, field.name)}"
        for name in ludus.GAMES
        for rules in ludus.GAMES[name].presets.values()
        for field in dataclasses.fields(rules)
    )
    players = ("random", "playouts", "playouts:games=50", "playouts:games=9,threads=2,plies=100")
    limits = ("time=1.5", "nodes=100", "depth=3,time=0.1", "time=1,nodes=10,depth=2")

    def rules_of(name: str) -> Callable[[str], None]:
        return lambda text: use_game(ludus.game(name, text))

    return [
        Target("spec of a game", tuple(specs), lambda text: use_game(ludus.game(text)), weight=3),
        *(Target(f"rules of {name}", options, rules_of(name)) for name in ludus.GAMES),
        Target(
            "engine", ("native", "python"), lambda text: use_game(ludus.game("hexapawn", "", text))
        ),
        Target("spec of a player", players, lambda text: _use_player(text, hexapawn), weight=2),
        Target("limit", limits, _use_limit),
    ]


def _use_player(text: str, game: Any) -> None:
    player = ludus.player(text, game)
    player.start_game(1)
    assert player.spec == text


def _use_limit(text: str) -> None:
    parse_spec(f"limit:{text}")
    apply_options(Limit(), parse_options(text)[1], "limit")


def _of_records(games: dict[str, Any]) -> list[Target]:
    named = {game.id: game for game in reversed(games.values())}
    records = [_record(game, seed) for game in games.values() for seed in range(2)]
    texts = tuple(str(record) for record in records)

    def feed_many(text: str) -> None:
        for record in Record.parse_many(text):
            use_record(record, named)

    return [
        Target("record", texts, lambda text: use_record(Record.parse(text), named), weight=4),
        Target("records", tuple(a + b for a, b in itertools.pairwise(texts)), feed_many),
    ]


def _record(game: Any, seed: int) -> Record:
    """A short random game with a comment and a variation."""
    player = ludus.player("random", game)
    match = play_game(game, (player, player), seed=seed, max_plies=6)
    record = Record.from_game(match, game)
    first, *rest = record.line.moves
    result = Node(first.move, 'a "remark" {in \\braces}', (Line((Node(first.move),)),))
    return Record(record.headers, Line((result, *rest), "before the game"), record.first_ply)


def use_position(game: Any, position: Any, source: random.Random) -> None:
    """Play on from a position and call all its methods."""
    check_text(game, position)
    for _ in range(source.randrange(6)):
        moves = position.legal_moves()
        assert (position.outcome() is None) == bool(moves)
        if not moves:
            break
        position = position.play(source.choice(moves))
    check_text(game, position)
    assert game.perft(position, 1) == len(position.legal_moves())
    if source.random() < 0.1:
        assert game.perft(position, 2) == perft_by_moves(game, position)
        assert position.text()
        assert position.svg()
        assert pickle.loads(pickle.dumps(position)) == position
    if game.id in ("nine_mens_morris", "backgammon"):
        use_native(game, position, source)


def check_text(game: Any, position: Any) -> None:
    """Writing and reading must be inverses."""
    text = str(position)
    again = game.parse(text)
    assert (again, str(again), hash(again)) == (position, text, hash(position)), text


def perft_by_moves(game: Any, position: Any) -> int:
    return sum(game.perft(position.play(move), 1) for move in position.legal_moves())


def use_native(game: Any, position: Any, source: random.Random) -> None:
    """What only the compiled twins can do, and now and then a look at what Python says."""
    seed = source.getrandbits(64)
    if game.id == "nine_mens_morris":
        canonical = game.canonical(position)
        assert game.canonical(canonical) == canonical
        played = position.playouts(3, seed=seed, threads=1, max_plies=source.choice((0, 1, 80)))
        assert played["games"] == sum(played["wins"]) + played["draws"] == 3
        is_time = source.random() < 0.2
    else:
        from ludus.games.backgammon import native

        if source.random() < 0.2:
            assert sum(map(sum, native.playouts(position, 1, seed))) == 1
        is_time = source.random() < 0.04
    if is_time:
        twin = python_twin(game).parse(str(position))
        assert twin.legal_moves() == position.legal_moves()
        assert twin.outcome() == position.outcome()


@cache
def python_twin(game: Any) -> Any:
    return ludus.game(game.id, game.rules, "python")


def use_game(game: Any) -> None:
    """Use a game with rules that are no preset."""
    start = game.start()
    for move in start.legal_moves()[:2]:
        check_text(game, start.play(move))


def use_record(record: Record, games: dict[str, Any]) -> None:
    """Write a record, parse it again, and replay it if it names its game."""
    assert Record.parse(str(record)) == record
    game = games.get(record.headers.get("Game", ""))
    if game is not None:
        record.replay(game)


def odd_text(game: Any, source: random.Random) -> str:
    """A random position of this game in one of its notations."""
    writers = {"nine_mens_morris": (_morris, _thesis, _sanmill), "backgammon": (_men, _id, _xgid)}
    return source.choice(writers.get(game.id, (_squares,)))(game, source)


def _board(source: random.Random, size: int, letters: str, most: int) -> str:
    """A board with up to `most` of the first two letters, the rest filled with the third."""
    first, second = source.randint(0, min(most, size)), source.randint(0, most)
    men = (letters[0] * first + letters[1] * second)[:size]
    cells = list(men.ljust(size, letters[2]))
    source.shuffle(cells)
    return "".join(cells)


def _morris(game: Any, source: random.Random) -> str:
    cells = _board(source, 24, "WB.", game.rules.men)
    cuts = (0, 3, 6, 9, 15, 18, 21, 24)
    rows = "/".join(cells[first:last] for first, last in itertools.pairwise(cuts))
    hands = " ".join(_hand(game, cells.count(letter), source) for letter in "WB")
    more = source.choice(("", "", " r2", f" q{source.randint(1, 600)}", " r2 q3"))
    return f"{rows} {source.choice('wb')} {hands}{more}"


def _thesis(game: Any, source: random.Random) -> str:
    cells = _board(source, 24, "MEO", min(game.rules.men, 9))
    counts = [cells.count(letter) for letter in "ME"]
    hands = "".join(_hand(game, count, source)[-1] for count in counts)
    return f"{cells}{hands}{counts[0]}{counts[1]}"


def _sanmill(game: Any, source: random.Random) -> str:
    cells = _board(source, 24, "O@*", game.rules.men)
    counts = " ".join(f"{cells.count(man)} {_hand(game, cells.count(man), source)}" for man in "O@")
    rings = f"{cells[:8]}/{cells[8:16]}/{cells[16:]}"
    quiet = source.choice((0, 0, 7, 499, 500))
    return f"{rings} {source.choice('wb')} p p {counts} 0 0 -1 -1 -1 -1 0 {quiet} 1"


def _hand(game: Any, men: int, source: random.Random) -> str:
    return str(source.choice((0, source.randint(0, max(game.rules.men - men, 0)))))


def _places(game: Any, source: random.Random) -> tuple[list[int], list[int]]:
    """Each side's men on places 0 (off) to 25 (the bar), as that side counts, on few places."""
    sides = []
    for _ in range(2):
        favourites = source.sample(range(26), source.choice((2, 4, 8)))
        places = [0] * 26
        for place in source.choices(favourites, k=game.rules.men):
            places[place] += 1
        sides.append(places)
    for place in range(1, 25):
        if sides[0][place]:
            sides[1][0] += sides[1][25 - place]
            sides[1][25 - place] = 0
    return sides[0], sides[1]


def _men(game: Any, source: random.Random) -> str:
    names = {0: "off", 25: "bar"}
    men = [
        ",".join(f"{names.get(place, place)}:{n}" for place, n in enumerate(side) if n)
        for side in _places(game, source)
    ]
    roll = source.choice(("roll", "over", "opening", "66", "21", "43", "11"))
    return f"{men[0]} {men[1]} {source.choice('01')} {roll}"


def _id(game: Any, source: random.Random) -> str:
    bits = "".join("1" * n + "0" for side in _places(game, source) for n in side[1:])
    key = int(bits[::-1], 2).to_bytes(16, "little")[:10]
    turn = source.choice(("", ":0", ":1", ":0:31", ":1:66", ":cAkAAAAAAAAA"))
    return base64.b64encode(key).decode()[:14] + turn


def _xgid(game: Any, source: random.Random) -> str:
    own, other = _places(game, source)
    letters = ["-"] * 26
    for place in range(1, 26):
        if own[place]:
            letters[place] = chr(ord("A") + own[place] - 1)
        if other[place]:
            letters[25 - place] = chr(ord("a") + other[place] - 1)
    dice = source.choice(("00", "66", "31", "12"))
    return f"XGID={''.join(letters)}:0:0:{source.choice(('1', '-1'))}:{dice}:0:0:0:0:10"


def _squares(game: Any, source: random.Random) -> str:
    size = game.rules.size
    letters, movers = ("WB.", "wb") if game.id == "hexapawn" else ("XO.", "xo")
    cells = _board(source, size * size, letters, size)
    rows = "/".join(cells[first : first + size] for first in range(0, size * size, size))
    return f"{rows} {source.choice(movers)}"


ODD = "odd"
"""Well formed, but strange; the other kinds are those of `hostile`."""

ODD_SHARE = 0.3
"""Of the strings that parsers of positions get."""

LONGEST_MESSAGE = 500
EXTREMES = ("", "\0", "\ud800", "x" * 1_000_001, "(" * 1_000_000, "9" * 1_000_000, "[a" * 500_000)
"""Given to every parser once."""


class LastWords:
    """The string in use, in a file that outlives the process."""

    def __init__(self, file: Path) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)

    def say(self, target: str, text: str) -> None:
        words = f"{target}: {text[:2000]!a}\n".encode()
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, words, 0)


def feed(target: Any, text: str) -> bool:
    """Whether the parser accepts the text; any error but a short LudusError is a bug."""
    try:
        target.feed(text)
    except LudusError as error:
        message = str(error)
        assert message.splitlines() == [message], "a message must be one line"
        assert len(message) < LONGEST_MESSAGE, f"a message of {len(message)} characters"
        return False
    return True


def strings(targets: list[Any], source: random.Random, count: int) -> Any:
    """Which parser gets which kind of string."""
    hostile = Hostile(source)
    kinds = list(hostile.kinds)
    for target in targets:
        yield from ((target, "extreme", text) for text in EXTREMES)
    # Now and then a parser gets what was meant for another.
    foreign = tuple(text for target in targets for text in target.valid[:20])
    for target in source.choices(targets, [target.weight for target in targets], k=count):
        if target.odd is not None and source.random() < ODD_SHARE:
            yield target, ODD, target.odd()
        else:
            kind = source.choice(kinds)
            valid = foreign if source.random() < 0.05 else target.valid
            yield target, kind, hostile.kinds[kind](valid)


def feed_parsers(modules: list[str], seed: str, count: str, last: str) -> dict[str, Any]:
    """Feed strings to all parsers; return how many of which kind each got, and accepted."""
    source = random.Random(int(seed))
    words = LastWords(Path(last))
    fed, kinds, accepted = (collections.Counter[str]() for _ in range(3))
    for target, kind, text in strings(all_targets(source), source, int(count)):
        words.say(target.name, text)
        try:
            is_accepted = feed(target, text)
        except Exception as error:
            error.add_note(f"{target.name} choked on {kind} {text[:2000]!a}")
            raise
        fed[target.name] += 1
        kinds[kind] += 1
        accepted[target.name] += is_accepted
    return {"modules": modules, "fed": fed, "kinds": kinds, "accepted": accepted}
