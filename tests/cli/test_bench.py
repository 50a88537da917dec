"""The signature, and what `ludus bench` prints."""

import json
from functools import cache

from ludus.arena import benchmark

SIGNATURE = 788134512
"""Changes only when rules, random games or players are meant to change.

A commit that should not change play says "No functional change" and leaves this number alone; one
that should says why, and carries the number that `ludus bench` prints.
"""


def test_nothing_has_changed():
    assert benchmark.compute_signature() == SIGNATURE


def test_every_preset_is_part_of_the_signature():
    text = "\n".join(benchmark.list_signature_lines())
    assert "perft nine_mens_morris " in text
    assert "match nine_mens_morris:vrajitoru " in text
    assert "random backgammon:hyper " in text
    assert "match hexapawn:five " in text


def test_the_signature_sees_a_small_change(monkeypatch):
    monkeypatch.setattr(benchmark, "SIGNATURE_SEED", benchmark.SIGNATURE_SEED + 1)
    assert benchmark.compute_signature() != SIGNATURE


def test_bench_for_programs_and_for_people(ludus, monkeypatch):
    monkeypatch.setattr(benchmark, "MIN_SECONDS", 0.001)
    monkeypatch.setattr(benchmark, "compute_signature", cache(benchmark.compute_signature))
    result = json.loads(ludus("bench", "--json").out)
    assert result["signature"] == SIGNATURE
    assert all(rate > 0 for rate in result["throughput"].values())
    assert set(result["ratios"]) == {
        f"{game}_{work}"
        for game in ("nine_mens_morris", "backgammon")
        for work in ("perft_nodes", "random_games", "moves_in_a_loop")
    }
    shown = ludus("bench").out
    assert shown.startswith(f"signature {SIGNATURE}\n")
    assert "nine_mens_morris_perft_nodes" in shown
