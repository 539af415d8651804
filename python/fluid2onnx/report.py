"""What conversions and inspections tell."""
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Union


@dataclass(frozen=True)
class Port:
    """An input or output.

    Attributes:
        name: in the model that was written; of an inspection, in the one that was read.
        dtype: such as "float32".
        shape: a dim is a size, the name of an unknown one, or None; None as a whole: the rank is unknown.
        variable: its name in the model that was read.
        lengths: names of the lengths of sequences in it, outermost first.
    """

    name: str
    dtype: str
    shape: Optional[List[Union[int, str, None]]]
    variable: str
    lengths: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class Problem:
    """Why something cannot be converted.

    Attributes:
        code: stable and machine readable, such as "E_UNSUPPORTED_OP".
        message: what is wrong.
        hint: what to do about it.
        operator: its type, such as "cumsum".
        place: where the operator is, or which file or option it is about.
        output: the variable that the operator writes.
        source: the line of Python that made the operator, if the program knows.
        lowest_opset: the lowest at which this operator converts, if there is one.
        behind: whether it follows another problem, and may vanish with it.
        spec: the lines of a spec that was given with `specs`, outermost first.
    """

    code: str
    message: str
    hint: Optional[str] = None
    operator: Optional[str] = None
    place: Optional[str] = None
    output: Optional[str] = None
    source: Optional[str] = None
    lowest_opset: Optional[int] = None
    behind: bool = False
    spec: Optional[str] = None


@dataclass(frozen=True)
class CustomNode:
    """An operator that was left to the runtime.

    Attributes:
        op: the node, `domain::Op`.
        place: where the operator is in the program.
        why: it could not be converted; None if it was asked for with `custom_ops`.
    """

    op: str
    place: str
    why: Optional[str]


@dataclass(frozen=True)
class Report:
    """A conversion that worked. `report["opset"]` is an entry of `json`.

    Attributes:
        output: the file; None: the model is in `onnx`, or in `program` and `params`.
        onnx: the model, if no file was asked for.
        opset: of the ONNX model.
        ir_version: of the ONNX model.
        paddle: the version that wrote the program.
        inputs: of the model that was written.
        outputs: of the model that was written.
        operators: of the model that was read, with their number.
        nodes: of the one that was written, likewise.
        warnings: what the command line prints as warnings.
        custom_nodes: operators that were left to the runtime.
        weight_bytes: size of the weights.
        model_bytes: size of the file without weights of their own file.
        data_path: the file with the weights, if they have one of their own.
        seconds: that it took.
        json: what `fluid2onnx convert --json` prints.
        program: of an ONNX model that became a program of Paddle in memory.
        params: its parameters, if it has any.
    """

    output: Optional[str]
    onnx: Optional[bytes] = field(repr=False)
    opset: int
    ir_version: int
    paddle: Optional[str]
    inputs: List[Port]
    outputs: List[Port]
    operators: Dict[str, int]
    nodes: Dict[str, int]
    warnings: List[str]
    custom_nodes: List["CustomNode"]
    weight_bytes: int
    model_bytes: int
    data_path: Optional[str]
    seconds: float
    json: Dict[str, Any] = field(repr=False)
    program: Optional[bytes] = field(default=None, repr=False)
    params: Optional[bytes] = field(default=None, repr=False)

    def __getitem__(self, key: str) -> Any:
        return self.json[key]


@dataclass(frozen=True)
class Inspection:
    """What a model consists of. `found["ops"]` is an entry of `json`.

    Attributes:
        format: such as "program_desc", "pir_json" or "onnx".
        paddle: the version that wrote the program.
        inputs: as the model declares them.
        outputs: as the model declares them.
        operators: with their number.
        parameter_bytes: size of the parameters; None: there is no file of them.
        convertible: at the opset that was asked for.
        lowest_opset: at which the model converts; None: at none.
        problems: why it does not.
        cut: variables that, as outputs, leave out what cannot be converted.
        warnings: what the command line prints as warnings.
        json: what `fluid2onnx inspect --json` prints.
    """

    format: str
    paddle: Optional[str]
    inputs: List[Port]
    outputs: List[Port]
    operators: Dict[str, int]
    parameter_bytes: Optional[int]
    convertible: bool
    lowest_opset: Optional[int]
    problems: List[Problem]
    cut: List[str]
    warnings: List[str]
    json: Dict[str, Any] = field(repr=False)

    def __getitem__(self, key: str) -> Any:
        return self.json[key]


@dataclass(frozen=True)
class Operator:
    """An operator of Paddle that can be converted.

    Attributes:
        name: its type.
        lowest_opset: from which on it can be.
        doc: what it computes.
        spec: the file in fluid2onnx's repository that specifies the conversion.
    """

    name: str
    lowest_opset: int
    doc: str
    spec: str


def read_ports(entries: List[Mapping[str, Any]]) -> List[Port]:
    return [Port(entry["name"], entry["dtype"], entry["shape"], entry.get("variable", entry["name"]), entry.get("lengths", [])) for entry in entries]


def _divided(ports: List[Mapping[str, Any]], converted: List[Mapping[str, Any]]) -> List[Port]:
    """The program's ports, with the lengths that those of the model have."""
    lengths = {entry["variable"]: entry["lengths"] for entry in converted}
    return read_ports([{**entry, "lengths": lengths.get(entry["name"], [])} for entry in ports])


def read_problem(entry: Mapping[str, Any]) -> Problem:
    message, place = str(entry.get("message", "")), entry.get("place")
    if place and message.startswith(place + ": "):
        message = message[len(place) + 2 :]
    return Problem(
        code=str(entry.get("code", "")),
        message=message,
        hint=entry.get("hint"),
        operator=entry.get("op"),
        place=place,
        output=entry.get("output"),
        source=entry.get("source"),
        lowest_opset=entry.get("lowest_opset"),
        behind=bool(entry.get("behind")),
        spec=entry.get("spec"),
    )


def read_report(
    json: Dict[str, Any], onnx: Optional[bytes] = None, program: Optional[bytes] = None, params: Optional[bytes] = None
) -> Report:
    in_memory = onnx is not None or program is not None
    return Report(
        output=None if in_memory else json.get("output"),
        onnx=onnx,
        opset=json.get("opset", 0),
        ir_version=json.get("ir_version", 0),
        paddle=json.get("paddle"),
        inputs=read_ports(json.get("inputs", [])),
        outputs=read_ports(json.get("outputs", [])),
        operators=json.get("operators", {}),
        nodes=json.get("nodes", {}),
        warnings=json.get("warnings", []),
        custom_nodes=[CustomNode(node["op"], node["place"], node["why"]) for node in json.get("custom_nodes", [])],
        weight_bytes=json.get("weight_bytes", 0),
        model_bytes=json.get("model_bytes", 0),
        data_path=None if in_memory else json.get("data_path") or None,
        seconds=json.get("seconds", 0.0),
        json=json,
        program=program,
        params=params,
    )


def read_inspection(json: Dict[str, Any]) -> Inspection:
    conversion = json.get("conversion") or {}
    parameters = json.get("parameters") or {}
    return Inspection(
        format=json["format"],
        paddle=json.get("version"),
        inputs=_divided(json.get("inputs", []), conversion.get("inputs", [])),
        outputs=_divided(json.get("outputs", []), conversion.get("outputs", [])),
        operators=json["ops"],
        parameter_bytes=parameters.get("bytes"),
        convertible=bool(conversion.get("ok")),
        lowest_opset=json.get("lowest_opset"),
        problems=[read_problem(entry) for entry in conversion.get("errors", [])],
        cut=(json.get("cut") or {}).get("outputs", []),
        warnings=json.get("warnings", []),
        json=json,
    )
