"""Texts of positions that are well formed, most of which no game would ever reach.

They get past the parsers, so that the rules behind these meet what nobody thought of.
"""

import base64
import itertools
import random
from typing import Any


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
