"""Words for people: the parser's complaints in ours, and signs that a terminal cannot show."""

import codecs
import re
from typing import Final

COMPLAINTS: Final = (
    (r"Input should be a valid integer.*", "must be a whole number"),
    (r"Input should be a valid number.*", "must be a number"),
    (r"Input should be a valid boolean.*", "must be yes or no"),
    (r"Input should be a finite number.*", "must be a finite number"),
    (r"Input should be greater than or equal to (.*)", r"must be at least \1"),
    (r"Input should be less than or equal to (.*)", r"must be at most \1"),
    (r"Input should be greater than (.*)", r"must be more than \1"),
    (r"Input should be less than (.*)", r"must be less than \1"),
    (r"Value error, ('.*') is not one of (.*?)\.?", r"must be one of \2, not \1"),
    (r"Value error, (.*)", r"\1"),
)
"""What the parser, which checks values by pydantic, says of a value; and what we say."""


def rephrase_complaint(message: str) -> str:
    """Return a message of the parser in our words.

    >>> rephrase_complaint("Invalid value for '--games': Input should be a valid integer, unable …")
    '--games must be a whole number'
    >>> rephrase_complaint("Invalid value for '--side': Value error, 'x' is not one of 'a', 'b'.")
    "--side must be one of 'a', 'b', not 'x'"
    """
    found = re.fullmatch(r"Invalid value(?: for '(.+?)')?: (.*)", message, re.DOTALL)
    if found is None:
        return message
    name, complaint = found[1] or "", found[2]
    for pattern, words in COMPLAINTS:
        if (match := re.fullmatch(pattern, complaint, re.DOTALL)) is not None:
            return f"{name} {match.expand(words)}".strip()
    return f"{name}: {complaint}" if name else complaint


PLAIN_SIGNS: Final = {
    **dict(zip("─│┌┐└┘├┤┬┴┼╲╱", "-|+++++++++\\/", strict=True)),
    **dict(zip("○●◌·‹›✓✗×–−±→…°", "WB*.<>+!x--~>.o", strict=True)),
}
"""A sign of the same width for each of a board, and for those of texts; men are W and B."""


def replace_signs(error: UnicodeError) -> tuple[str, int]:
    """Replace what an encoding has not, as error handler of a stream."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end]
    return "".join(PLAIN_SIGNS.get(each, "?") for each in signs), error.end


codecs.register_error("ludus.signs", replace_signs)
