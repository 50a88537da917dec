"""Trainings of the strong networks: by self-play, and on the labels of another program."""

import math
from abc import abstractmethod
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import BadSpec, quote
from ludus.core.executors import LocalProcesses, RayTasks, TaskExecutor
from ludus.core.extras import require_package
from ludus.core.processes import count_cores
from ludus.learn.checkpoint import TrainingState, prefix_names
from ludus.learn.config import select_device
from ludus.learn.gammon.config import GROUP, ChancesConfig, ExpertConfig, SelfplayConfig
from ludus.learn.gammon.data import LabelFolder, LabelledGroups, label_in_parallel
from ludus.learn.gammon.network import ChancesNetwork, load_shipped_chances
from ludus.learn.training import Clock, Training

if TYPE_CHECKING:
    import torch

    from ludus.learn.gammon.trainer import ChancesTrainer

STEPS_AT_ONCE = 100
"""Training steps on an expert's labels between two looks at the clock."""

ChancesConfigT = TypeVar("ChancesConfigT", bound=ChancesConfig)


class ChancesTraining(Training[ChancesConfigT]):
    """What the trainings of the strong networks share; the average of the weights is exported."""

    kind: ClassVar[str]
    """How it is trained: `selfplay` or `expert`."""

    def __init__(self, config: ChancesConfigT, trainer: "ChancesTrainer | None" = None) -> None:
        """Prepare a training, from scratch or with a trainer that goes on."""
        super().__init__(config)
        require_package("torch", "training a network")
        from ludus.learn.gammon.trainer import ChancesTrainer

        self.title = f"gammon {self.kind}"
        self.trainer = trainer or ChancesTrainer(
            config, select_device(config.device, config.threads)
        )
        self._executor: TaskExecutor | None = None
        self._loss: torch.Tensor | None = None

    def _open_executor(self, num_workers: int) -> TaskExecutor:
        """Return worker processes here or on the cluster; `close` ends them."""
        if self._executor is None:
            cluster = self.config.cluster
            self._executor = (
                RayTasks(cluster, num_workers) if cluster else LocalProcesses(num_workers)
            )
        return self._executor

    def close(self) -> None:
        if self._executor is not None:
            self._executor.__exit__(None, None, None)
            self._executor = None

    def init_from(self, file: Path) -> None:
        found = ChancesNetwork.load(file)
        if found.sizes[1:-1] != self.config.hidden:
            hidden = ",".join(map(str, found.sizes[1:-1]))
            raise BadSpec(
                f"{quote(str(file), 200)} is a network {found.name}: it needs hidden={hidden}"
            )
        self.trainer.set_layers(found.layers)

    @abstractmethod
    def count_data(self) -> dict[str, int]:
        """Return the number of games or of decisions, by its name in reports."""

    def _describe(self) -> dict[str, Any]:
        steps, seed = self.trainer.optimizer.steps, self.config.seed
        return {"way": self.kind, **self.count_data(), "steps": steps, "seed": seed}

    def export(self) -> ChancesNetwork:
        return self.trainer.averaged.export(**self._describe())

    def report(self) -> dict[str, Any]:
        return {"network": self.export().name, **self._describe()}

    def describe(self, report: Mapping[str, Any]) -> str:
        return f"{report['network']}: {report['steps']} steps in {report['seconds']:.0f} s"


class SelfplayTraining(ChancesTraining[SelfplayConfig]):
    """Train a backgammon network by self-play alone (needs torch; the defaults need a GPU).

    A step is a round: first of TD(lambda), then of lookahead targets, which worker processes
    compute with `jobs` or on a cluster.
    """

    Config = SelfplayConfig
    kind = "selfplay"

    def __init__(self, config: SelfplayConfig, trainer: "ChancesTrainer | None" = None) -> None:
        super().__init__(config, trainer)
        from ludus.learn.gammon.selfplay import Selfplay

        self.selfplay = Selfplay(config, self.trainer)
        self.max_steps = config.td_rounds + config.lookahead_rounds

    def step(self, clock: Clock) -> None:
        config = self.config
        if self.selfplay.td_rounds < config.td_rounds:
            self._loss = self.selfplay.run_td_round()
        else:
            executor = self._open_executor(config.jobs) if config.has_workers else None
            self._loss = self.selfplay.run_lookahead_round(executor)

    def metrics(self) -> dict[str, float]:
        """Return the loss of the last step and the number of games that are over."""
        part = "lookahead" if self.selfplay.lookahead_rounds else "td"
        loss = {} if self._loss is None else {f"loss/{part}": float(self._loss)}
        return {**loss, "games": self.selfplay.num_games}

    def state(self) -> TrainingState:
        games, trainer = self.selfplay.state(), self.trainer.state()
        arrays = {**prefix_names("games", games.arrays), **prefix_names("trainer", trainer.arrays)}
        return TrainingState({"games": games.facts, "trainer": trainer.facts}, arrays)

    def load(self, state: TrainingState) -> None:
        self.selfplay.load(TrainingState(state.facts["games"], state.select("games")))
        self.trainer.load(TrainingState(state.facts["trainer"], state.select("trainer")))

    def count_data(self) -> dict[str, int]:
        return {"games": self.selfplay.num_games}


class ExpertTraining(ChancesTraining[ExpertConfig]):
    """Train a backgammon network on labels of bgsage (needs torch; the defaults need a GPU).

    The positions are those of games of the shipped self-play network with itself. A step is a file
    of labels, which are kept, or a hundred training steps.
    """

    Config = ExpertConfig
    kind = "expert"

    def __init__(
        self,
        config: ExpertConfig,
        labelled: LabelledGroups | None = None,
        trainer: "ChancesTrainer | None" = None,
    ) -> None:
        """Prepare a training on labelled alternatives, by default on those of the folder `data`."""
        super().__init__(config, trainer)
        if labelled is None and config.data is None:
            raise BadSpec("gammon-expert data is missing: name a folder for labelled positions")
        self._source = labelled or LabelFolder(config.data or Path(), config.groups)
        self._num_files = self._num_steps = 0
        num_files = self._source.num_files if isinstance(self._source, LabelFolder) else 0
        self.max_steps = num_files + math.ceil(config.steps / STEPS_AT_ONCE)

    def step(self, clock: Clock) -> None:
        source = self._source
        if isinstance(source, LabelFolder) and self._num_files < source.num_files:
            if not source.file(self._num_files).exists():
                self._label(source, self._num_files)
            self._num_files += 1
        else:
            self._train(min(STEPS_AT_ONCE, self.config.steps - self._num_steps))

    def _label(self, folder: LabelFolder, number: int) -> None:
        """Write a file of positions and labels, which depend on its number and the seed alone."""
        config, size = self.config, folder.size(number)
        groups = self._draw_groups(size, number)
        # `threads` is for this machine; on a cluster all cores label.
        executor = self._open_executor(0 if config.cluster else config.threads or count_cores())
        found = label_in_parallel(groups.reshape(-1, groups.shape[-1]), executor, config.plies)
        labels = np.concatenate(list(found)).reshape(size, GROUP, -1)
        folder.write(number, groups, labels)

    def _draw_groups(self, count: int, number: int) -> NDArray[np.int8]:
        """Play games, and return alternatives of decisions, shape (count, 4, 52)."""
        from concurrent.futures import ThreadPoolExecutor

        import torch

        from ludus.learn.gammon.model import ChancesModel, Predictor
        from ludus.learn.gammon.selfplay import SelfplayGames, draw_groups

        config, trainer = self.config, self.trainer
        seed = (config.seed, number)
        model = ChancesModel.from_layers(load_shipped_chances("selfplay").layers)
        predictor = Predictor(model.to(trainer.device), trainer.afterstates)
        generator = torch.Generator(trainer.device)
        generator.manual_seed(int(np.random.SeedSequence(seed).generate_state(1)[0]))
        with ThreadPoolExecutor(1) as threads:
            games = SelfplayGames(
                config.games,
                trainer.afterstates,
                threads,
                seed,
                config.random_rate,
                config.opening_plies,
            )
            # A few moves of many games are much alike, so every game is played for a while.
            step = max(1, config.games * 60 // count)
            return draw_groups([games], predictor, generator, count, step)

    @cached_property
    def _tensors(self) -> "tuple[torch.Tensor, torch.Tensor]":
        """Boards and labels on the device."""
        import torch

        source = self._source
        groups, labels = source.read() if isinstance(source, LabelFolder) else source
        device = self.trainer.device
        return torch.from_numpy(groups).to(device), torch.from_numpy(labels).to(device)

    def _train(self, num_steps: int) -> None:
        import torch

        config, trainer = self.config, self.trainer
        boards, targets = self._tensors
        for number in range(self._num_steps, self._num_steps + num_steps):
            chosen = torch.randint(
                len(boards),
                (config.batch // GROUP,),
                generator=trainer.generator,
                device=trainer.device,
            )
            self._loss = trainer.train_on(
                boards[chosen].flatten(0, 1),
                targets[chosen].flatten(0, 1),
                number / config.steps,
                GROUP,
                config.comparison_weight,
            )
        self._num_steps += num_steps

    def metrics(self) -> dict[str, float]:
        """Return the loss of the last step; before the first one the number of files."""
        if self._loss is None:
            return {"files of labels": self._num_files}
        return {"loss/labels": float(self._loss)}

    def state(self) -> TrainingState:
        found = self.trainer.state()
        done = {"files": self._num_files, "steps": self._num_steps}
        return TrainingState({"done": done, "trainer": found.facts}, found.arrays)

    def load(self, state: TrainingState) -> None:
        done = state.facts["done"]
        self._num_files, self._num_steps = int(done["files"]), int(done["steps"])
        self.trainer.load(TrainingState(state.facts["trainer"], state.arrays))

    def count_data(self) -> dict[str, int]:
        return {"groups": self.config.groups}
