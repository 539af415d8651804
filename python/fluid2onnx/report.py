"""The results of conversions and inspections."""
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Union


@dataclass(frozen=True)
class Port:
    """An input or output.

    Attributes:
        name: its name in the model that was written; of an inspection, in the model that was read.
        dtype: the element type, such as "float32".
        shape: the dims: each is a size, the name of an unknown size, or None. None instead of a list: the rank is unknown.
        variable: its name in the model that was read.
        lengths: the names of the tensors with the lengths of its sequences, outermost first.
    """

    name: str
    dtype: str
    shape: Optional[List[Union[int, str, None]]]
    variable: str
    lengths: List[str] = field(default_factory=list)


@dataclass(frozen=True)
class Problem:
    """The reason why a model cannot be converted.

    Attributes:
        code: a stable error code, such as "E_UNSUPPORTED_OP".
        message: the error message.
        hint: what to do about it.
        operator: the type of the operator, such as "cumsum".
        place: the location of the operator, or the file or option that is wrong.
        output: the variable that the operator writes.
        source: the line of Python that created the operator, if the program stores it.
        lowest_opset: the next newer opset at which this operator converts, else the next older one, if there is one.
        behind: True if another problem may have caused this one.
        spec: the location in a spec of `specs`, outermost line first.
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
        place: the location of the operator in the program.
        why: the reason why it cannot be converted; None if `custom_ops` requested the node.
    """

    op: str
    place: str
    why: Optional[str]


@dataclass(frozen=True)
class Report:
    """The result of a conversion. `report["opset"]` is an entry of `json`.

    Attributes:
        output: the file that was written; None: `onnx`, or `program` and `params`, contain the model.
        onnx: the ONNX model, if no file was requested.
        opset: the opset of the ONNX model.
        ir_version: the IR version of the ONNX model.
        paddle: the Paddle version that wrote the program.
        inputs: the inputs of the model that was written.
        outputs: the outputs of the model that was written.
        operators: the operators of the model that was read: the count per type.
        nodes: the operators of the model that was written: the count per type.
        warnings: the warnings that the command line prints.
        custom_nodes: operators that were left to the runtime.
        weight_bytes: the size of the weights.
        model_bytes: the size of the file, without external weights.
        data_path: the file of external weights, if there is one.
        seconds: the time of the conversion.
        json: the output of `fluid2onnx convert --json`.
        program: the Paddle program, if an ONNX model was converted in memory.
        params: the parameters of `program`, if it has any.
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
    """The contents of a model. `found["ops"]` is an entry of `json`.

    Attributes:
        format: the file format, such as "program_desc", "pir_json" or "onnx".
        paddle: the Paddle version that wrote the program.
        inputs: the inputs that the model declares.
        outputs: the outputs that the model declares.
        operators: the count of operators per type.
        parameter_bytes: the size of the parameters; None: the file of parameters is missing.
        convertible: True if the model converts at the requested opset.
        lowest_opset: the lowest opset at which the model converts; None: at no opset.
        problems: the reasons why the model does not convert.
        cut: outputs of a part of the model that converts, for `outputs` of `convert`.
        warnings: the warnings that the command line prints.
        json: the output of `fluid2onnx inspect --json`.
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
    """A Paddle operator that can be converted.

    Attributes:
        name: its type.
        lowest_opset: the lowest opset at which it converts.
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
