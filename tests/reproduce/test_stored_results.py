"""Stored results: their format, and a reason for every published item that is not met."""

import json

import pytest

from ludus.reproduce import find_experiment, list_experiments
from ludus.reproduce.results import list_items, read_results
from support.paths import EXPERIMENTS

IDS = [each.id for each in list_experiments(EXPERIMENTS)]
FIGURE_KEYS = {"name", "draw", "data", "caption", "size"}


@pytest.mark.parametrize("identity", IDS)
def test_stored_results_have_the_present_format(identity):
    """Writing them again gives the same: no field, row or published number has changed."""
    experiment = find_experiment(identity, EXPERIMENTS)
    results = read_results(experiment, has_figures=False)
    assert results.size in results.published.sizes
    stored = json.loads(experiment.results.read_text(encoding="utf-8"))
    figures, day = stored["figures"], stored["date"]
    assert {"date": day, **results.as_json(), "figures": figures} == stored
    source = experiment.path.read_text(encoding="utf-8")
    for figure in figures:
        assert set(figure) == FIGURE_KEYS
        assert figure["draw"] in source, "the function that draws the figure"


@pytest.mark.parametrize("identity", IDS)
def test_what_differs_from_the_paper_has_a_reason(identity):
    results = read_results(find_experiment(identity, EXPERIMENTS), has_figures=False)
    items = list(list_items(results))
    assert [item.name for item in items if item.status != "agrees" and not item.reason] == []
    names = [item.name for item in items]
    for reason in results.published.reasons:
        assert any(results.published.find_reason(name) == reason.text for name in names), reason
