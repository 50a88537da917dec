"""A matchbox as a player shows it: beads of one colour for each move that the box knows."""

from collections.abc import Mapping
from typing import Any

from ludus.core.game import AnyGame
from ludus.core.pictures import NUM_COLOURS, Note, Picture


def matchbox(game: AnyGame, beads: Mapping[Any, float], names: Mapping[Any, str]) -> Picture:
    """The box of a position; moves that are one another's mirror images share a colour."""
    shown = list(dict.fromkeys(names[move] for move in beads))
    colours = {name: number % NUM_COLOURS for number, name in enumerate(shown)}
    held = {names[move]: int(number) for move, number in beads.items()}
    notes = (
        Note(game.steps(move), beads=int(number), colour=colours[names[move]])
        for move, number in beads.items()
        if number >= 1
    )
    total = sum(held.values())
    twins = " Moves that mirror each other share their beads." if len(held) < len(beads) else ""
    return Picture(
        "The matchbox",
        text=f"{total} {'bead' if total == 1 else 'beads'} of {len(held)} colours lay in the box "
        f"of this position, and one was drawn blindly.{twins}",
        notes=tuple(notes),
    )
