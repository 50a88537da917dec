"""Published data that can be fetched: where it is and how it is recognised."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Remote:
    """A file that somebody has published."""

    name: str
    """What it is called here, a path within the folder of its source."""

    address: str
    """Where it is, below the address of its source."""

    num_bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Source:
    """Files that belong together."""

    title: str
    base: str
    """The address that all their addresses begin with."""

    files: tuple[Remote, ...]
    notes: tuple[str, ...] = ()
    """What people should know."""


_DATA = "4f8997bbd5ee562e77e5b20275b98e33929fee51/datasets"
_NETWORKS = "40ba8d70eb776c739ded812250638529ccdf9875/trained_networks/TFR"

NNMM = Source(
    title="Neural Nine Men's Morris: good moves, states, and three trained networks",
    base="https://raw.githubusercontent.com/AGalassi/NNMM",
    files=(
        Remote(
            "dataset.txt",
            f"{_DATA}/DATASET.complete.txt",
            3_520_126,
            "9c84e9013bafb92a5f92b366a388a778a0e1127aace29d84124f96b5e5729a96",
        ),
        Remote(
            "states.txt",
            f"{_DATA}/STATES.complete.txt",
            3_651_930,
            "a3996fd37df842c80505f32814cc4a44634003c098e87a8981ddb3c96fbbf068",
        ),
        Remote(
            "npz/TEST-rawest-TFR_TO.npz",
            f"{_NETWORKS}/TEST-rawest-TFR_TO.npz",
            1_151_214,
            "6fcf093ce51427b703a161081a2bd261e139c48b9b0760749cecf8e479d5bc11",
        ),
        Remote(
            "npz/TEST-rawest-TFR_FROM.npz",
            f"{_NETWORKS}/TEST-rawest-TFR_FROM.npz",
            1_191_214,
            "6674bef746cdd22f5298904a0df8f8dde4f991bc103961b837a8e2277f6514c7",
        ),
        Remote(
            "npz/TEST-rawest-TFR_REMOVE.npz",
            f"{_NETWORKS}/TEST-rawest-TFR_REMOVE.npz",
            1_231_214,
            "21302cb5a0579e8773fd7a252a6a2f8e9ade8cb208f99d75fcbdfe8285c13e39",
        ),
        Remote(
            "LICENSE.upstream.txt",
            "8b46fd9e159005ac3ccb5d0eec93f468f965a7b1/LICENSE.txt",
            1_102,
            "212901077d1775957209d544e87555e106c5a00d2fa451e0be0fbbe45b2b0a48",
        ),
    ),
    notes=(
        "MIT licence; cite Chesani, Galassi, Lippi and Mello, IEEE Transactions on Games 10(4)",
        "dataset_gaming.txt is published as a RAR archive only and is not fetched",
    ),
)

SOURCES: Mapping[str, Source] = MappingProxyType({"nnmm": NNMM})
"""Name to source."""
