"""The player `external`: the same moves as within this process, and faults in one clear line."""

import os
import threading

import pytest

import ludus
from ludus.core.errors import BadSpec, LudusError
from ludus.core.match import play_game
from ludus.core.player import Limit
from ludus.protocol.external import MoveHistory
from ludus.protocol.processes import ProgramFailed
from support.engines import children, faulty_engine, ludus_engine, numbers, spec, wait_until_gone

TWINS = [
    ("nine_mens_morris", "", "negascout", {"nodes": 500}),
    ("nine_mens_morris", "", "negascout", {"nodes": 500, "captures": "token", "fen": "sanmill"}),
    (
        "nine_mens_morris",
        "",
        "negascout",
        {"nodes": 200, "options": "Captures=token;Answer=sanmill"},
    ),
    ("nine_mens_morris", "lasker", "negascout:level=4,threads=1", {"depth": 3}),
    ("nine_mens_morris", "repetition=2", "playouts:games=60", {"nodes": 60}),
    ("backgammon", "", "playouts", {"nodes": 60}),
    ("noughts_and_crosses", "", "perfect", {"nodes": 10}),
    ("hexapawn", "size=4", "perfect:nodes=500", {"nodes": 500}),
]


@pytest.mark.parametrize(
    ("name", "rules", "player", "options"),
    [
        TWINS[1],
        TWINS[5],
        *[
            pytest.param(*each, marks=pytest.mark.slow)
            for each in (TWINS[0], *TWINS[2:5], *TWINS[6:])
        ],
    ],
)
def test_an_engine_plays_as_its_player_does(name, rules, player, options):
    """Two games one after the other against the same opponent with the same dice."""
    game = ludus.game(name, rules)
    limit = Limit(nodes=options.get("nodes"), depth=options.get("depth"))
    outside = ludus.player(ludus_engine(name, player, **options), game)
    inside, opponent = ludus.player(player, game), ludus.player("random", game)
    for seed, side in ((1, 0), (2**62, 1)):
        sides = [(who, opponent)[:: 1 - 2 * side] for who in (inside, outside)]
        games = [
            play_game(game, pair, seed=seed, limit=limit, max_plies=80).moves for pair in sides
        ]
        mine, theirs = ([(each.mover, each.move) for each in moves] for moves in games)
        assert mine == theirs
        assert len(mine) > 2
    assert outside.name.startswith("Ludus ")
    outside.close()


def test_a_search_comes_with_its_score_and_its_line():
    game = ludus.game("nine_mens_morris")
    outside = ludus.player(ludus_engine("nine_mens_morris", depth=3), game)
    inside = ludus.player("negascout:depth=3", game)
    for player in (inside, outside):
        player.start_game(7)
    mine, theirs = (player.choose(game.start()) for player in (inside, outside))
    assert (mine.move, mine.scores) == (theirs.move, theirs.scores)
    assert (
        theirs.comment
        == f"cp {round(100 * mine.scores[mine.move])} at depth 3: "
        + (mine.comment.partition(": ")[2])
    )
    outside.close()


def test_options_are_set_and_must_be_offered():
    game = ludus.game("nine_mens_morris")
    start = game.start()
    outside = ludus.player(ludus_engine("", nodes=500, options="Level=2;MultiPV=2"), game)
    inside = ludus.player("negascout:level=2,multipv=2", game)
    for player in (inside, outside):
        player.start_game(3)
    assert outside.choose(start).move == inside.choose(start, Limit(nodes=500)).move
    outside.close()
    player = ludus.player(ludus_engine("", options="Contempt=3"), game)
    with pytest.raises(ProgramFailed, match="offers no option 'Contempt'"):
        player.start_game(1)
    player = ludus.player(ludus_engine("", options="Level=99"), game)
    with pytest.raises(ProgramFailed, match="level=99 must be from 1 to 10"):
        player.start_game(1)


def test_the_engine_gets_the_game_and_its_rules():
    game = ludus.game("hexapawn:four")
    player = ludus.player(ludus_engine("nine_mens_morris", nodes=10), game)
    player.start_game(1)
    assert player.choose(game.start()).move in game.start().legal_moves()
    player.close()


def test_it_gets_the_moves_and_not_only_positions():
    """Only who knows the moves sees that the third occurrence is a draw."""
    game = ludus.game("nine_mens_morris")
    history = MoveHistory(game.move_notation())
    position = game.start()
    for text in ("d6", "f4", "d2", "b4"):
        position = position.play(game.parse_move(text, position))
        history.advance_to(position)
    assert history.format_position_command() == "position startpos moves d6 f4 d2 b4"
    other = game.parse("W.W/.../.../W..W../.B./..B/B.B w 0 0")
    history.advance_to(other)
    assert history.format_position_command() == f"position fen {other}"
    history.reset()
    history.advance_to(position)
    assert history.format_position_command() == f"position fen {position}"
    history.reset()
    history.advance_to(game.start().play(game.parse_move("d6", game.start())))
    assert history.format_position_command() == "position startpos moves d6", (
        "the opponent has begun"
    )


HEXAPAWN = ludus.game("hexapawn")

QUICK = {"time": 0.05}
IMPATIENT = {"time": 0.05, "patience": 0.4}
"""For engines that never answer in time, so that nobody waits long for them."""

FAULTS = [
    ("dies", r"ended: exit status 3; its last words: 'segfault, sort of'$"),
    ("is_killed", r"ended: signal 9$"),
    ("hangs", r"gave no answer in time and was ended$"),
    ("floods", r"gave no answer in time and was ended$"),
    ("complains_for_ever", r"gave no answer; its last words: '.*oh dear' in time and was ended$"),
    ("endless", r"wrote a line of more than 200000 bytes$"),
    ("long_line", r"wrote a line of more than 200000 bytes$"),
    ("garbage", r"answered '\\+xff"),
    ("lies", r"answered 'z9-z8': 'z9-z8' is not a legal move of hexapawn here"),
    ("illegal", r"answered 'b1-b3'"),
    ("no_move", r"has no move$"),
    ("nothing", r"has no move$"),
    ("sanmill_gives_up", r"has no move$"),
    ("objects", r"says 'I do not know this position'$"),
    ("late", r"gave no answer in time and was ended$"),
    ("closes_output", r"ended: signal 15$"),
]


@pytest.mark.parametrize(("fault", "message"), FAULTS)
def test_a_fault_is_one_clear_line_and_leaves_nothing(fault, message, tmp_path):
    before = children(), threading.active_count(), len(os.listdir("/proc/self/fd"))
    options = IMPATIENT if "in time" in message else QUICK
    if "last words" in message:  # they have to come before the time is over
        options = {**options, "patience": 2}
    player = ludus.player(faulty_engine(fault, tmp_path / "n", **options), HEXAPAWN)
    player.start_game(1)
    with pytest.raises(ProgramFailed, match=message) as caught:
        player.choose(HEXAPAWN.start())
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 500
    wait_until_gone(numbers(tmp_path / "n"))
    assert (children(), threading.active_count(), len(os.listdir("/proc/self/fd"))) == before


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("dies_at_uci", "ended: exit status 3; its last words"),
        ("hangs_at_uci", "gave no answer in time"),
        ("floods_at_uci", "gave no answer in time"),
        ("never_ready", "gave no answer in time"),
    ],
)
def test_an_engine_that_does_not_start(fault, message, tmp_path):
    before = children()
    options = {"startup": 0.5} if "in time" in message else {}
    player = ludus.player(faulty_engine(fault, tmp_path / "n", **options), HEXAPAWN)
    with pytest.raises(ProgramFailed, match=message):
        player.start_game(1)
    assert children() == before


@pytest.mark.parametrize("fault", ["plays", "sanmill", "slow", "talkative", "stubborn"])
def test_odd_manners_are_no_fault(fault):
    player = ludus.player(faulty_engine(fault, time=0.05), HEXAPAWN)
    for seed in (1, 2):
        player.start_game(seed)
        assert str(player.choose(HEXAPAWN.start()).move) == "b1-b2"
    player.close()


def test_what_an_engine_says_unasked_is_not_its_answer():
    """The odd engine says `bestmove a1-a2` whenever it is asked whether it is ready."""
    player = ludus.player(faulty_engine("plays", time=0.05), HEXAPAWN)
    choice = player.choose(HEXAPAWN.start())
    assert str(choice.move) == "b1-b2"
    assert choice.comment == "cp 25 at depth 3: b1-b2 a3-a2"
    assert choice.scores == {choice.move: 0.25}
    player.close()


def test_after_a_fault_the_next_game_begins_with_a_new_process(tmp_path):
    player = ludus.player(faulty_engine("dies", tmp_path / "n", **QUICK), HEXAPAWN)
    for seed in (1, 2):
        player.start_game(seed)
        with pytest.raises(ProgramFailed):
            player.choose(HEXAPAWN.start())
    assert len(set(numbers(tmp_path / "n"))) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("external", "needs a program"),
        ("external:cmd='", "No closing quotation"),
        ("external:cmd=%20", "names no program"),
        ("external:cmd=a%00b", "names no program"),
        ("external:cmd=x,time=0", "more than 0"),
        ("external:cmd=x,patience=-1", "patience=-1 must be from 0"),
        ("external:cmd=x,options=Hash", "is not name=value"),
        ("external:cmd=x,options=Hash=a%0Aquit", "is not name=value"),
        ("external:cmd=x,captures=both", "must be one of suffix, token"),
        ("external:x,y", "'y' in 'external:x,y' is not key=value"),
        ("external:x,colour=red", "has no option 'colour'"),
    ],
)
def test_specs_that_say_nothing_sensible(text, message):
    with pytest.raises(LudusError, match=message):
        ludus.player(text, HEXAPAWN)


def test_commands_with_spaces_commas_and_equals_signs():
    text = "external:cmd='/a b/engine' --x=1%2C2 100%25 %25x,time=1"
    player = ludus.player(text, HEXAPAWN)
    assert player.settings.command == ["/a b/engine", "--x=1,2", "100%", "%x"]
    assert ludus.player("external:/usr/bin/engine -q", HEXAPAWN).settings.command == [
        "/usr/bin/engine",
        "-q",
    ]


@pytest.mark.parametrize("command", ["/no/such/program", "/", "/etc/passwd"])
def test_programs_that_are_none(command):
    player = ludus.player(spec(command), HEXAPAWN)
    with pytest.raises(ProgramFailed, match="cannot be started"):
        player.start_game(1)


def test_words_are_still_no_options_of_others():
    with pytest.raises(BadSpec, match="is not key=value"):
        ludus.player("playouts:fast", HEXAPAWN)
