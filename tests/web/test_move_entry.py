"""Entering moves on the page: every legal move has touches that lead to it."""

import pytest

from ludus.core.game import CHANCE
from ludus.games import game as named_game
from ludus.games.move_entry import MoveEntry, get_move_entry
from support.games import VARIANTS, play_randomly


@pytest.mark.parametrize(("name", "preset"), VARIANTS)
def test_every_legal_move_can_be_touched(name, preset):
    game = named_game(name, preset)
    move_entry = get_move_entry(game)
    for position in list(play_randomly(game, seed=2, plies=120))[::7]:
        if position.mover == CHANCE or position.outcome() is not None:
            continue
        for move in position.legal_moves()[:40]:
            steps = game.steps(move)
            if steps:
                assert position.play(move_entry.enter(position, steps).move) == position.play(move)


@pytest.mark.parametrize(("name", "preset"), VARIANTS)
def test_what_may_be_touched_always_leads_to_a_move(name, preset):
    game = named_game(name, preset)
    move_entry = get_move_entry(game)
    for position in list(play_randomly(game, seed=4, plies=60))[::9]:
        if position.mover == CHANCE or move_entry.is_pass(position):
            continue
        entry = move_entry.enter(position, ())
        while entry.move is None:
            assert entry.places
            # The last one offered is the one a plain reading of the moves would try last.
            entry = move_entry.extend(position, entry.touched, entry.places[-1])
            assert entry.position.svg()
        assert entry.move in position.legal_moves()


def test_backgammon_knows_more_ways_than_are_written():
    game = named_game("backgammon")
    position = game.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 62")
    move_entry = get_move_entry(game)
    written = game.parse_move("24/16", position)
    for steps in (("24", "18", "18", "16"), ("24", "22", "22", "16")):
        assert move_entry.enter(position, steps).move == written
    assert move_entry.extend(position, ("24",), "16").move == written
    backwards = move_entry.enter(position, ("8", "6", "24", "18"))
    assert backwards.move == game.parse_move("24/18 8/6", position)


def test_backgammon_men_on_the_bar_come_first_and_bearing_off_is_touched():
    game = named_game("backgammon")
    move_entry = get_move_entry(game)
    hit = game.parse("bar:1,13:5,8:3,6:6 24:2,13:5,8:3,6:5 0 62")
    assert move_entry.enter(hit, ()).places == ("bar",)
    home = game.parse("6:5,5:5,4:5 24:2,13:5,8:3,6:5 0 65")
    entry = move_entry.enter(home, ("6", "off", "5"))
    assert entry.places == ("off",)
    assert move_entry.enter(home, ("6", "off", "5", "off")).move is not None


def test_the_taken_man_is_chosen_on_the_board_as_it_will_be():
    game = named_game("nine_mens_morris")
    move_entry = get_move_entry(game)
    position = game.parse("BB./.../..W/...W../.W./.../B.. w 0 0")
    entry = move_entry.enter(position, ("d3", "e3"))
    assert entry.stage == "take"
    assert move_entry.describe_place(entry.position, "e3") == "a white man"
    assert move_entry.describe_place(entry.position, "d3") == ""
    assert "take one of Black" in move_entry.describe_task(position, entry)


def test_a_game_without_a_board_of_its_own_gets_the_plain_one():
    game = named_game("noughts_and_crosses")
    plain = MoveEntry(game)
    assert plain.enter(game.start(), ("b2",)).move == game.parse_move("b2", game.start())
    assert plain.describe_task(game.start(), plain.enter(game.start(), ())) == "Make a move"


def walk(move_entry, position):
    """Return each move that the listed steps lead to, with the touches."""
    found, waiting = {}, [()]
    seen = set()
    while waiting:
        touched = waiting.pop()
        steps = move_entry.list_steps(position, touched)
        reached = {0: touched}
        for number, state in enumerate(steps.states):
            here = reached[number]
            for place, target in state.next.items():
                ways = target.items() if isinstance(target, dict) else [("", target)]
                for end, each in ways:
                    after = (*here, place, end) if end else (*here, place)
                    if each is None:
                        key = str(move_entry.enter(position, after))
                        if key not in seen:
                            seen.add(key)
                            waiting.append(after)
                    elif each < 0:
                        found.setdefault(steps.moves[-1 - each], after)
                    else:
                        reached.setdefault(each, after)
    return found


@pytest.mark.parametrize(("name", "preset"), VARIANTS)
def test_the_listed_steps_lead_to_every_legal_move(name, preset):
    game = named_game(name, preset)
    move_entry = get_move_entry(game)
    for position in list(play_randomly(game, seed=6, plies=80))[::8]:
        if position.mover == CHANCE or move_entry.is_pass(position):
            continue
        found = walk(move_entry, position)
        ends = {position.play(move) for move in position.legal_moves()}
        assert {position.play(move) for move in found} == ends
        for move, touched in found.items():
            assert position.play(move_entry.enter(position, touched).move) == position.play(move)


@pytest.mark.parametrize(("name", "preset"), VARIANTS)
def test_men_stand_in_their_slots(name, preset):
    game = named_game(name, preset)
    move_entry = get_move_entry(game)
    slots = move_entry.slots()
    for position in list(play_randomly(game, seed=1, plies=60))[::6]:
        places = position.drawing().places
        for name_of_stack, (side, count) in move_entry.stacks(position).items():
            assert side in (0, 1)
            assert count > 0
            slot = slots[name_of_stack]
            area = places[name_of_stack.rstrip("01") if "bar" in name_of_stack else name_of_stack]
            assert area.x < slot.x < area.x + area.width
            assert area.y < slot.y < area.y + area.height


def test_the_men_and_dice_are_described_in_the_middle_of_a_roll():
    game = named_game("backgammon")
    position = game.parse("24:2,13:5,8:3,6:5 24:2,13:5,8:3,6:5 0 31")
    first, *later = get_move_entry(game).list_steps(position).states
    assert first.task == "You rolled 3 and 1: move one of your checkers"
    assert first.standings == ("167 pips to go", "167 pips to go")
    assert {state.task for state in later} == {"Move again: 1 die left"}
    assert {(state.dice_left, state.standings[0]) for state in later} == {
        ((1,), "164 pips to go"),
        ((3,), "166 pips to go"),
    }
