"""The 17 terms of the conventional program and their weights, chosen by hand.

Reference of native/core/gammon/tool.hpp. A term is near the range from 0 to 1; how much it counts
is one number while men can still meet and another one in a race.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ludus.games.backgammon.view import BAR, OFF, View
from ludus.players.tool.facts import (
    Facts,
    builders,
    crossovers,
    facts,
    gaps,
    pips_at_risk,
    stacked,
)
