"""Curves for TensorBoard: one run for each network."""

from pathlib import Path
from typing import TYPE_CHECKING

from ludus.core.errors import LudusError, quoted

if TYPE_CHECKING:
    from ludus.learn.nnmm.training import Epoch, NetworkTraining


class Log:
    """Writes what happens in trainings into a folder, one folder below it for each network."""

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise LudusError("logs need TensorBoard: pip install 'ludus[logs]'") from None
        self._writer_of = SummaryWriter
        self._folder = folder
        self._name = ""

    def note(self, network: "NetworkTraining", epoch: "Epoch") -> None:
        """Add an epoch to the curves of its network."""
        if network.name != self._name:
            self._begin(network.name, epoch.number)
        for curve, value in (
            ("loss/training", epoch.loss),
            ("loss/validation", epoch.validation_loss),
            ("accuracy/validation", epoch.accuracy),
            ("accuracy/best", network.best_accuracy),
            ("learning rate", epoch.rate),
        ):
            self._writer.add_scalar(curve, value, epoch.number)
        self._writer.flush()

    def _begin(self, name: str, first: int) -> None:
        self.close()
        folder = self._folder / name.replace(" ", "-").replace("/", "-of-").replace("?", "-there")
        try:
            # What a killed run wrote beyond its last state is told again.
            self._writer = self._writer_of(str(folder), purge_step=first)
        except OSError as error:
            shown = quoted(str(self._folder), 200)
            raise LudusError(f"cannot write logs into {shown}: {error.strerror}") from error
        self._name = name

    def close(self) -> None:
        """Finish what is being written."""
        if self._name:
            self._writer.close()
            self._name = ""
