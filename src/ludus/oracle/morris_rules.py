"""The rules of the Morris family as far as perfect values depend on them."""

from dataclasses import fields, replace

from ludus.games.nine_mens_morris.rules import PRESETS, Rules


def without_repetition(rules: Rules) -> Rules:
    """The rules with one and the same rule of repetition, on which no value depends."""
    return replace(rules, repetition=0)


def spec_of(rules: Rules) -> str:
    """The game with its nearest preset and what differs from it, repetition left out.

    >>> spec_of(Rules(flying=False, repetition=3))
    'nine_mens_morris:standard,flying=False'
    """
    differences = {
        name: [
            f"{field.name}={getattr(rules, field.name)}"
            for field in fields(rules)
            if field.name != "repetition"
            and getattr(rules, field.name) != getattr(preset, field.name)
        ]
        for name, preset in PRESETS.items()
    }
    nearest = min(differences, key=lambda name: len(differences[name]))
    return f"nine_mens_morris:{','.join([nearest, *differences[nearest]])}"
