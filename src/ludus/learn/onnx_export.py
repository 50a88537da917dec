"""Networks of players and of weight files as ONNX models; docs/data.md lists what they read."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus.core.errors import BadSpec, LudusError, quote
from ludus.core.files import quote_path
from ludus.core.player import Player
from ludus.core.spec import parse_spec
from ludus.games import game as named_game
from ludus.learn.common.onnx_graph import OnnxModel, import_onnx
from ludus.learn.common.weights import BadWeights
from ludus.players import find_player_class

SUFFIXES = (".safetensors", ".npz")
"""Names of weight files."""


def build_onnx_model(what: str, game: str = "") -> OnnxModel:
    """Build the model of a player's networks, by its spec, or of a weight file.

    `game` is needed for `deepq` alone, which plays several games.
    """
    import_onnx()
    if what.endswith(SUFFIXES):
        return _build_file_model(Path(what), game)
    kind, _ = find_player_class(parse_spec(what))
    for name, build in _PLAYER_MODELS.items():
        if name == kind.__name__:
            return build(_make_player(what, kind, game))
    known = ", ".join(("nnmm", "hybrid", "scholar", "gammon", "deepq"))
    raise BadSpec(f"{quote(what)} has no networks; players with networks are {known}")


def _make_player(spec: str, kind: type[Player], game: str) -> Player:
    from ludus.players import player

    games = sorted(kind.games or ())
    if not game and len(games) != 1:
        raise BadSpec(f"{quote(spec)} plays {' and '.join(games)}; name one with --game")
    return player(spec, named_game(game or games[0]))


def _build_nnmm(player: Any) -> OnnxModel:
    from ludus.learn.nnmm.chain import find_shipped_weights, load_committee
    from ludus.learn.nnmm.onnx_model import build_chain_model

    settings = player.settings
    files = find_shipped_weights()
    shipped = files.get((settings.size, str(player.chain.order)))
    path = Path(settings.weights) if settings.weights else shipped
    assert path is not None, "the player has loaded it"
    return build_chain_model(load_committee(path))


def _build_scholar(player: Any) -> OnnxModel:
    from ludus.learn.scholar.inference import find_shipped_weights
    from ludus.learn.scholar.onnx_model import build_scholar_model
    from ludus.learn.scholar.weights import load_weights

    settings = player.settings
    shipped = find_shipped_weights().get((settings.way, settings.size))
    path = Path(settings.weights) if settings.weights else shipped
    assert path is not None, "the player has loaded it"
    return build_scholar_model(load_weights(path))


def _build_gammon(player: Any) -> OnnxModel:
    from ludus.learn.gammon.onnx_model import build_chances_model, build_move_model

    build: Callable[[Any], OnnxModel]
    build = build_chances_model if player.settings.is_strong else build_move_model
    return build(player.network)


def _build_deepq(player: Any) -> OnnxModel:
    from ludus.learn.dqn.onnx_model import build_q_model

    return build_q_model(player.weights, player.game)


_PLAYER_MODELS: dict[str, Callable[[Any], OnnxModel]] = {
    "NnmmPlayer": _build_nnmm,
    "HybridPlayer": _build_nnmm,
    "ScholarPlayer": _build_scholar,
    "GammonPlayer": _build_gammon,
    "DqnPlayer": _build_deepq,
}
"""Builders by the player's class, which is imported only if it is asked for."""


def _build_file_model(path: Path, game: str) -> OnnxModel:
    """Build the model of a weight file, whose content says which learner wrote it."""
    if not path.is_file():
        raise BadWeights(f"there is no file {quote_path(path)}")
    if path.suffix == ".npz":
        if game:
            from ludus.learn.dqn.inference import load_arrays, select_weights
            from ludus.learn.dqn.onnx_model import build_q_model

            chosen = named_game(game)
            return build_q_model(select_weights(load_arrays(path, chosen)[1], chosen), chosen)
        from ludus.learn.gammon.network import GammonNetwork
        from ludus.learn.gammon.onnx_model import build_move_model

        return build_move_model(GammonNetwork.load(path))
    kind = _read_kind(path)
    if kind.startswith("nnmm"):
        from ludus.learn.nnmm.chain import load_committee
        from ludus.learn.nnmm.onnx_model import build_chain_model

        return build_chain_model(load_committee(path))
    if kind.startswith("scholar"):
        from ludus.learn.scholar.onnx_model import build_scholar_model
        from ludus.learn.scholar.weights import load_weights

        return build_scholar_model(load_weights(path))
    from ludus.learn.gammon.network import ChancesNetwork
    from ludus.learn.gammon.onnx_model import build_chances_model

    return build_chances_model(ChancesNetwork.load(path))


def _read_kind(path: Path) -> str:
    """Return the kind of networks in a safetensors file, empty if it names none."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="numpy") as file:
            described = json.loads((file.metadata() or {}).get("ludus", "{}"))
    except (SafetensorError, OSError, ValueError) as error:
        raise LudusError(
            f"{quote_path(path)} holds no networks: {quote(str(error), 100)}"
        ) from error
    return str(described.get("kind", "")) if isinstance(described, dict) else ""
