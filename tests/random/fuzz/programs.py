"""Running the calls of a case: at once on tensors, and as a program to save. Importing this module imports Paddle."""
import functools
import json
import math
import os
import random
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set

import numpy as np
import paddle

from fluid2onnx import paddle_model
from fluid2onnx.errors import ModelError
from harness.cases import Case, Reference
from harness.operands import draw

from .cases import Data, owner, references

# Whether this Paddle writes programs of its newer representation.
PIR = not paddle.__version__.startswith("2.")

# One unit in the last place of a float32 of 1.
SINGLE = 2.0**-23

# Functions of our own: what has no name in Paddle.
_OWN: Dict[str, Callable[..., Any]] = {}


def own(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers what "fn" may name besides Paddle's functions."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _OWN[name] = function
        return function

    return register


@own("getitem")
def _getitem(x: Any, index: Any) -> Any:
    return x[_index(index)]


@own("setitem")
def _setitem(x: Any, index: Any, value: Any) -> Any:
    if paddle.in_dynamic_mode():
        x = x.clone()
        x[_index(index)] = value
        return x
    # A copy, since an assignment changes its operand, and a fed variable cannot be changed.
    return paddle.static.setitem(paddle.assign(x), _index(index), value)


@own("layer")
def _layer(name: str, args: Any, options: Any, *operands: Any) -> Any:
    """Makes a layer, with parameters drawn by Paddle, and calls it. `options` are [name, value]."""
    layer = find(name)(*args, **dict(options))
    layer.eval()
    return layer(*operands)


@own("in_place")
def _in_place(method: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    """A method that changes a tensor, on a copy."""
    return getattr(paddle.assign(x), method)(*args, **kwargs)


@own("attribute")
def _attribute(x: Any, name: str) -> Any:
    """What a tensor knows of itself."""
    return getattr(x, name)


@own("cond")
def _cond(condition: Any, x: Any, then: str, otherwise: str) -> Any:
    """One of two functions of one operand."""
    return paddle.static.nn.cond(condition, lambda: find(then)(x), lambda: find(otherwise)(x))


@own("while_loop")
def _while_loop(limit: Any, x: Any, step: Any) -> Any:
    """`step` times x, added to it until a counter reaches its limit."""
    counter = paddle.zeros([1], "int64")
    return paddle.static.nn.while_loop(lambda i, y: i < limit, lambda i, y: [i + 1, y + x * step], [counter, x * 1])


def _index(index: Any) -> Any:
    return index[0] if isinstance(index, tuple) and len(index) == 1 else index


@functools.lru_cache(maxsize=None)
def find(name: str) -> Callable[..., Any]:
    """The function of that name. "Tensor.f" is a method.

    Raises:
        ModelError: this Paddle has none.
    """
    if name in _OWN:
        return _OWN[name]
    if name.startswith("Tensor."):
        return lambda x, *args, **kwargs: getattr(x, name[7:])(*args, **kwargs)
    value: Any = paddle
    for part in name.split(".")[1:]:
        value = getattr(value, part, None)
        if value is None:
            raise ModelError(f"Paddle {paddle.__version__} has no {name}")
    return value


def exists(name: str) -> bool:
    """Whether this Paddle has the function."""
    try:
        find(name)
    except ModelError:
        return False
    return True


def values_of(data: Data, seed: str) -> Dict[str, np.ndarray]:
    """The inputs of a case."""
    return {operand["name"]: draw(operand, seed) for operand in data["inputs"]}


def flat(result: Any) -> List[Any]:
    """The tensors that a call returns."""
    if isinstance(result, (list, tuple)):
        return [item for part in result for item in flat(part)]
    return [result] if result is not None and not isinstance(result, (bool, int, float, str)) else []


def call(item: Data, results: Mapping[str, List[Any]]) -> List[Any]:
    """One call; `results` by the names of inputs and earlier calls."""
    function = find(item["fn"])
    args = [_argument(value, results) for value in item.get("args") or ()]
    kwargs = {name: _argument(value, results) for name, value in (item.get("kwargs") or {}).items()}
    return flat(function(*args, **kwargs))


def _argument(value: Any, results: Mapping[str, List[Any]]) -> Any:
    if isinstance(value, list):
        return [_argument(item, results) for item in value]
    if isinstance(value, dict):
        if "v" in value:
            base, index = owner(value["v"])
            return results[base][index]
        if "slice" in value:
            return slice(*(_argument(item, results) for item in value["slice"]))
        if "tuple" in value:
            return tuple(_argument(item, results) for item in value["tuple"])
        if "float" in value:
            return float(value["float"])
        return Ellipsis
    return value


def run_eagerly(data: Data, values: Mapping[str, np.ndarray]) -> List[np.ndarray]:
    """What is fetched, by calling Paddle at once; `values` may be of other dtypes than the case's.

    Raises:
        ModelError: Paddle rejects a call.
    """
    paddle.disable_static()
    try:
        results = {name: [paddle.to_tensor(array)] for name, array in values.items()}
        for item in data["calls"]:
            results[item["name"]] = call(item, results)
        return [np.array(results[owner(name)[0]][owner(name)[1]]) for name in data["fetch"]]
    except ModelError:
        raise
    except Exception as error:  # Paddle's many types
        raise ModelError(paddle_model.essence(error)) from error
    finally:
        paddle.enable_static()


def compute(
    data: Data, folder: Path, values: Mapping[str, np.ndarray], rng: Optional[random.Random] = None, units: int = 1, coarse: bool = False
) -> Reference:
    """Saves the calls as a program, and runs it. With random numbers, the results of each call move by this many units in the last place at
    most; if `coarse`, in that of float32.

    Raises:
        ModelError: Paddle rejects a call.
    """
    needed = _needed(data)

    def moved(item: Data, results: List[Any]) -> List[Any]:
        return results if rng is None or item["name"] not in needed else _moved(item, results, rng, units, coarse)

    return (_compute_pir if PIR else _compute_desc)(data, folder, values, moved)


# ONNX Runtime's Sigmoid is off by 7e-8 at most, however small its result: of -5 that is 1e-5 of it, of -16 a half.
FIXED_POINT = ("paddle.nn.functional.sigmoid", "paddle.nn.functional.silu", "paddle.nn.functional.swish", "paddle.nn.functional.glu")


def _needed(data: Data) -> Set[str]:
    """The calls that what is fetched hangs on: others have nothing to say about it, and moving what one gives may be an error."""
    names = {owner(name)[0] for name in data["fetch"]}
    for item in reversed(data["calls"]):
        if item["name"] in names:
            names |= {owner(name)[0] for name in references(item)}
    return names


def _moved(item: Data, results: List[Any], rng: random.Random, units: int, coarse: bool) -> List[Any]:
    """Floats up or down by this many units in the last place at most. What is rounded in another order by one call is another operand of the
    next. If by more than one unit, each element is moved by itself, so that equal ones no longer are. What FIXED_POINT names moves by units
    of 1 as well."""
    moved = []
    for result in results:
        unit = {paddle.float32: SINGLE, paddle.float64: SINGLE if coarse else 2.0**-52}.get(result.dtype)
        if unit:
            factors = _factors(result, unit, units, rng)
            result = result * factors + (factors - 1.0 if item["fn"] in FIXED_POINT else 0.0)
        moved.append(result)
    return moved


def _factors(result: Any, unit: float, units: int, rng: random.Random) -> Any:
    """Numbers near 1: one, or if several units are asked for, one for each element."""
    one, step = (paddle.full([], number, result.dtype) for number in (1.0, unit))
    if units > 1 and -1 in result.shape:
        places = paddle.cumsum(paddle.ones_like(paddle.flatten(result)))
        noise = paddle.sin(places * paddle.full([], rng.uniform(1, 100), result.dtype))
        return paddle.reshape(one + noise * (step * units), paddle.shape(result))
    shape = result.shape if units > 1 else []
    steps = [rng.choice((-1, 1)) * rng.randint(1, units) for _ in range(math.prod(shape))]
    # Integers: static programs have constants of float64 as float32.
    return one + paddle.cast(paddle.assign(np.array(steps, np.float32).reshape(shape)), result.dtype) * step


def _compute_desc(data: Data, folder: Path, values: Mapping[str, np.ndarray], moved: Callable[[Data, List[Any]], List[Any]]) -> Reference:
    from harness.static_program import StaticProgram

    folder.mkdir(parents=True, exist_ok=True)
    program = StaticProgram()
    try:
        startup = paddle.static.Program()
        startup.random_seed = 1
        with paddle.static.program_guard(program.program, startup), paddle.utils.unique_name.guard():
            results: Dict[str, List[Any]] = {}
            for operand in data["inputs"]:
                name, array = operand["name"], values[operand["name"]]
                if operand.get("const"):
                    results[name] = [program.parameter(name, array, operand["dtype"])]
                else:
                    results[name] = [program.feed(name, array, operand["dtype"], _dims(operand, array))]
            for item in data["calls"]:
                results[item["name"]] = moved(item, call(item, results))
            fetched = [results[owner(name)[0]][owner(name)[1]] for name in data["fetch"]]
        program.params.update(_initialised(startup))
        program.fetch([variable.name for variable in fetched])
        program.save(folder)
    except ModelError:
        raise
    except Exception as error:  # Paddle's many types
        raise ModelError(paddle_model.essence(error)) from error
    return Reference(folder, program.inputs, rerun(folder, program.inputs), list(program.fetches), {})


def _initialised(startup: Any) -> Dict[str, np.ndarray]:
    """The parameters that layers made."""
    names = sorted({name for op in startup.global_block().ops for name in op.output_arg_names})
    scope = paddle.static.Scope()
    if names:
        with paddle.static.scope_guard(scope):
            paddle.static.Executor(paddle.CPUPlace()).run(startup)
    return {name: np.array(scope.find_var(name).get_tensor()) for name in names}


def rerun(folder: Path, inputs: Mapping[str, np.ndarray], lod: Optional[Mapping[str, Any]] = None) -> List[np.ndarray]:
    """What the saved program gives."""
    model = "model.pdmodel" if os.path.exists(folder / "model.pdmodel") else "model.json"
    try:
        return paddle_model.load(folder / model).run(dict(inputs), dict(lod or {}))
    except ValueError as error:  # a tensor of negative size
        raise ModelError(str(error)) from error


def _compute_pir(data: Data, folder: Path, values: Mapping[str, np.ndarray], moved: Callable[[Data, List[Any]], List[Any]]) -> Reference:
    folder.mkdir(parents=True, exist_ok=True)
    paddle.enable_static()
    executor = paddle.static.Executor(paddle.CPUPlace())
    fed: List[Any] = []
    inputs: Dict[str, np.ndarray] = {}
    program, startup, scope = paddle.static.Program(), paddle.static.Program(), paddle.static.Scope()
    paddle.seed(1)
    try:
        with paddle.static.scope_guard(scope), paddle.static.program_guard(program, startup), paddle.utils.unique_name.guard():
            results: Dict[str, List[Any]] = {}
            constants = {operand["name"]: values[operand["name"]] for operand in data["inputs"] if operand.get("const")}
            for operand in data["inputs"]:
                name, array = operand["name"], values[operand["name"]]
                if name in constants:
                    initial = paddle.nn.initializer.Assign(array) if array.dtype.kind == "f" and array.size else None
                    if initial is None:
                        results[name] = [paddle.assign(array)]
                    else:
                        results[name] = [paddle.static.create_parameter(list(array.shape), operand["dtype"], name=name, default_initializer=initial)]
                else:
                    variable = paddle.static.data(name, _dims(operand, array), operand["dtype"])
                    fed.append(variable)
                    inputs[name] = array
                    results[name] = [variable]
            for item in data["calls"]:
                results[item["name"]] = moved(item, call(item, results))
            fetched = [results[owner(name)[0]][owner(name)[1]] for name in data["fetch"]]
            executor.run(startup)
            _save_pir(str(folder / "model"), fed, fetched, executor, program)
    except ModelError:
        raise
    except Exception as error:  # Paddle's many types
        raise ModelError(paddle_model.essence(error)) from error
    return Reference(folder, inputs, rerun(folder, inputs), list(data["fetch"]), {})


def _save_pir(prefix: str, fed: List[Any], fetched: List[Any], executor: Any, program: Any) -> None:
    """As models are saved; an input that nothing needs is only possible where nothing is pruned."""
    try:
        paddle.static.save_inference_model(prefix, fed, fetched, executor, program=program)
    except ValueError as error:
        if "is not involved" not in str(error):
            raise
        paddle.static.save_inference_model(prefix, fed, fetched, executor, program=program, skip_prune_program=True)


def compute_operator_pir(case: Case, folder: Path, values: Mapping[str, np.ndarray]) -> Reference:
    """One operator of older programs, as Paddle 3 translates it.

    Raises:
        ModelError: Paddle rejects it.
    """
    from harness import oracle

    with paddle.pir_utils.OldIrGuard():
        reference = oracle.compute(case, folder, values)
    old = folder / "model.pdmodel"
    try:
        program = paddle.base.libpaddle.pir.translate_to_pir(paddle.base.core.ProgramDesc(old.read_bytes()))
        paddle.base.core.serialize_pir_program(program, str(folder / "model.json"), 1, True, False, True)
    except Exception as error:  # Paddle's many types
        raise ModelError(paddle_model.essence(error)) from error
    old.unlink()
    document = json.loads((folder / "model.json").read_text())
    for op in document["program"]["regions"][0]["blocks"][0]["ops"]:
        _as_saved(op)
    (folder / "model.json").write_text(json.dumps(document))
    return Reference(folder, reference.inputs, rerun(folder, reference.inputs), reference.names, reference.lod)


_PIR_DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
               "ui8": "uint8", "bool": "bool", "c64": "complex64", "c128": "complex128"}


def _as_saved(op: Data) -> None:
    """Programs that Paddle 3 itself saves have the inputs as `data`, where a translated one has `feed`, and say of parameters that they
    are persistable: without it, they are not loaded."""
    if op["#"] == "p":
        op["OA"] = [1, 0, 1]
    if op["#"] != "1.feed":
        return
    kind, shape = op["O"][0]["TT"]["D"][:2]
    op["#"] = "1.data"
    op["A"] = [
        op["A"][0],
        {"AT": {"#": "1.a_intarray", "D": shape}, "N": "shape"},
        {"AT": {"#": "1.a_dtype", "D": _PIR_DTYPES[kind["#"].rpartition("_")[2]]}, "N": "dtype"},
        {"AT": {"#": "1.a_place", "D": [0, 0, ""]}, "N": "place"},
    ]


def _dims(operand: Data, array: np.ndarray) -> List[int]:
    open_axes: Sequence[int] = operand.get("dyn") or ()
    return [-1 if axis in open_axes else size for axis, size in enumerate(array.shape)]
