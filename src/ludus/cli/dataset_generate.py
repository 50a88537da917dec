"""`ludus dataset generate`: a teacher plays, and what it does is written down."""

import os
import sys
import time as clock
from typing import Annotated

import typer

from ludus.cli.dataset_expand import Out
from ludus.cli.limits import Depth, Nodes, Time
from ludus.cli.options import GameName, Json, Rules
from ludus.cli.output import print_json, with_progress
from ludus.cli.tournament import Jobs


def generate(
    game: GameName,
    out: Out,
    states: Annotated[
        int,
        typer.Option(
            "--states",
            metavar="N",
            min=1,
            max=100_000_000,
            help="How many positions.",
            show_default=False,
        ),
    ],
    teacher: Annotated[
        str,
        typer.Option(
            "--teacher", metavar="PLAYER", help="Whose moves.", show_default="that of the game"
        ),
    ] = "",
    opponents: Annotated[
        str,
        typer.Option(
            "--opponents",
            metavar="PLAYER,PLAYER…",
            help="Whom the teacher plays.",
            show_default="those of the game, and the teacher itself",
        ),
    ] = "",
    options: Annotated[
        str,
        typer.Option("--options", metavar="KEY=VALUE,…", help="Options of the game's generator."),
    ] = "",
    rules: Rules = "",
    time: Time = None,
    nodes: Nodes = None,
    depth: Depth = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same file.")] = 0,
    jobs: Jobs = 0,
    json: Json = False,
) -> None:
    """Let a teacher play and keep its moves; a killed run goes on where it stopped.

    Limits are for each of the teacher's moves. With --time no two runs are alike.
    """
    from ludus.core.limit import Limit
    from ludus.datasets.generation import Generation
    from ludus.datasets.generators import GENERATORS
    from ludus.datasets.plan import Plan, split_players
    from ludus.games import game as named_game

    kind = GENERATORS[named_game(game, rules).id]
    chosen = teacher or kind.teacher
    plan = Plan(
        game=game,
        teacher=chosen,
        opponents=split_players(opponents) or (*kind.opponents, chosen),
        states=states,
        rules=rules,
        options=options,
        limit=Limit(time, nodes, depth),
        seed=seed,
    )
    run = Generation(plan, out, jobs or os.cpu_count() or 1)
    began = clock.perf_counter()
    found = 0
    try:
        for _ in with_progress(run.run(), states, "generating"):
            found += 1
    except KeyboardInterrupt:
        have = run.resumed + found
        print(f"ludus: {have} of {states} states; the same command goes on", file=sys.stderr)
        raise
    made = run.result
    seconds = clock.perf_counter() - began
    if json:
        print_json(
            **plan.as_json(),
            out=str(out),
            sidecar=str(made.sidecar),
            matches=made.matches,
            resumed=made.resumed,
            sha256=made.sha256,
            seconds=round(seconds, 3),
        )
        return
    print(f"{states} states of {made.matches} matches, {made.resumed} of them from before")
    print(f"{seconds:.1f} s; how it was made is in {made.sidecar}")
