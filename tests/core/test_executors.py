"""Tasks in worker processes: results in order, errors, and processes that die."""

import os
import time
from itertools import count, islice

import pytest

from ludus.core.errors import BadSpec, LudusError
from ludus.core.executors import LocalProcesses
from support.engines import children


def square(number):
    return number * number


def wait_backwards(number):
    time.sleep(0.02 * (4 - number % 4))
    return number


def refuse(number):
    raise BadSpec(f"{number} is refused")


def fail(number):
    raise ZeroDivisionError(f"{number}\nand more")


def die(number):
    os._exit(3)


def die_once(path):
    if not path.exists():
        path.write_text("dead")
        os._exit(3)
    return path.read_text()


@pytest.fixture(scope="module")
def processes():
    with LocalProcesses(2) as executor:
        yield executor


def test_results_come_in_the_order_of_the_items(processes):
    assert list(processes.map(square, range(20))) == [n * n for n in range(20)]
    assert list(processes.map(wait_backwards, range(8))) == list(range(8))
    assert sorted(processes.map_unordered(wait_backwards, range(8))) == list(range(8))
    assert list(processes.map(square, [])) == []


def test_items_may_be_without_end(processes):
    taken = []

    def items():
        for number in count():
            taken.append(number)
            yield number

    results = processes.map(square, items())
    assert list(islice(results, 5)) == [0, 1, 4, 9, 16]
    results.close()
    assert len(taken) < 5 + 8 * 2 + 3  # a few per worker ahead
    assert list(processes.map(square, [3])) == [9]


def test_errors_of_tasks_are_one_line(processes):
    with pytest.raises(BadSpec, match="7 is refused"):
        list(processes.map(refuse, [7]))
    with pytest.raises(LudusError, match=r"^ZeroDivisionError: 5 and more$"):
        list(processes.map(fail, [5]))


def test_a_task_whose_process_dies_is_run_again(processes, tmp_path):
    assert list(processes.map(die_once, [tmp_path / "a", tmp_path / "b"])) == ["dead", "dead"]
    with pytest.raises(LudusError, match="processes that should run task 0 die"):
        list(processes.map(die, [1]))


def test_no_process_is_left():
    before = children()
    with LocalProcesses(2) as executor:
        assert list(executor.map(square, [1, 2, 3])) == [1, 4, 9]
        assert len(children() - before) == 2
    assert not children() - before
