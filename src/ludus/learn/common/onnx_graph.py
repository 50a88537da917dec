"""Builder of ONNX models from numpy weights; needs onnx and no torch."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ludus.core.extras import require_package

OPSET = 17
IR_VERSION = 8
"""Versions that every onnxruntime since 1.12 runs."""

METADATA_KEY = "ludus"

FLOAT, DOUBLE, INT64 = "float32", "float64", "int64"


def import_onnx() -> Any:
    """Import onnx; MissingPackage where it is not installed."""
    return require_package("onnx", "an ONNX model")


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """An input or output of a model; its first dimension is the number of rows."""

    name: str
    width: int
    """Number of columns; 0 for a vector with one number a row."""

    meaning: str
    kind: str = FLOAT


class OnnxModel(NamedTuple):
    """An exported network."""

    data: bytes
    """The content of the file."""

    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]


@dataclass(slots=True)
class _Constants:
    """Constant tensors of a model and of the branches in it, each stored once."""

    tensors: list[Any] = field(default_factory=list)
    names: dict[tuple[str, tuple[int, ...], bytes], str] = field(default_factory=dict)
    num_values: int = 0
    """Number of intermediate values, which numbers their names."""


class OnnxGraph:
    """A graph under construction; values are named by strings."""

    def __init__(self, constants: _Constants | None = None, precision: str = FLOAT) -> None:
        """Begin an empty graph; its constants are of the type `precision` if no other is given."""
        self._onnx = import_onnx()
        self._nodes: list[Any] = []
        self._constants = constants or _Constants()
        self._precision = precision

    def constant(self, values: ArrayLike, dtype: str = "") -> str:
        """Add a constant tensor and return its name."""
        dtype = dtype or self._precision
        array: NDArray[Any] = np.array(values, dtype=dtype, order="C")
        key = (dtype, array.shape, array.tobytes())
        if key not in self._constants.names:
            name = f"constant_{len(self._constants.tensors)}"
            self._constants.names[key] = name
            self._constants.tensors.append(self._onnx.numpy_helper.from_array(array, name))
        return self._constants.names[key]

    def add(self, operator: str, *inputs: str, name: str = "", **attributes: Any) -> str:
        """Add a node with one output and return the name of the output."""
        (found,) = self.add_many(operator, inputs, 1, name, **attributes)
        return found

    def add_many(
        self,
        operator: str,
        inputs: Sequence[str],
        num_outputs: int,
        name: str = "",
        **attributes: Any,
    ) -> list[str]:
        """Add a node with several outputs and return their names."""
        outputs = [name] if name else []
        while len(outputs) < num_outputs:
            outputs.append(f"value_{self._constants.num_values}")
            self._constants.num_values += 1
        self._nodes.append(self._onnx.helper.make_node(operator, inputs, outputs, **attributes))
        return outputs

    def cast(self, x: str, dtype: str) -> str:
        """Convert a tensor to another type."""
        return self.add("Cast", x, to=self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def gather(self, x: str, indices: ArrayLike, axis: int = 0) -> str:
        """Select entries of an axis by constant indices."""
        return self.add("Gather", x, self.constant(indices, INT64), axis=axis)

    def linear(self, x: str, weight: ArrayLike, bias: ArrayLike, name: str = "") -> str:
        """Add a fully connected layer; `weight` has the shape (inputs, outputs)."""
        product = self.add("MatMul", x, self.constant(weight))
        return self.add("Add", product, self.constant(bias), name=name)

    def one_hot(self, x: str, width: int) -> str:
        """Return one-hot rows of a vector of numbers below `width`."""
        rows = self.constant(np.eye(width))
        return self.add("Gather", rows, x, axis=0)

    def concatenate(self, parts: Sequence[str], axis: int = 1) -> str:
        """Concatenate tensors."""
        return parts[0] if len(parts) == 1 else self.add("Concat", *parts, axis=axis)

    def branch(self, precision: str = FLOAT) -> "OnnxGraph":
        """Return an empty graph for a branch of a condition; it may use all values of this one."""
        return OnnxGraph(self._constants, precision)

    def choose(
        self, condition: str, then: tuple["OnnxGraph", str], other: tuple["OnnxGraph", str]
    ) -> str:
        """Return the value of one branch or of the other."""
        bodies = {
            key: graph._make_body(value)
            for key, (graph, value) in (("then_branch", then), ("else_branch", other))
        }
        return self.add("If", condition, **bodies)

    def build(
        self,
        inputs: Sequence[TensorInfo],
        outputs: Sequence[TensorInfo],
        description: str,
        metadata: Mapping[str, Any],
    ) -> OnnxModel:
        """Return the model, checked by onnx."""
        helper = self._onnx.helper
        graph = helper.make_graph(
            self._nodes,
            "ludus",
            [self._make_info(each) for each in inputs],
            [self._make_info(each) for each in outputs],
            self._constants.tensors,
            description,
        )
        model = helper.make_model(
            graph,
            producer_name="ludus",
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
            doc_string=description,
        )
        described = {each.name: each.meaning for each in (*inputs, *outputs)}
        helper.set_model_props(
            model, {METADATA_KEY: json.dumps({**metadata, "tensors": described})}
        )
        self._onnx.checker.check_model(model)
        return OnnxModel(model.SerializeToString(), tuple(inputs), tuple(outputs))

    def _make_info(self, info: TensorInfo) -> Any:
        kinds = {FLOAT: self._onnx.TensorProto.FLOAT, INT64: self._onnx.TensorProto.INT64}
        shape = ["rows", info.width] if info.width else ["rows"]
        return self._onnx.helper.make_tensor_value_info(
            info.name, kinds[info.kind], shape, info.meaning
        )

    def _make_body(self, value: str) -> Any:
        helper = self._onnx.helper
        output = helper.make_tensor_value_info(value, self._onnx.TensorProto.FLOAT, None)
        return helper.make_graph(self._nodes, value, [], [output])
