"""A TextEnv behind the protocol of OpenEnv 0.10, which TRL, verifiers and others read.

A client has a WebSocket at `/ws` for its own games and sends `reset`, `step`, `state` and `close`;
over HTTP all clients share one game. What a model must not see, the points that its move gave away,
is in `metadata` and not in the observation.
"""

import threading
import uuid
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Literal

from fastapi import FastAPI, HTTPException, WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.concurrency import run_in_threadpool

from ludus.core.errors import LudusError, to_one_line
from ludus.envs.text import MAX_TEXT, TextEnv
from ludus.games.presentation import Variant

MAX_SESSIONS = 256
"""Clients at the same time; further ones are refused."""


class AnswerAction(BaseModel):
    """A model's answer, which ends with its move between <move> and </move>."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(max_length=MAX_TEXT)
    metadata: dict[str, Any] = {}


class TextObservation(BaseModel):
    """What a model reads: at first the rules and the position, then what has happened."""

    text: str
    legal_moves: list[str]


class StepRequest(BaseModel):
    """A step over HTTP."""

    action: dict[str, Any]


class EpisodeState(BaseModel):
    """The episode of a client."""

    episode_id: str | None = None
    step_count: int = 0
    game: str = ""
    symmetry: int = 0
    position: str = ""


class ResetOptions(BaseModel):
    """What a client may choose for a new game; the server's own choice counts for the rest."""

    model_config = ConfigDict(extra="forbid")

    seed: int | None = Field(None, ge=0, lt=2**62)
    episode_id: str | None = Field(None, max_length=255)
    side: Literal[0, 1] | None = None
    variant: Variant | None = None
    position: str | None = Field(None, max_length=1000)


class Message(BaseModel):
    """A message of a client."""

    type: Literal["reset", "step", "state", "close"]
    data: dict[str, Any] = {}


class OpenEnvSession:
    """The games of one client, one after the other."""

    def __init__(self, env: TextEnv) -> None:
        self.env = env
        self.state = EpisodeState(game=f"{env.game.id}:{env.game.format_rules(env.game.rules)}")

    def answer(self, message: Message) -> dict[str, Any]:
        """Return the response to a message."""
        if message.type == "reset":
            return self._reset(ResetOptions(**message.data))
        if message.type == "step":
            return self._step(AnswerAction(**message.data).answer)
        return {"type": "state", "data": self.state.model_dump()}

    def _reset(self, given: ResetOptions) -> dict[str, Any]:
        chosen = given.model_dump(include={"side", "variant"}, exclude_none=True)
        if given.position is not None:
            chosen["position"] = self.env.game.parse(given.position)
        text, info = self.env.reset(seed=given.seed, options=chosen)
        self.state.episode_id = given.episode_id or uuid.uuid4().hex
        self.state.step_count = 0
        return self._observe(text, info, None, False)

    def _step(self, answer: str) -> dict[str, Any]:
        if self.state.episode_id is None or self.env.is_over:
            raise LudusError("no game is played; reset starts one")
        text, reward, has_ended, is_truncated, info = self.env.step(answer)
        self.state.step_count += 1
        return self._observe(text, info, reward, has_ended or is_truncated)

    def _observe(
        self, text: str, info: dict[str, Any], reward: float | None, is_over: bool
    ) -> dict[str, Any]:
        self.state.symmetry = info["symmetry"]
        self.state.position = str(self.env.position)
        seen = TextObservation(text=text, legal_moves=info.pop("legal_moves"))
        data = {"observation": seen.model_dump(), "reward": reward, "done": is_over}
        return {"type": "observation", "data": {**data, "metadata": info}}


def make_app(make_env: Callable[[], TextEnv]) -> FastAPI:
    """Return the application; each client plays in an environment of its own."""
    app = FastAPI(title="Ludus", version=version("ludus-games"), docs_url=None, redoc_url=None)
    sessions: set[OpenEnvSession] = set()
    _add_shared_game(app, make_env)

    @app.get("/health")
    def check_health() -> dict[str, str]:
        return {"status": "healthy"}

    @app.get("/metadata")
    def describe() -> dict[str, str]:
        text = "A board game as text, with the exact regret of every move as its reward."
        return {"name": "ludus", "description": text, "version": version("ludus-games")}

    @app.get("/schema")
    def get_schemas() -> dict[str, Any]:
        seen = TextObservation.model_json_schema()
        action, state = AnswerAction.model_json_schema(), EpisodeState.model_json_schema()
        return {"action": action, "observation": seen, "reset_observation": seen, "state": state}

    @app.websocket("/ws")
    async def play(socket: WebSocket) -> None:
        await socket.accept()
        if len(sessions) >= MAX_SESSIONS:
            await socket.send_json(_make_error("CAPACITY_REACHED", "too many clients; try later"))
            await socket.close()
            return
        session = OpenEnvSession(make_env())
        sessions.add(session)
        try:
            await _serve_client(socket, session)
        except WebSocketDisconnect:
            pass
        finally:
            sessions.discard(session)

    return app


def _add_shared_game(app: FastAPI, make_env: Callable[[], TextEnv]) -> None:
    """Add what OpenEnv has besides the WebSocket: one game that all clients over HTTP share."""
    shared, lock = OpenEnvSession(make_env()), threading.Lock()

    def respond(kind: Literal["reset", "step", "state"], data: dict[str, Any]) -> Any:
        try:
            with lock:
                return shared.answer(Message(type=kind, data=data))["data"]
        except ValidationError as error:
            raise HTTPException(422, _describe_error(error)) from None
        except LudusError as error:
            raise HTTPException(400, str(error)) from None

    @app.post("/reset")
    def reset(options: dict[str, Any] | None = None) -> Any:
        return respond("reset", options or {})

    @app.post("/step")
    def step(request: StepRequest) -> Any:
        return respond("step", request.action)

    @app.get("/state")
    def get_state() -> Any:
        return respond("state", {})

    @app.post("/mcp")
    def refuse_tools(request: dict[str, Any]) -> dict[str, Any]:
        error = {"code": -32601, "message": "ludus serve mcp offers tools, this does not"}
        return {"jsonrpc": "2.0", "id": request.get("id"), "error": error}


async def _serve_client(socket: WebSocket, session: OpenEnvSession) -> None:
    """Answer a client's messages until it says `close`."""
    while True:
        try:
            message = Message.model_validate_json(await socket.receive_text())
            if message.type == "close":
                await socket.close()
                return
            response = await run_in_threadpool(session.answer, message)
        except ValidationError as error:
            response = _make_error("VALIDATION_ERROR", _describe_error(error))
        except LudusError as error:
            response = _make_error("EXECUTION_ERROR", str(error))
        await socket.send_json(response)


def _describe_error(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(map(str, first["loc"]))
    return f"{where}: {first['msg']}" if where else first["msg"]


def _make_error(code: str, text: str) -> dict[str, Any]:
    return {"type": "error", "data": {"message": to_one_line(text, 1000), "code": code}}
