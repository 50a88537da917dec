"""SplitMix64 (Steele, Lea and Flood 2014), the generator of native/core/common/random.hpp.

Where Python and native code must draw the same numbers from one seed, both use it.
"""

from typing import Final

WORD: Final = 2**64
INCREMENT: Final = 0x9E3779B97F4A7C15


def mix(state: int) -> int:
    """Return the output of the generator that is in this state before it is advanced."""
    z = (state + INCREMENT) % WORD
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


class SplitMix64:
    """A small seeded generator whose numbers are the same in Python and in native code."""

    def __init__(self, seed: int) -> None:
        self.state = seed % WORD

    def next(self) -> int:
        """Return the next number of 64 bits."""
        found = mix(self.state)
        self.state = (self.state + INCREMENT) % WORD
        return found

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1, each with the same probability (Lemire 2019)."""
        unfair = (2**32 - n) % n
        while True:
            product = (self.next() >> 32) * n
            if product % 2**32 >= unfair:
                return product >> 32
