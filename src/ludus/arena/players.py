"""Players and games as callers give them: specs, or objects of any class."""

from collections.abc import Iterable, Mapping, Sequence

from ludus.arena.executors import Executor, LocalPool, ThisProcess
from ludus.arena.job_runner import PlayerCache
from ludus.core.errors import BadArgument
from ludus.core.game import AnyGame
from ludus.core.player import Player
from ludus.core.processes import count_cores
from ludus.core.spec import parse_spec
from ludus.players import find_player_class
from ludus.players import player as named_player


def find_player(player: Player | str, game: AnyGame) -> Player:
    """Return a player of this game from itself or from its spec."""
    if isinstance(player, str):
        return named_player(player, game)
    if player.game.id != game.id or player.game.rules != game.rules:
        raise BadArgument(f"{player!r} cannot play {game!r}; make it for that game")
    return player


def split_players(
    players: Sequence[Player | str], game: AnyGame
) -> tuple[list[str], dict[str, Player]]:
    """Return the specs of all players, and those that are given as objects, by their specs."""
    objects: dict[str, Player] = {}
    specs = []
    for each in players:
        if isinstance(each, str):
            specs.append(each.strip())
            continue
        spec = find_player(each, game).spec
        if objects.setdefault(spec, each) is not each:
            raise BadArgument(f"two players have the spec {spec}; give them different ones")
        specs.append(spec)
    return specs, objects


def is_from_main(game: AnyGame, specs: Iterable[str]) -> bool:
    """Return whether a class of the main module plays, which worker processes do not import."""
    kinds = [type(game), *(find_player_class(parse_spec(spec))[0] for spec in specs)]
    return any(kind.__module__ == "__main__" for kind in kinds)


def choose_executor(
    game: AnyGame, specs: Iterable[str], objects: Mapping[str, Player], jobs: int
) -> Executor:
    """Return worker processes, or this process for one job or what they could not import."""
    if jobs == 1 or objects or is_from_main(game, specs):
        given = {(spec, number): each for spec, each in objects.items() for number in (0, 1)}
        return ThisProcess(PlayerCache(game, given))
    return LocalPool(jobs or count_cores())
