"""What every course has: where examples wait, and when new ones are made."""

from dataclasses import dataclass, field

from ludus.learn.scholar.mixture import Mixture


@dataclass(frozen=True, kw_only=True)
class Course:
    """The rhythm of lessons."""

    shelf: int = 1 << 20
    """Examples that wait for each expert."""

    averaging: float = 0.999
    """How slowly the averaged weights follow."""

    rounds_ahead: int = 20
    """Rounds of lessons before the first step."""

    steps_a_round: int = 4

    rounds_an_own: int = 2
    """Of so many rounds the scholar itself plays in one: to ask it takes time."""

    mixture: Mixture = field(default_factory=Mixture)
    seed: int = 1

    def begins_round(self, steps: int) -> bool:
        """Whether a round of lessons comes before the step after so many."""
        return steps % self.steps_a_round == 0

    def is_own(self, steps: int) -> bool:
        """Whether the scholar itself plays in that round."""
        return steps // self.steps_a_round % self.rounds_an_own == 0
