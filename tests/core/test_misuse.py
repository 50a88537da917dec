"""What a user of the library gets wrong is a LudusError with one line."""

import random

import pytest

import ludus
from ludus.core.errors import BadArgument
from ludus.datasets import parse_lines
from ludus.games.nine_mens_morris import to_thesis, to_thesis_move

HEXAPAWN = ludus.game("hexapawn")
RANDOM = ludus.player("random", HEXAPAWN)
MORRIS_START = ludus.game("nine_mens_morris").start()
LINE = f"{to_thesis(MORRIS_START)}-{to_thesis_move(MORRIS_START.legal_moves()[0])}\n"


class BarePlayer(ludus.Player):
    title = "returns a move instead of a Choice"

    def choose(self, position, limit=ludus.Limit()):  # noqa: B008 - frozen
        return position.legal_moves()[0]


def play(**changes):
    arguments = {"game": HEXAPAWN, "players": (RANDOM, RANDOM), "seed": 1, **changes}
    return ludus.play_game(arguments.pop("game"), arguments.pop("players"), **arguments)


MISTAKES = {
    "a move instead of a choice": lambda: play(players=(BarePlayer(HEXAPAWN), RANDOM)),
    "a name as a game": lambda: ludus.player("random", "hexapawn"),
    "a match of a name": lambda: play(game="hexapawn"),
    "names as players": lambda: play(players=("random", "random")),
    "one player": lambda: play(players=RANDOM),
    "three players": lambda: play(players=(RANDOM,) * 3),
    "players of another game": lambda: play(game=ludus.game("noughts_and_crosses")),
    "a text as a start": lambda: play(start="BBB/.../WWW w"),
    "no seed": lambda: play(seed=None),
    "a text as a seed": lambda: play(seed="x"),
    "a fraction as a seed": lambda: RANDOM.start_game(0.5),
    "no game": lambda: ludus.game(None),
    "a number as a game": lambda: ludus.game(3),
    "no player": lambda: ludus.player(None, HEXAPAWN),
    "a dictionary as rules": lambda: ludus.game("hexapawn", {"size": 4}),
    "rules of another game": lambda: ludus.game("hexapawn", ludus.game("backgammon").rules),
    "a player of a name": lambda: ludus.PLAYERS["random"]("hexapawn"),
    "a number as a position": lambda: HEXAPAWN.parse(3),
    "no move": lambda: HEXAPAWN.parse_move(None, HEXAPAWN.start()),
    "a text as a position": lambda: RANDOM.choose("BBB/.../WWW w"),
    "a text as a limit": lambda: ludus.Limit(time="1"),
    "a value of a text": lambda: ludus.oracle(HEXAPAWN).value("BBB/.../WWW w"),
    "a learner of a name": lambda: ludus.learner("menace", "noughts_and_crosses"),
    "a solution of a name": lambda: ludus.solve("nine_mens_morris"),
    "a tournament of a name": lambda: ludus.Tournament("hexapawn", ("random", "perfect")),
    "one name as players": lambda: ludus.Tournament(ludus.GameConditions("hexapawn"), "random"),
    "no record": lambda: ludus.Record.parse(None),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_reported_in_one_line(mistake):
    with pytest.raises(ludus.LudusError) as raised:
        MISTAKES[mistake]()
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 300


def test_arguments_of_a_wrong_kind_are_type_errors_too():
    with pytest.raises(TypeError, match=r"'hexapawn' is not a game; ludus.game\('hexapawn'\)"):
        ludus.player("random", "hexapawn")
    assert issubclass(BadArgument, ludus.LudusError)


def finished_and_rolled(game):
    """The end of a game and, with dice, a position before a roll."""
    position, found, source = game.start(), [], random.Random(1)
    while position.outcome() is None:
        if position.mover == ludus.CHANCE:
            found = [position]
        position = position.play(source.choice(position.legal_moves()))
    return [position, *found]


PLAYERS = [
    ("hexapawn", "random"),
    ("hexapawn", "playouts:games=5"),
    ("hexapawn", "perfect"),
    ("hexapawn", "migo"),
    ("hexapawn", "her"),
    ("hexapawn", "qlearning:games=10"),
    ("nine_mens_morris", "focused"),
    ("nine_mens_morris", "negascout:level=1"),
    ("nine_mens_morris", "fuzzy"),
    ("nine_mens_morris", "nnmm"),
    ("nine_mens_morris", "scholar:size=small"),
    ("backgammon", "random"),
    ("backgammon", "playouts:games=5"),
    ("backgammon", "tool"),
    ("backgammon", "gammon"),
]


@pytest.mark.parametrize(("game", "spec"), PLAYERS)
def test_positions_in_which_nobody_moves(game, spec):
    chosen = ludus.game(game)
    player = ludus.player(spec, chosen)
    for position in finished_and_rolled(chosen):
        message = "dice are rolled" if position.mover == ludus.CHANCE else "the game is over"
        with pytest.raises(ludus.BadPosition, match=message):
            player.choose(position)
        with pytest.raises(ludus.BadPosition, match=message):
            player.choose_many([position])


def test_a_player_of_a_game_has_default_options():
    kind = ludus.PLAYERS["playouts"]
    player = kind(HEXAPAWN)
    assert (player.settings, player.game) == (kind.options, HEXAPAWN)
    assert player.spec == "ludus.players.monte_carlo:PlayoutPlayer"
    assert ludus.PLAYERS["perfect"](HEXAPAWN).settings.draws == "tricky"


def test_repr_is_what_makes_it():
    lasker = ludus.game("nine_mens_morris:lasker", engine="python")
    assert repr(lasker) == "ludus.game('nine_mens_morris:lasker', engine='python')"
    assert eval(repr(lasker)).rules == lasker.rules
    player = ludus.player("playouts:games=5", HEXAPAWN)
    assert repr(player) == "ludus.player('playouts:games=5', ludus.game('hexapawn:standard'))"
    assert repr(ludus.GAMES).startswith("<games: nine_mens_morris, backgammon, ")


def test_entries_are_summarized():
    assert repr(parse_lines(b"").moves) == "<MoveBatch of 0 entries>"
    assert repr(parse_lines(LINE.encode()).moves) == "<MoveBatch of 1 entry>"


def test_files_may_be_named_by_texts(tmp_path):
    file = tmp_path / "moves.txt"
    file.write_text(LINE)
    assert len(ludus.read_dataset(str(file))) == len(ludus.read_dataset(file)) == 1
    with pytest.raises(ludus.LudusError, match="no database"):
        ludus.oracle(ludus.game("nine_mens_morris"), str(tmp_path))


@pytest.mark.parametrize("preset", ["standard", "vrajitoru"])
def test_native_and_python_positions_are_equal(preset):
    """They are the same keys of a dictionary, along a game with its repetitions and quiet plies."""
    twins = [ludus.game("nine_mens_morris", preset, engine) for engine in ("native", "python")]
    native, python = (game.start() for game in twins)
    source, seen = random.Random(5), {}
    while native.outcome() is None:
        assert native == python
        assert python == native
        assert hash(native) == hash(python)
        seen[native] = len(seen)
        assert seen[python] == seen[native]
        move = source.choice(native.legal_moves())
        before, native, python = native, native.play(move), python.play(move)
        assert before != python
        assert python != before
    assert native != ludus.game("nine_mens_morris:lasker", engine="python").start()
    assert python != "WWW"
