"""Results that a thread computes ahead."""

import gc
import threading
import weakref

import pytest
import torch

from ludus.learn.scholar.data import Prefetcher

CPU = torch.device("cpu")


def count_up():
    numbers = iter(range(10**9))
    return lambda: (torch.tensor(next(numbers)), threading.current_thread().name)


def test_results_come_in_their_order_from_another_thread():
    ahead = Prefetcher(count_up(), CPU)
    found = [ahead.get() for _ in range(50)]
    ahead.close()
    assert [int(number) for number, _ in found] == list(range(50))
    assert {name for _, name in found} == {"prefetch"}


def test_no_more_is_computed_than_there_is_room_for():
    called, is_full = [], threading.Event()

    def produce():
        called.append(len(called))
        if len(called) == 4:
            is_full.set()
        return called[-1]

    ahead = Prefetcher(produce, CPU, num_ahead=3)
    # Three are ready, and a fourth waits for room.
    assert is_full.wait(60)
    assert ahead.get() == 0
    ahead.close()
    assert len(called) <= 6


def test_an_error_is_raised_where_the_result_was_wanted():
    results = iter([1, 2])

    def produce():
        try:
            return next(results)
        except StopIteration:
            raise ZeroDivisionError("no more") from None

    ahead = Prefetcher(produce, CPU)
    assert [ahead.get(), ahead.get()] == [1, 2]
    with pytest.raises(ZeroDivisionError, match="no more"):
        ahead.get()
    ahead.close()


def test_what_the_function_replaces_is_kept_until_its_result_is_used():
    class Games:
        pass

    old = Games()
    gone = weakref.ref(old)
    ahead = Prefetcher(lambda: 1, CPU, in_use=[old])
    del old
    assert gone() is not None
    ahead.get()
    gc.collect()
    assert gone() is None
    ahead.close()


def test_closing_ends_the_thread_also_while_it_waits():
    before = threading.active_count()
    for _ in range(20):
        Prefetcher(count_up(), CPU, num_ahead=1).close()
    assert threading.active_count() == before


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_work_on_a_gpu_is_done_when_its_result_is_used():
    gpu = torch.device("cuda")
    weights = torch.rand(2000, 2000, device=gpu)

    def produce():
        product = weights
        for _ in range(20):
            product = product @ weights / 1000
        return [(product, product.sum())]

    ahead = Prefetcher(produce, gpu)
    for _ in range(10):
        ((product, total),) = ahead.get()
        assert torch.equal(product.sum(), total)
    ahead.close()
