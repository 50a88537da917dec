"""Training steps of a strong network: loss, optimizer and the average of the weights, in torch."""

import torch
from torch.nn import functional

from ludus.learn.checkpoint import TrainingState
from ludus.learn.gammon.afterstates import Afterstates, open_afterstates
from ludus.learn.gammon.config import ChancesConfig
from ludus.learn.gammon.model import ChancesModel, Predictor, compute_equity
from ludus.learn.gammon.network import Layers
from ludus.learn.optimizer import EmaOptimizer, cosine_decay, to_arrays, warm_up

WARM_UP = 0.01
"""Part of the training in which the learning rate rises."""


class ChancesTrainer:
    """A model in training with the average of its weights, which plays and labels."""

    def __init__(
        self, config: ChancesConfig, device: torch.device, afterstates: Afterstates | None = None
    ) -> None:
        self.config, self.device = config, device
        self.afterstates = afterstates or open_afterstates(device, config.threads)
        torch.manual_seed(config.seed)
        sizes = self.afterstates.num_inputs, config.hidden
        self.model = ChancesModel(*sizes).to(device)
        self.averaged = ChancesModel(*sizes).to(device)
        self.generator = torch.Generator(device)
        """Source of all random numbers on the device."""
        if device.type == "cpu":
            self.generator.set_state(torch.get_rng_state())
        else:
            self.generator.manual_seed(config.seed)
        adam = torch.optim.Adam(self.model.parameters(), fused=device.type == "cuda")
        self.optimizer = EmaOptimizer(
            self.model, self.averaged, adam, config.ema_decay, has_ema_warmup=True
        )
        self._batch = torch.empty(0), torch.empty(0)
        self._group, self._comparison_weight = 1, 0.0
        self._step = self.optimizer.prepare_step(self._compute_loss, "nothing")

    def predictor(self) -> Predictor:
        """Return the averaged weights as a predictor."""
        return Predictor(self.averaged, self.afterstates)

    def train_on(
        self,
        boards: torch.Tensor,
        targets: torch.Tensor,
        progress: float,
        group: int = 1,
        comparison_weight: float = 0.0,
    ) -> torch.Tensor:
        """Make one step; return the loss. Boards of a group are alternatives of one decision."""
        self._batch = self.afterstates.encode(boards).float(), targets.clamp(0, 1)
        self._group, self._comparison_weight = group, comparison_weight
        config = self.config
        rate = max(cosine_decay(config.learning_rate, progress), config.last_learning_rate)
        return self._step(warm_up(rate, max(progress, WARM_UP / 100), WARM_UP))

    def _compute_loss(self) -> torch.Tensor:
        inputs, targets = self._batch
        logits = self.model(inputs)
        loss = functional.binary_cross_entropy_with_logits(logits, targets)
        entropy = functional.binary_cross_entropy(targets, targets)  # so that 0 is perfect
        errors = compute_equity(torch.sigmoid(logits)) - compute_equity(targets)
        loss = loss - entropy + self.config.equity_weight * (errors**2).mean()
        if self._group > 1:
            alternatives = errors.reshape(-1, self._group)
            differences = alternatives - alternatives.mean(dim=1, keepdim=True)
            loss = loss + self._comparison_weight * (differences**2).mean()
        return loss

    def set_layers(self, layers: Layers) -> None:
        """Go on from the weights of a network."""
        self.model.set_layers(layers)
        self.averaged.set_layers(layers)

    def state(self) -> TrainingState:
        """Return weights, the optimizer's state and that of the random numbers."""
        found = self.optimizer.state()
        random = to_arrays({"random": self.generator.get_state()})
        return TrainingState(found.facts, {**found.arrays, **random})

    def load(self, state: TrainingState) -> None:
        """Restore what `state` returned."""
        self.optimizer.load(state)
        self.generator.set_state(torch.tensor(state.arrays["random"]))
