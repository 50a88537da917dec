"""The small file that says which game a folder holds, written before anything else."""

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ludus.core.errors import LudusError, quoted
from ludus.games.nine_mens_morris.rules import Rules
from ludus.oracle.errors import BadDatabase
from ludus.oracle.folder import whole_file

NAME = "ludus.json"
GAME = "nine_mens_morris"
VERSION = 1
_LONGEST = 10_000


@dataclass(frozen=True)
class Manifest:
    """Rules, and whether values come with their depth. Every table of the folder agrees."""

    rules: Rules
    has_depth: bool

    def write(self, folder: Path) -> None:
        with whole_file(folder / NAME) as file:
            file.write(self._to_text().encode())

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        path = folder / NAME
        shown = quoted(str(path), 200)
        try:
            with path.open("rb") as file:
                data = file.read(_LONGEST)
        except FileNotFoundError:
            raise BadDatabase(f"there is no database in {quoted(str(folder), 200)}") from None
        except (OSError, ValueError) as error:
            raise BadDatabase(f"cannot read {shown}: {error}") from error
        try:
            fields = json.loads(data)
            version = fields["version"]
            if version == VERSION:
                found = cls(Rules(**fields["rules"]), fields["has_depth"])
        except (ValueError, TypeError, KeyError, RecursionError, LudusError) as error:
            raise BadDatabase(f"{shown} is damaged") from error
        if version != VERSION:
            raise BadDatabase(f"{shown} has format version {version!r:.20}; {VERSION} is known")
        # There is one way to write a manifest, so that no changed byte goes unseen.
        if found._to_text().encode() != data:
            raise BadDatabase(f"{shown} is damaged")
        return found

    def _to_text(self) -> str:
        fields: dict[str, Any] = {
            "game": GAME,
            "version": VERSION,
            "has_depth": self.has_depth,
            "rules": asdict(self.rules),
        }
        text = json.dumps(fields)
        fields["checksum"] = hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
        return json.dumps(fields, indent=2) + "\n"
