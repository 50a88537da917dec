"""A policy learns through the text environment, and what was stored of it is what is printed."""

import json
import re
from pathlib import Path

from experiments.language_models.policy import RESULTS, TextPolicy, measure, train

from ludus.envs import TextEnv

ROOT = Path(__file__).parents[2]


def test_regret_falls_and_nothing_learned_survives_other_names():
    policy, curve = train("hexapawn", games=400, seed=1)
    assert curve[-1] < curve[0] / 3
    env = TextEnv("hexapawn")
    untrained = measure(env, TextPolicy(1), "plain", 80)
    assert measure(env, policy, "plain", 80) < untrained / 3
    assert measure(env, policy, "renamed", 80) > untrained * 0.8


def test_printed_figures_are_the_stored_ones():
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    rows = {
        "before": [f"{each:.3f}" for each in found["untrained"].values()],
        "after": [f"{each:.3f}" for each in found["trained"].values()],
    }
    for page in ("docs/language_models.md", "experiments/language_models/README.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert f"{found['games']:,} games" in text
        for name, row in rows.items():
            assert f"| {name} | {' | '.join(row)} |" in text, page
    curve = re.search(r"^\| (0\.\d+ .*) \|$", text, re.MULTILINE)[1].split(" | ")
    assert curve == [f"{each:.3f}" for each in found["curve"]]
