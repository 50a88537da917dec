"""Players to evaluate: those that an experiment names, or those of an environment variable."""

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ludus import Player, parse_spec
from ludus.games import game as named_game
from ludus.learn import nnmm, scholar
from ludus.players import player as named_player
from ludus.reproduce import Context

from ..galassi.data import find_data_folder

ORDER = "TFR"
"""Order in which the author's networks choose: TO, FROM, REMOVE."""

GAME: Final = "nine_mens_morris"
RULES = "standard"

VARIABLE = "LUDUS_SCHOLAR_PLAYERS"
"""Specs of players to examine instead, with `;` between them."""


@dataclass(frozen=True)
class TestedPlayer:
    """A player and its name in tables."""

    name: str
    spec: str

    @property
    def key(self) -> str:
        """Everything that determines its moves, for cache keys: the content of the weights file."""
        spec = parse_spec(self.spec)
        options = {name: value for name, value in spec.options.items() if name != "weights"}
        given_options = ",".join(f"{name}={value}" for name, value in sorted(options.items()))
        return f"{spec.name}:{given_options} {_hash_weights(spec.name, spec.options)}".rstrip()

    def create(self, seed: int) -> Player:
        """The player, ready to play."""
        player = named_player(self.spec, named_game(GAME, RULES))
        player.start_game(seed)
        return player


def list_players(context: Context) -> list[TestedPlayer]:
    """List players in the order of the TOML file; the first is evaluated in most detail."""
    named = [spec.strip() for spec in os.environ.get(VARIABLE, "").split(";") if spec.strip()]
    if named:
        return [TestedPlayer(_shorten_spec(spec), spec) for spec in named]
    return [TestedPlayer(name, spec) for name, spec in context.published["players"].items()]


def list_author_networks(context: Context) -> list[TestedPlayer]:
    """List the author's published networks, if their files are beside the dataset."""
    source = find_data_folder() / "npz"
    if not list(source.glob(f"*-{ORDER}_*.npz")):
        return []
    file = context.folder("author") / f"{ORDER}.safetensors"
    nnmm.save_weights(file, nnmm.import_galassi_networks(source, ORDER))
    return [TestedPlayer("the author's networks", f"nnmm:weights={file}")]


def _shorten_spec(spec: str) -> str:
    """Return a spec without the folders of its file."""
    head, equals, path = spec.partition("weights=")
    file, comma, rest = path.partition(",")
    return f"{head}{equals}{Path(file).name}{comma}{rest}"


def _hash_weights(name: str, options: Any) -> str:
    """Return the hash of the file with the player's networks; empty for a player without one."""
    file = options.get("weights")
    if file is None and name == "scholar":
        wanted = options.get("kind", "scorer"), options.get("size", scholar.DEFAULT_SIZE)
        file = scholar.find_shipped_weights().get(wanted)
    elif file is None and name == "nnmm":
        known = nnmm.find_shipped_weights()
        size, order = options.get("size", nnmm.DEFAULT_SIZE), options.get("order")
        file = next(
            (known[key] for key in known if key[0] == size and order in (None, key[1])), None
        )
    if file is None or not Path(file).is_file():
        return ""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]
