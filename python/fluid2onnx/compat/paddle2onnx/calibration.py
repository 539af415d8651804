"""For TensorRT's implicit quantisation: a float model, and a table of the scales that its tensors had."""
import struct
from typing import Any, Dict, Iterable, List, Mapping, Optional, Set, Tuple

from ...errors import MissingPackageError
from ...wire import BYTES, VARINT, fields, message, replace, text

# Field numbers of onnx.proto.
_MODEL_GRAPH = 7
_GRAPH_NODE, _GRAPH_INITIALIZER, _GRAPH_OUTPUT = 1, 5, 12
_NODE_INPUT, _NODE_OUTPUT, _NODE_OP, _NODE_ATTRIBUTE = 1, 2, 4, 5
_ATTRIBUTE_NAME, _ATTRIBUTE_INT, _ATTRIBUTE_GRAPH = 1, 3, 6
_TENSOR_DIMS, _TENSOR_TYPE, _TENSOR_NAME, _TENSOR_RAW = 1, 2, 8, 9
_FLOAT, _INTEGERS = 1, {2: "uint8", 3: "int8", 6: "int32"}

_PAIR = ("QuantizeLinear", "DequantizeLinear")
_HEAD = "TRT-8XXX-EntropyCalibration2"


def table(scales: Mapping[str, float]) -> str:
    """A calibration file: the float32 of each tensor's scale in hexadecimal."""
    lines = [f"{name}: {struct.pack('>f', scale).hex()}" for name, scale in scales.items()]
    return "\n".join([_HEAD, *lines, ""])


def strip_quantisation(model: bytes) -> Tuple[bytes, Dict[str, float]]:
    """The model without pairs of QuantizeLinear and DequantizeLinear, and the scales by tensor, of tensors that have one scale.

    Raises:
        MissingPackageError: weights are quantised, and numpy is missing.
        ValueError: something is quantised that is neither a weight nor goes straight back to float.
    """
    graph = next((content for number, _, content in fields(model) if number == _MODEL_GRAPH), b"")
    stripper = _Stripper(graph)
    return replace(model, _MODEL_GRAPH, lambda _: stripper.graph()), stripper.scales


class _Stripper:
    def __init__(self, graph: bytes) -> None:
        self._fields = list(fields(graph))
        self._nodes = [content for number, _, content in self._fields if number == _GRAPH_NODE]
        tensors = [content for number, _, content in self._fields if number == _GRAPH_INITIALIZER]
        self._tensors = {text(tensor, _TENSOR_NAME): tensor for tensor in tensors}
        self._instead: Dict[bytes, bytes] = {}  # values, by those that they replace
        self._weights: Dict[str, bytes] = {}  # new initializers, by name
        self.scales: Dict[str, float] = {}
        self._collect()

    def _collect(self) -> None:
        quantised: Dict[bytes, Tuple[bytes, bytes]] = {}  # the float value and its scale
        for node in self._nodes:
            op, inputs, outputs = text(node, _NODE_OP), _strings(node, _NODE_INPUT), _strings(node, _NODE_OUTPUT)
            if op == "QuantizeLinear":
                quantised[outputs[0]] = (self._of(inputs[0]), inputs[1])
            elif op == "DequantizeLinear" and inputs[0] in quantised:
                value, scale = quantised[inputs[0]]
                self._instead[outputs[0]] = value
                self._note(value.decode(), scale.decode())
            elif op == "DequantizeLinear" and inputs[0].decode() in self._tensors:
                name = outputs[0].decode()
                self._weights[name] = self._dequantised(name, inputs, _axis(node))
                self._note(name, inputs[1].decode())
            elif op == "DequantizeLinear":
                raise ValueError(f"'{inputs[0].decode()}' is quantised, but neither a weight nor made by QuantizeLinear")

    def _of(self, value: bytes) -> bytes:
        return self._instead.get(value, value)

    def _note(self, name: str, scale: str) -> None:
        tensor = self._tensors.get(scale)
        raw = _raw(tensor) if tensor else b""
        if len(raw) == 4:
            self.scales[name] = struct.unpack("<f", raw)[0]

    def _dequantised(self, name: str, inputs: List[bytes], axis: int) -> bytes:
        try:
            import numpy
        except ImportError as error:
            raise MissingPackageError("float weights of a quantised model need numpy (pip install numpy)") from error
        values, scale, *rest = (_array(numpy, self._tensors[part.decode()]) for part in inputs if part)
        along = [1] * values.ndim
        if scale.size > 1:
            along[axis] = scale.size
        else:
            along = []
        result = values.astype("float32")
        if rest:
            result -= rest[0].astype("float32").reshape(along)
        result *= scale.reshape(along)
        dims = [(_TENSOR_DIMS, VARINT, size) for size in values.shape]
        return message([*dims, (_TENSOR_TYPE, VARINT, _FLOAT), (_TENSOR_NAME, BYTES, name.encode()), (_TENSOR_RAW, BYTES, result.tobytes())])

    def graph(self) -> bytes:
        outputs = [text(content, 1).encode() for number, _, content in self._fields if number == _GRAPH_OUTPUT]
        others = [node for node in self._nodes if text(node, _NODE_OP) not in _PAIR]
        read = {name for node in others for name in _all_inputs(node)} | {name for name in outputs if name not in self._instead}
        # What computes with the integers themselves stays, and so does what makes them.
        nodes = [self._renamed(node) for node in self._nodes if self._stays(node, read)]
        for name in outputs:
            if name in self._instead:
                nodes.append(message([(_NODE_INPUT, BYTES, self._of(name)), (_NODE_OUTPUT, BYTES, name), (_NODE_OP, BYTES, b"Identity")]))
        used = set(outputs)
        for node in nodes:
            used.update(_all_inputs(node))
        kept = [tensor for name, tensor in self._tensors.items() if name.encode() in used] + list(self._weights.values())
        rest = [(number, kind, content) for number, kind, content in self._fields if number not in (_GRAPH_NODE, _GRAPH_INITIALIZER)]
        parts = [(_GRAPH_NODE, BYTES, node) for node in nodes] + [(_GRAPH_INITIALIZER, BYTES, tensor) for tensor in kept]
        return message([*parts, *rest])

    @staticmethod
    def _stays(node: bytes, read: Set[bytes]) -> bool:
        op = text(node, _NODE_OP)
        return op not in _PAIR or (op == "QuantizeLinear" and _strings(node, _NODE_OUTPUT)[0] in read)

    def _renamed(self, node: bytes) -> bytes:
        node = replace(node, _NODE_INPUT, self._of)
        # Bodies of loops and branches use values of the graph around them.
        body = lambda graph: replace(graph, _GRAPH_NODE, self._renamed)  # noqa: E731
        return replace(node, _NODE_ATTRIBUTE, lambda attribute: replace(attribute, _ATTRIBUTE_GRAPH, body))


def _all_inputs(node: bytes) -> Iterable[bytes]:
    yield from _strings(node, _NODE_INPUT)
    for number, _, attribute in fields(node):
        for inner, kind, graph in fields(attribute) if number == _NODE_ATTRIBUTE else ():
            for field, _, content in fields(graph) if inner == _ATTRIBUTE_GRAPH and kind == BYTES else ():
                if field == _GRAPH_NODE:
                    yield from _all_inputs(content)
                elif field == _GRAPH_OUTPUT:
                    yield text(content, 1).encode()


def _strings(node: bytes, wanted: int) -> List[bytes]:
    return [content for number, kind, content in fields(node) if number == wanted and kind == BYTES]


def _axis(node: bytes) -> int:
    for number, _, attribute in fields(node):
        if number == _NODE_ATTRIBUTE and text(attribute, _ATTRIBUTE_NAME) == "axis":
            value = _number(attribute, _ATTRIBUTE_INT) or 0
            return value - (1 << 64) if value >> 63 else value
    return 1


def _number(content: bytes, wanted: int) -> Optional[int]:
    return next((_value(part) for number, kind, part in fields(content) if number == wanted and kind == VARINT), None)


def _value(varint: bytes) -> int:
    return sum((byte & 127) << 7 * index for index, byte in enumerate(varint))


def _raw(tensor: bytes) -> bytes:
    return next((content for number, _, content in fields(tensor) if number == _TENSOR_RAW), b"")


def _array(numpy: Any, tensor: bytes) -> Any:
    dims = [_value(part) for number, kind, part in fields(tensor) if number == _TENSOR_DIMS and kind == VARINT]
    code = _number(tensor, _TENSOR_TYPE) or 0
    return numpy.frombuffer(_raw(tensor), "float32" if code == _FLOAT else _INTEGERS[code]).reshape(dims)
