"""Every public function with odd values: it works, or a LudusError of one line says why."""

import dataclasses
from collections import Counter

import pytest

import ludus

ODD = (
    *(None, "", "x", "a7", "hexapawn:size=4", b"x", "\ud800", 3, -1, 2**70, 1.5, float("nan")),
    *(float("-inf"), True, [], (), {}, set(), object(), int, range(3), ["x"], {"x": 1}),
)

METHODS = {
    "parse": ("text",),
    "parse_move": ("text", "position"),
    "perft": ("position", "depth"),
    "steps": ("move",),
    "transform": ("position", "symmetry"),
    "transform_move": ("move", "symmetry"),
    "describe_outcome": ("outcome", "people"),
    "name_sides": ("people",),
    "chances": ("position",),
    "phase": ("position", "side"),
    "position_texts": ("position",),
    "evaluate": ("position",),
    "is_capture": ("move",),
    "completed_rows": ("position", "side"),
    "blocked_rows": ("position", "move"),
    "detect_move_format": ("text",),
}
"""Methods of `Game` and what they take."""


class Caller:
    """Calls functions with odd values and counts what it refuses."""

    def __init__(self):
        self.results = Counter()

    def call(self, function, *arguments, **options):
        try:
            function(*arguments, **options)
        except ludus.LudusError as error:
            line = str(error)
            self.results["refused"] += 1
            if "\n" in line or not 0 < len(line) < 500:
                raise AssertionError(f"{line!r} is not one line") from error


GAMES = [(name, engine) for name in ludus.GAMES for engine in ("native", "python")]


@pytest.mark.parametrize(("name", "engine"), GAMES)
def test_methods_of_games(name, engine):
    game, caller = ludus.game(name, engine=engine), Caller()
    start = game.start()
    usual = {
        "text": str(start),
        "position": start,
        "depth": 1,
        "move": start.legal_moves()[0],
        "symmetry": game.symmetries()[0],
        "outcome": ludus.Outcome(0, "men"),
        "people": (),
        "side": 0,
    }
    for method, parameters in METHODS.items():
        for parameter in parameters:
            for odd in ODD:
                given = {**usual, parameter: odd}
                caller.call(getattr(game, method), *(given[each] for each in parameters))
    for odd in ODD:
        caller.call(start.play, odd)
        caller.call(type(game), odd)
        caller.call(start.text, odd)
        caller.call(start.svg, odd)
    assert caller.results["refused"] > 200


def test_names_rules_and_files():
    caller, game = Caller(), ludus.game("hexapawn")
    conditions = ludus.GameConditions("hexapawn")
    for odd in ODD:
        caller.call(ludus.game, odd)
        caller.call(ludus.game, "hexapawn", odd)
        caller.call(ludus.game, "hexapawn", "", odd)
        caller.call(ludus.player, odd, game)
        caller.call(ludus.player, "random", odd)
        caller.call(ludus.learner, odd, game)
        caller.call(ludus.learner, "her", odd)
        caller.call(ludus.Record.parse, odd)
        caller.call(ludus.read_dataset, odd)
        caller.call(ludus.read_tournament, odd)
        caller.call(ludus.oracle, odd)
        caller.call(ludus.augment, odd)
        caller.call(ludus.GameConditions, odd)
        caller.call(ludus.Tournament, odd, ("random", "perfect"))
        caller.call(ludus.Tournament, conditions, odd)
        caller.call(ludus.Tournament, conditions, ("random", "perfect"), games=odd)
        caller.call(ludus.arena.RegretSchedule, conditions, "perfect", odd, games=2)
        caller.call(ludus.arena.RegretSchedule, conditions, "perfect", "random", games=odd)
        caller.call(ludus.arena.measure_regret, odd)
        caller.call(ludus.arena.run_tournament, odd)
        caller.call(ludus.solve, odd)
        if odd not in (None, 3, True):  # those are solved
            caller.call(ludus.solve, ludus.game("nine_mens_morris"), max_men=odd)
        for name in ("time", "nodes", "depth"):
            caller.call(ludus.Limit, **{name: odd})
    assert caller.results["refused"] > 300


@pytest.mark.parametrize("spec", ["random", "playouts:games=2", "perfect", "migo"])
def test_players_and_matches(spec):
    caller, game = Caller(), ludus.game("hexapawn")
    player, oracle = ludus.player(spec, game), ludus.oracle(game)
    for odd in ODD:
        caller.call(player.choose, odd)
        caller.call(player.choose_many, odd)
        caller.call(player.choose, game.start(), odd)
        caller.call(player.start_game, odd)
        caller.call(oracle.value, odd)
        caller.call(oracle.rate_moves, odd)
        caller.call(ludus.play_game, game, odd, seed=1)
        caller.call(ludus.play_game, game, (player, odd), seed=1)
        for name in ("seed", "start", "limit", "max_plies"):
            caller.call(ludus.play_game, game, (player, player), **{"seed": 1, name: odd})
    assert caller.results["refused"] > 150


def test_the_line_names_the_argument():
    game = ludus.game("hexapawn")
    with pytest.raises(TypeError, match=r"position='BBB/.../WWW w' is not a position"):
        game.perft("BBB/.../WWW w", 2)
    with pytest.raises(ludus.LudusError, match=r"game\.parse makes one"):
        game.parse_move("a2", "BBB/.../WWW w")
    with pytest.raises(ludus.LudusError, match="depth=None is not a whole number up to 100"):
        game.perft(game.start(), None)


@pytest.mark.parametrize("name", list(ludus.GAMES))
def test_fields_of_rules(name):
    """Rules with a value of another type are refused where they are made, not in a game."""
    kind, caller, fields = type(ludus.game(name).rules), Caller(), 0
    for field in dataclasses.fields(kind):
        fields += 1
        for value in ODD:
            caller.call(kind, **{field.name: value})
    assert caller.results["refused"] >= 18 * fields
