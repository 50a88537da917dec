"""The command groups `ludus train SYSTEM` and `ludus tune SYSTEM`."""

from collections.abc import Callable
from typing import Any

import typer

from ludus.cli.help import HelpGroup, label_parameters, make_group
from ludus.cli.nnmm_training import tune_nnmm
from ludus.core.spec import Registry

TRAIN_COMMANDS: Registry[Callable[..., None]] = Registry(
    "system",
    {
        "menace": "ludus.cli.tabular:menace",
        "her": "ludus.cli.tabular:her",
        "qlearning": "ludus.cli.tabular:qlearning",
        "deepq": "ludus.cli.tabular:deepq",
        "gammon": "ludus.cli.backgammon:gammon",
        "gammon-selfplay": "ludus.cli.gammon_training:train_by_selfplay",
        "gammon-expert": "ludus.cli.gammon_training:train_on_expert",
        "scholar": "ludus.cli.scholar:scholar",
        "nnmm": "ludus.cli.nnmm_training:train_nnmm",
    },
)
"""Command functions of `ludus train` by the name of the system."""


class LazyCommandGroup(HelpGroup):
    """A group that imports a command only when it is used."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(TRAIN_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = typer.Typer(add_completion=False, rich_markup_mode=None)
        command.command(cmd_name)(TRAIN_COMMANDS[cmd_name])
        return label_parameters(typer.main.get_command(command))


train_app = make_group(
    cls=LazyCommandGroup,
    help="Train a learner and save the result.",
)


tune_app = make_group(
    help="Search for the best hyperparameters of a learner.",
)
tune_app.command("nnmm")(tune_nnmm)
