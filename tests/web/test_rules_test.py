"""The page that teaches learned rules: tasks of equal kinds before and after, and one try each."""

import pytest
from playwright.sync_api import expect

from ludus.games import game as named_game
from ludus.oracles import oracle as find_oracle
from ludus.web.routes.catalogue import RULES_OF_TEST
from ludus.web.rules_test import make_rules_test


def classify(game, oracle, task):
    rated = oracle.rate_moves(game.parse(task["position"]))
    return rated[0].value, rated[0].depth, rated[1].value != rated[0].value


def test_both_tests_have_the_same_kinds_of_tasks_and_no_board_twice():
    """Each with one good move, on boards that are not even symmetric to each other."""
    name = "noughts_and_crosses"
    found = make_rules_test({"game": name, "rules": RULES_OF_TEST[name], "seed": 3})
    game = named_game(name, RULES_OF_TEST[name])
    oracle = find_oracle(game)
    kinds = [
        sorted(classify(game, oracle, task) for task in found[part]) for part in ("before", "after")
    ]
    assert kinds[0] == kinds[1]
    assert len(kinds[0]) == 6
    assert all(is_only for _, _, is_only in kinds[0])
    boards = [game.parse(task["position"]) for part in ("before", "after") for task in found[part]]
    images = {
        min(str(game.transform(board, each)) for each in game.symmetries()) for board in boards
    }
    assert len(images) == 12
    assert found["sentences"][0].startswith("State A is won at depth 1 if ")
    assert len(found["examples"]) == 3
    again = make_rules_test({"game": name, "rules": RULES_OF_TEST[name], "seed": 3})
    assert again == found


def test_a_game_without_learned_rules_is_refused(client):
    answer = client.get("/api/rules-test", params={"game": "backgammon"})
    assert answer.status_code == 422
    assert answer.json()["detail"] == "there are no learned rules of backgammon"


@pytest.mark.slow
@pytest.mark.parametrize("reads", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_person_is_tested_reads_and_is_tested_again(page, server, reads):
    """All moves of the first test are wrong, all of the second are right."""
    page.goto(f"{server.base}/learn")
    if not reads:
        page.get_by_label("Between the tests").select_option("nothing")
    page.get_by_role("button", name="Begin").click()
    content = page.locator(".drill")
    game = named_game("noughts_and_crosses")
    oracle = find_oracle(game)
    for part in ("before", "after"):
        if part == "after" and reads:
            expect(content).to_have_attribute("data-state", "rules")
            expect(content).to_contain_text("State A is won at depth 2 if")
            page.get_by_role("button", name="Take the second test").click()
        for number in range(6):
            expect(content).to_have_attribute("data-task", f"{part}-{number}")
            expect(content).to_have_attribute("data-state", part)
            board = game.parse(content.get_attribute("data-position"))
            rated = oracle.rate_moves(board)
            move = rated[0].move if part == "after" else rated[-1].move
            page.locator(f'.place[data-place="{game.steps(move)[0]}"]').click()
    expect(content).to_have_attribute("data-state", "result")
    expect(page.locator(".message")).to_have_text("Right moves: 0 of 6 before, 6 of 6 after.")
    label = "rules read between the tests" if reads else "nothing read"
    expect(content.locator("tbody tr")).to_have_text([f"{label}10%100%"])
    page.get_by_role("button", name="Again").click()
    expect(content).to_have_attribute("data-state", "introduction")
