"""What the commands about patterns share."""

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ludus.learn.patterns.settings import Options

SettingsText = Annotated[
    str,
    typer.Option(
        "--settings",
        metavar="OPTIONS",
        help="Options of the Fuzzy player: preset=tuned, or k=3,wL=15.",
    ),
]

SeedRules = Annotated[
    str, typer.Option("--rules", metavar="RULES", help="A preset and options of the rules.")
]


def read_settings(text: str) -> "Options":
    """Options of the Fuzzy player from a text like that behind `fuzzy:`."""
    from ludus.core.errors import BadSpec, quoted
    from ludus.core.spec import parse_spec, with_options
    from ludus.learn.patterns.settings import Options

    parsed = parse_spec(f"fuzzy:{text}")
    if parsed.words:
        raise BadSpec(f"{quoted(parsed.words[0])} in --settings is not key=value")
    return with_options(Options(), parsed.options, "fuzzy")
