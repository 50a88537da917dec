"""The MCP server, driven by the client of the official SDK as a language model's host drives it."""

import asyncio
import json
import re
import subprocess
import sys

import pytest
from mcp import Client, MCPError, StdioServerParameters, stdio_client

import ludus
from ludus.envs import mcp_server
from ludus.envs.mcp_server import OPPONENTS, make_server
from ludus.games import GAMES

COMMAND = [sys.executable, "-m", "ludus", "serve", "mcp"]


def run(play, server=None):
    """Run a coroutine with a client that is connected to the server."""

    async def connect():
        async with Client(server or make_server()) as client:
            return await play(client)

    return asyncio.run(connect())


async def call(client, tool, **arguments):
    """Call a tool that must succeed; return its text and its structured result."""
    found = await client.call_tool(tool, arguments)
    assert not found.is_error, found.content[0].text
    return found.content[0].text, found.structured_content


async def fail(client, tool, **arguments):
    """Call a tool that must fail; return its message."""
    found = await client.call_tool(tool, arguments)
    assert found.is_error
    return found.content[0].text


async def play_game(client, **options):
    """Play the best move by the server's own values until the game is over."""
    text, state = await call(client, "start_game", **options)
    game_id = state["game_id"]
    assert game_id in text
    while not state["is_over"]:
        _, values = await call(client, "evaluate_moves", game_id=game_id)
        assert {each["move"] for each in values["moves"]} == {*state["legal_moves"]}
        text, state = await call(
            client, "play_move", game_id=game_id, move=values["moves"][0]["move"]
        )
    _, result = await call(client, "show_result", game_id=game_id)
    assert result["total_loss"] == 0
    assert result["exact"] == len(result["moves"]) > 0
    assert result["outcome"] == state["outcome"]
    return state["outcome"]


def test_a_client_plays_a_whole_game_through_standard_streams():
    async def play(client):
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert all(tool.description for tool in tools.values())
        assert "renamed" in json.dumps(tools["start_game"].input_schema)
        rules = await client.read_resource("ludus://rules/hexapawn:gardner")
        assert "A side that has no move loses." in rules.contents[0].text
        # Side 1 wins Gardner's game against every play.
        return await play_game(client, game="hexapawn:gardner", opponent="random", side="second")

    parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
    assert run(play, stdio_client(parameters)) == 1


@pytest.mark.slow  # what differs from standard streams is the SDK's own
def test_a_client_plays_through_http():
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--json"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            address = json.loads(process.stdout.readline())["address"]
            outcome = run(lambda client: play_game(client, opponent="perfect"), address)
        finally:
            process.terminate()
    assert outcome == 0


@pytest.mark.parametrize("variant", ["plain", "turned", "renamed"])
def test_perfect_play_loses_nothing_in_any_variant(variant):
    options = {"game": "noughts_and_crosses", "opponent": "perfect", "seed": 3}
    assert run(lambda client: play_game(client, variant=variant, **options)) == 0


def test_mistakes_are_explained_in_the_words_of_the_variant():
    async def play(client):
        place = {"game": "noughts_and_crosses", "position": "X../.O./..X o"}
        text, found = await call(client, "explain_move", move="c3", **place)
        assert found == {"move": "c3", "cost": 1.0}
        assert "c3 loses a drawn game: the answer a1 threatens two lines at once" in text
        assert "b3 draws" in text
        _, state = await call(client, "start_game", variant="renamed", seed=1, **place)
        shown = mcp_server.Presentation.draw(ludus.game(place["game"]), "renamed", 1)
        for move in state["legal_moves"]:
            renamed, _ = await call(client, "explain_move", move=move, game_id=state["game_id"])
            if shown.rename("c3") == move:
                assert renamed == shown.rename(text)
            assert not re.search(r"\b[abc][123]\b", renamed)

    run(play)


def test_no_hints_before_the_end_of_a_game():
    async def play(client):
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert not names & {"evaluate_moves", "explain_move"}
        _, state = await call(client, "start_game", game="noughts_and_crosses", seed=1)
        game_id = state["game_id"]
        assert "when the game is over" in await fail(client, "show_result", game_id=game_id)
        while not state["is_over"]:
            move = state["legal_moves"][0]
            _, state = await call(client, "play_move", game_id=game_id, move=move)
        text, result = await call(client, "show_result", game_id=game_id)
        assert f"{len(result['moves'])}. " in text
        assert "The game is over" in (
            await fail(client, "play_move", game_id=game_id, move="a1")
        ).replace("the game", "The game")

    run(play, make_server(has_hints=False))


def test_clear_errors():
    async def play(client):
        _, state = await call(client, "start_game")
        known = {"game_id": state["game_id"]}
        for tool, arguments, message in (
            ("play_move", {**known, "move": "a1-a9"}, "legal are a1-a2, b1-b2, c1-c2"),
            ("play_move", {**known, "move": "x" * 2000}, "at most 1000"),
            ("play_move", {"game_id": "none", "move": "a1-a2"}, "there is no game 'none'"),
            ("evaluate_moves", {}, "give either game_id, or game and position"),
            ("evaluate_moves", {"game": "hexapawn", "position": "?"}, "must be a board"),
            ("start_game", {"game": "chess"}, "there is no game 'chess'"),
            ("start_game", {"game": "os:System"}, "there is no game 'os'"),
            ("start_game", {"opponent": "external:cmd=true"}, "there is no opponent 'external'"),
            ("start_game", {"opponent": "scholar:weights=/etc/passwd"}, "only option is its level"),
            ("start_game", {"game": "nine_mens_morris", "opponent": "perfect"}, "cannot play from"),
            ("start_game", {"side": "third"}, "Input should be 'first' or 'second'"),
        ):
            assert message in await fail(client, tool, **arguments)
        _, result = await call(client, "show_result", **known)
        assert (result["moves"], result["illegal"]) == ([], 2)
        with pytest.raises(MCPError, match="there is no game"):
            await client.read_resource("ludus://rules/chess")

    run(play)


def test_the_oldest_game_is_given_up_for_the_next(monkeypatch):
    monkeypatch.setattr(mcp_server, "MAX_GAMES", 2)

    async def play(client):
        ids = [(await call(client, "start_game"))[1]["game_id"] for _ in range(3)]
        assert "there is no game" in await fail(client, "list_legal_moves", game_id=ids[0])
        for game_id in ids[1:]:
            await call(client, "list_legal_moves", game_id=game_id)

    run(play)


def test_every_game_has_rules_and_opponents():
    async def play(client):
        _, found = await call(client, "list_games")
        assert [each["game"] for each in found["games"]] == [*GAMES]
        for each in found["games"]:
            assert {"random", "playouts"} <= {*each["opponents"]} <= {*OPPONENTS}
            for preset in each["presets"]:
                text, _ = await call(client, "read_rules", game=f"{each['game']}:{preset}")
                read = await client.read_resource(f"ludus://rules/{each['game']}:{preset}")
                assert text == read.contents[0].text
                assert each["title"] in text

    run(play)
