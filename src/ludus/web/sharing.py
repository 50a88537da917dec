"""Games in addresses: with one, others can look at the game, and cannot play in it.

An address holds the moves themselves, compressed, so the server need not remember the game, and
the address of a game that is played here stays with its players.
"""

import base64
import binascii
import zlib
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from ludus.analysis.records import load_game
from ludus.core.movetext import Line, Node
from ludus.core.record import Record
from ludus.games.cards import describe_game, draw_scene, list_scenes, render_card
from ludus.web.errors import RequestRefused

if TYPE_CHECKING:
    from ludus.web.game_record import GameRecord

MAX_CODE = 8_000
"""Characters of an address, which all browsers and proxies let through."""

MAX_BYTES = 100_000
"""Bytes of a record, which no address of that length should need."""

ANIMATION_WIDTH = 480


def encode_record(record: Record) -> str:
    """Return a record for an address."""
    packed = zlib.compress(str(record).encode(), 9)
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def decode_record(code: str) -> Record:
    """Return the record in an address; RequestRefused if there is none."""
    try:
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        reader = zlib.decompressobj()
        text = reader.decompress(packed, MAX_BYTES)
        if not reader.eof:
            raise RequestRefused("the address holds no whole game")
        return Record.parse(text.decode())
    except (binascii.Error, zlib.error, UnicodeError):
        raise RequestRefused("the address holds no game") from None


def share_game(record: "GameRecord", node: int | None = None) -> str:
    """Return the address part of a game: its first line, or the line to a node.

    Comments and variations stay with those who play.
    """
    tree = record.tree
    whole = record.to_record()
    moves = (
        [each.move for each in whole.line.moves]
        if node is None
        else [str(each.move) for each in tree.path_to(node)[1:]]
    )
    headers = {
        name: value for name, value in whole.headers.items() if name not in ("Result", "Reason")
    }
    for side, seat in zip(record.game.sides, record.seats, strict=True):
        headers.pop(side.capitalize(), None)
        if not seat.is_person:
            headers[side.capitalize()] = seat.persona or seat.title
    line = Line(tuple(Node(move) for move in moves))
    return encode_record(Record(headers, line, whole.first_ply if moves else 0))


def describe_shared(record: Record) -> tuple[str, str]:
    """Return the title of a recorded game, and a sentence about it."""
    game = load_game(record)
    end = record.replay(game)[-1]
    return game.title, ". ".join(each.rstrip(".") for each in describe_game(game, end, record))


def make_link_preview(base: str, code: str) -> str:
    """Return what other sites show of a link to a game, as elements of the page's head."""
    title, text = describe_shared(decode_record(code))
    picture = f"{base}picture/{code}.png"
    found = {
        "og:type": "website",
        "og:site_name": "Ludus",
        "og:title": title,
        "og:description": text,
        "og:image": picture,
        "og:image:width": "1200",
        "og:image:height": "630",
        "og:image:alt": f"The board. {text}",
        "twitter:card": "summary_large_image",
    }
    return "\n".join(
        f'  <meta property="{name}" content="{escape(value)}">' for name, value in found.items()
    )


def draw_shared(job: Mapping[str, Any]) -> dict[str, Any]:
    """Draw a picture of a game in a worker process; the result is in base64."""
    record = decode_record(job["code"])
    width = ANIMATION_WIDTH if job["suffix"] == ".gif" else None
    data = render_card(load_game(record), record, job["suffix"], job["theme"], width)
    return {"data": base64.b64encode(data).decode()}


def list_shared(job: Mapping[str, Any]) -> dict[str, Any]:
    """Draw the positions of a game in a worker process, to be looked at one by one."""
    record = decode_record(job["code"])
    title, text = describe_shared(record)
    game = load_game(record)
    scenes = list_scenes(game, record)
    return {
        "game": game.id,
        "title": title,
        "text": text,
        "record": str(record),
        "frames": [
            {
                "text": scene.caption,
                "svg": draw_scene(scene).svg(has_style=False, has_places=False),
                "is_roll": scene.is_roll,
            }
            for scene in scenes
        ],
    }
