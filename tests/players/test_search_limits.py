"""What a search may spend, how it ends, and that it can be repeated."""

import signal
import threading

import pytest

from ludus._native.search import DECIDED, Search
from support.plain_negamax import morris, ongoing, run
from support.waiting import PATIENCE


def quiet_position():
    """Return a position whose value no search finds."""
    game = morris()
    return game.rules, game.start()


def test_the_same_search_is_the_same_again():
    rules = morris().rules
    used, again = Search(rules), Search(rules)
    for position in ongoing("standard", 10, seed=9):
        for settings in ({"depth": 7}, {"nodes": 9000}, {"nodes": 3000, "lines": 3, "seed": 5}):
            first = run(used, position, **settings)
            assert first == run(used, position, **settings)
            assert first == run(again, position, **settings)


def test_a_known_number_of_nodes():
    """Changes only with the search itself, and then on purpose; the same on every machine."""
    rules, start = quiet_position()
    result = run(Search(rules), start, depth=8)
    assert (result["depth"], result["nodes"]) == (8, 39_729)


@pytest.mark.parametrize("nodes", [1, 2, 50, 1023, 1024, 1025, 5000])
def test_nodes_are_counted_exactly(nodes):
    rules, start = quiet_position()
    result = run(Search(rules), start, nodes=nodes)
    assert result["nodes"] == nodes
    assert len(result["lines"]) == 1


def test_depth_is_what_was_requested():
    rules, start = quiet_position()
    for depth in (1, 2, 5):
        result = run(Search(rules), start, depth=depth)
        assert result["depth"] == depth
        assert len(result["lines"][0][1]) >= depth


def test_time_ends_a_search():
    rules, start = quiet_position()
    search = Search(rules)
    result = run(search, start, seconds=0.05)  # without a limit it would not come back
    assert result["depth"] >= 1
    assert abs(result["lines"][0][0]) < DECIDED


def test_another_thread_ends_a_search():
    rules, start = quiet_position()
    search = Search(rules)
    # Once a depth has been reported the search is under way, and a stop is meant for it.
    stopping = []
    result = run(search, start, report=lambda _: stop_in_a_thread(search, stopping))
    stopping[0].join()
    assert result["depth"] >= 1
    assert run(search, start, depth=3)["depth"] == 3, "a stop ends one search, not the next"


def stop_in_a_thread(search, stopping):
    """At the first report only; the report itself does not end the search."""
    if not stopping:
        stopping.append(threading.Thread(target=search.stop))
        stopping[0].start()


def test_an_interrupt_ends_a_search():
    class Interrupted(Exception):
        pass

    def interrupt(number, frame):
        raise Interrupted

    rules, start = quiet_position()
    search = Search(rules)
    before = signal.signal(signal.SIGVTALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.1)  # of processor time
        with pytest.raises(Interrupted):
            run(search, start)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert run(search, start, depth=2)["depth"] == 2


def test_one_search_at_a_time():
    rules, start = quiet_position()
    search = Search(rules)
    is_running = threading.Event()
    arguments = {"report": lambda _: is_running.set()}  # returns None, so the search goes on
    thread = threading.Thread(target=run, args=(search, start), kwargs=arguments)
    thread.start()
    assert is_running.wait(PATIENCE)
    with pytest.raises(ValueError, match="running already"):
        run(search, start, depth=1)
    search.stop()
    thread.join(PATIENCE)
    assert not thread.is_alive()


def test_threads_share_the_work():
    rules, start = quiet_position()
    result = run(Search(rules), start, depth=6, threads=3)
    assert result["depth"] == 6
    counted = run(Search(rules), start, nodes=9000, threads=3)
    assert counted["nodes"] <= 9000


def test_bad_arguments():
    rules, start = quiet_position()
    search = Search(rules)
    for settings in ({"depth": 0}, {"lines": 0}, {"threads": 0}):
        with pytest.raises(ValueError, match="at least 1"):
            run(search, start, **settings)
    over = morris().parse("WW./.../.../....../.../.../BBB w 0 0")
    with pytest.raises(ValueError, match="game is over"):
        run(search, over)
