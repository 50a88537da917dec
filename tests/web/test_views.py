"""Views of a game: a page that has one is sent what has changed since."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.games import game as named_game
from ludus.web.game_record import GameRecord
from ludus.web.game_tree import GameTree
from ludus.web.schemas.games import GameState
from ludus.web.seats import Seat
from ludus.web.session import Session
from support.stored_games import run_apart


class NoStore:
    """Keeps no game."""

    async def save(self, *_):
        pass


class NoWorkers:
    """Has nothing to warm up."""

    def warm_up_analyst(self, *_):
        pass


def open_session(name="nine_mens_morris"):
    game = named_game(name)
    tree = GameTree(game, game.start())
    record = GameRecord("g" * 22, (name, ""), tree, (Seat(), Seat()), 1, NoStore(), 2_000)
    return Session(record, NoWorkers(), None, None)


def apply_change(view, change):
    """Return the view after a change, as the page computes it."""
    lines = view["svg"].split("\n")
    for start, count, added in reversed(change["svg"]):
        lines[start : start + count] = added
    moves = {move["node"]: move for move in [*view["moves"], *change["moves"]]}
    fields = {name: value for name, value in change.items() if name != "since"}
    labels = {**view["labels"], **change.get("labels", {})}
    new = {"svg": "\n".join(lines), "moves": list(moves.values()), "labels": labels}
    return {**view, **fields, **new}


async def play(session, choice):
    record = session.record
    moves = record.tree.current.position.legal_moves()
    await record.play(record.tree.current_number, str(moves[choice % len(moves)]))


ACTIONS = st.lists(
    st.tuples(st.sampled_from(["move", "back", "note", "pace"]), st.integers(0, 99)), max_size=12
)


@pytest.mark.parametrize("name", ["nine_mens_morris", "backgammon", "hexapawn"])
@settings(max_examples=8, derandomize=True, deadline=None, database=None)
@given(actions=ACTIONS, late=st.integers(1, 3))
def test_what_changed_leads_from_an_earlier_view_to_the_present_one(name, actions, late):
    async def work():
        session = open_session(name)
        record = session.record
        await record.open()
        seen = [json.loads(session.views.format())]
        for action, number in actions:
            if record.tree.current.position.outcome() is None and action == "move":
                await play(session, number)
            elif action == "back":
                await record.go_to(number % len(record.tree.nodes))
            elif action == "note":
                await record.set_comment(number % len(record.tree.nodes), f"note {number}")
            else:
                await record.set_pace(is_paused=False, delay=number / 10)
            now = json.loads(session.views.format())
            before = seen[-late:][0]
            change = json.loads(session.views.format(since=before["revision"]))
            if before["revision"] != now["revision"]:
                assert change["since"] == before["revision"]
            assert apply_change(before, change) == now
            seen.append(now)

    run_apart(work())


def test_a_past_node_is_sent_as_what_differs_from_the_present_one():
    async def work():
        session = open_session()
        for choice in (0, 5, 9):
            await play(session, choice)
        now = json.loads(session.views.format())
        change = json.loads(session.views.format(1, now["revision"]))
        assert (change["status"], change["node"]) == ("looking", 1)
        assert change["moves"] == []
        assert apply_change(now, change) == json.loads(session.views.format(1))

    run_apart(work())


def test_after_a_gap_the_whole_view_is_sent():
    async def work():
        session = open_session()
        first = json.loads(session.views.format())
        for choice in range(8):
            await play(session, choice)
            session.views.format()
        for since in (first["revision"], 0, first["revision"] + 1_000_000):
            whole = json.loads(session.views.format(since=since))
            assert "since" not in whole
            assert set(GameState.model_fields) < set(whole)

    run_apart(work())


def test_a_move_late_in_a_game_sends_little():
    """Half of it is how the next move can be entered; the moves before are not sent again."""

    async def work():
        session = open_session()
        await session.record.open()
        sizes = []
        for choice in range(40):
            if session.record.tree.current.position.outcome() is not None:
                break
            since = session.record.revision
            session.views.format()
            await play(session, 3 * choice)
            sizes.append(len(session.views.format(since=since)))
        assert len(sizes) > 20
        assert max(sizes) < 3_500
        assert len(session.views.format()) > 3 * max(sizes)

    run_apart(work())
