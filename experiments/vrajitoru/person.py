"""The games of a person in the training of the pattern network: who could play them, and effect."""

from collections.abc import Iterator

from ludus.learn.patterns import PatternConfig
from ludus.reproduce import Conclusion, Context, Finding, Measurement, compute_difference_interval

from .fuzzy_matches import GAME, OPPONENTS, RULES, get_trained_network, measure_network

GAMES_OF_PERSON = 30


def run(context: Context) -> Iterator[Finding]:
    teachers = context.setting("teachers")
    for teacher in teachers:
        wins = games = 0
        for opponent in OPPONENTS:
            tally = context.matches(
                GAME,
                teacher,
                opponent,
                context.setting("match_games") // 3,
                rules=RULES,
                compiled=True,
            )
            wins, games = wins + tally.wins[0], games + tally.games
        share = Measurement.proportion("", wins, games)
        scale = GAMES_OF_PERSON / 100
        low, high = (None if end is None else end * scale for end in (share.low, share.high))
        name = f"{teacher}: games won of 30"
        yield Measurement(name, share.value * scale, low, high, games, unit="games")
    own = context.setting("own")
    strong = max(1, own // 10)
    plans = {"without these games": PatternConfig(own=own, mixed=own, strong=0)}
    plans |= {
        f"with 30 games of {each}": PatternConfig(own=own, mixed=own, strong=strong, teacher=each)
        for each in teachers
    }
    found: dict[str, dict[str, Measurement]] = {}
    for name, plan in plans.items():
        found[name] = {}
        for opponent in OPPONENTS:
            shares = [
                _measure(context, plan, opponent, number)
                for number in range(context.setting("networks"))
            ]
            row = Measurement.mean(f"{name}, against {opponent}: wins", shares, unit="%")
            found[name][opponent] = row
            yield row
    last = f"with 30 games of {teachers[-1]}"
    for opponent in OPPONENTS:
        yield _conclude(found[last][opponent], found["without these games"][opponent], opponent)


def _conclude(after: Measurement, before: Measurement, opponent: str) -> Conclusion:
    """Whether the 30 games change the proportion of games won by more than trainings differ."""
    ends = [
        (-float("inf"), float("inf"))
        if each.low is None or each.high is None
        else (each.low, each.high)
        for each in (after, before)
    ]
    low, high = compute_difference_interval(after.value, ends[0], before.value, ends[1])
    return Conclusion(
        f"the 30 games of a strong player help against {opponent}",
        True if low > 0 else False if high < 0 else None,
        f"{before.value:.1f}% without, {after.value:.1f}% with them, a difference of "
        f"{after.value - before.value:+.1f} ({low:+.1f} to {high:+.1f})",
    )


def _measure(context: Context, plan: PatternConfig, opponent: str, number: int) -> float:
    """The percentage of games that a network of this plan wins."""

    def compute() -> float:
        seeded = plan.replace(seed=context.seed_for("network", number))
        name = f"{plan.own}-{plan.strong}-{plan.teacher}-{number}"
        network = get_trained_network(context, seeded, name)
        seed = context.seed_for("games", number)
        return 100 * measure_network(context, network, "", opponent, seed)

    key = f"{plan.own} {plan.strong} {plan.teacher} {opponent} {number}"
    return context.cached(key, compute)
