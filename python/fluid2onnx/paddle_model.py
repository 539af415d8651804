"""Running saved models, in every layout, with Paddle itself. Importing this module imports Paddle."""
import os
import warnings
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .errors import MissingPackageError, ModelError
from .layout import find_parameters, find_program
from .tensor_stream import DTYPES, read_tensor

# Paddle's C++ logs what its executor does; it reads this when it is imported.
os.environ.setdefault("GLOG_minloglevel", "2")

try:
    import paddle
    from paddle.static import Scope, scope_guard
except ImportError as error:
    raise MissingPackageError("running a Paddle model needs paddlepaddle (pip install paddlepaddle==2.6.2 'numpy<2')") from error
except AttributeError as error:  # what Paddle 2.6 dies of under numpy 2
    raise MissingPackageError(f"paddlepaddle cannot be imported ({error}); Paddle 2.6 needs 'numpy<2'") from error

# Variables of these types are persistable but have no bytes on disk: feed and fetch lists, readers, raw pointers.
_NOT_PARAMETERS = {9, 10, 15, 17}
_LOD_TENSOR = 7
LoD = List[List[int]]


@contextmanager
def static_mode() -> Iterator[None]:
    """Programs are read, changed and run in Paddle's static mode; behind it is the mode that the caller had."""
    dynamic = paddle.in_dynamic_mode()
    if dynamic:
        paddle.enable_static()
    try:
        yield
    finally:
        if dynamic:
            paddle.disable_static()


@dataclass
class Feed:
    """An input: its name, dtype ("bfloat16" is given as uint16) and declared shape, -1 for an unknown dim."""

    name: str
    dtype: str
    shape: List[int]
    lod_level: int = 0


@dataclass
class PaddleModel:
    """A saved model, loaded into a separate scope."""

    feeds: List[Feed]
    outputs: List[str]
    program: Any = field(repr=False)
    fetches: List[Any] = field(repr=False)
    scope: Any = field(repr=False)
    executor: Any = field(repr=False)
    guard: Callable[[], Any] = field(repr=False, default=nullcontext)

    def run(self, arrays: Dict[str, np.ndarray], lod: Optional[Dict[str, LoD]] = None) -> List[np.ndarray]:
        """Runs the model; `arrays` by input name, `lod` the offsets of inputs that are sequences.

        Raises:
            ModelError: an input is missing, Paddle reports an error, or gives no tensor for an output.
        """
        return self.run_with_lod(arrays, lod)[0]

    def run_with_lod(self, arrays: Dict[str, np.ndarray], lod: Optional[Dict[str, LoD]] = None) -> "Tuple[List[np.ndarray], List[LoD]]":
        """As `run`, with the offsets of each output's sequences; [] for an output that is no sequence."""
        got = self._run(self.program, arrays, lod, self.fetches)
        for name, tensor, variable in zip(self.outputs, got, self.fetches):
            if _is_nothing(tensor, variable):
                raise ModelError(f"Paddle 3 returns no tensor for '{name}': an input is returned twice, or a branch has no elements")
        levels = [tensor.lod() if hasattr(tensor, "lod") else [] for tensor in got]
        return [_array(tensor, variable) for tensor, variable in zip(got, self.fetches)], levels

    @static_mode()
    def values(
        self, arrays: Dict[str, np.ndarray], lod: Optional[Dict[str, LoD]], wanted: "Sequence[Tuple[str, Tuple[int, int]]]"
    ) -> Dict[str, np.ndarray]:
        """The values of variables of the main block; those that are no tensors are left out.

        Args:
            wanted: the names, and where they come from: the operator's place in the block, and which of its results. Values
                of a PIR program have no names.
        Raises:
            ModelError: as `run`.
        """
        if hasattr(self.program, "desc"):
            program = _without_ports(self.program)
            block = program.global_block()
            found = [(name, block.var(name)) for name, _ in wanted if block.has_var(name) and int(block.var(name).desc.type()) == _LOD_TENSOR]
        else:
            program = self.program.clone()
            ops = program.global_block().ops
            found = [(name, _result(ops[op], index)) for name, (op, index) in wanted]
            found = [(name, value) for name, value in found if value is not None]
            for fetch in reversed([op for op in ops if op.name() == "pd_op.fetch"]):
                program.global_block().remove_op(fetch)
        got = self._run(program, arrays, lod, [variable for _, variable in found]) if found else []
        return {name: _array(tensor, variable) for (name, variable), tensor in zip(found, got) if not _is_nothing(tensor, variable)}

    @property
    def nameless(self) -> bool:
        """Of a PIR program: its values have no names in Paddle, and `outputs` counts them."""
        return not hasattr(self.program, "desc")

    @static_mode()
    def cut(self, outputs: Sequence[str], places: "Optional[Mapping[str, Tuple[int, int]]]" = None) -> "PaddleModel":
        """The model with these variables of the main block as its outputs.

        Args:
            places: of a PIR program, where the values come from; see `values`.
        Raises:
            ModelError: there is no such variable.
        """
        fetches: List[Any] = []
        if not self.nameless:
            program = _without_ports(self.program)
            block = program.global_block()
            fetches = [block.var(name) if block.has_var(name) else None for name in outputs]
        else:
            program = self.program.clone()
            ops = program.global_block().ops
            found = {name: _result(ops[op], index) for name, (op, index) in (places or {}).items() if name in outputs and op < len(ops)}
            fetches = [found.get(name) for name in outputs]
            for fetch in reversed([op for op in ops if op.name() == "pd_op.fetch"]):
                program.global_block().remove_op(fetch)
        missing = [name for name, variable in zip(outputs, fetches) if variable is None]
        if missing:
            raise ModelError(f"the program has no variable '{missing[0]}'")
        return replace(self, program=program, outputs=list(outputs), fetches=fetches)

    def has_tensor(self, name: str) -> bool:
        """Whether a variable of the main block has this name, and holds a tensor; not of a PIR program."""
        block = self.program.global_block()
        return bool(block.has_var(name)) and int(block.var(name).desc.type()) == _LOD_TENSOR

    @static_mode()
    def shape_of(self, name: str) -> List[int]:
        """The shape that the program declares for a variable, with -1 for dynamic dimensions; [] if it declares none."""
        block = self.program.global_block()
        if hasattr(self.program, "desc"):
            return list(block.var(name).shape) if block.has_var(name) else []
        return next((list(op.result(0).shape) for op in block.ops if op.name() == "builtin.parameter" and op.result(0).name == name), [])

    @property
    def version(self) -> str:
        """Of the Paddle that runs it."""
        return str(paddle.__version__)

    def _run(self, program: Any, arrays: Dict[str, np.ndarray], lod: Optional[Dict[str, LoD]], fetches: List[Any]) -> List[Any]:
        missing = [feed.name for feed in self.feeds if feed.name not in arrays]
        if missing:
            raise ModelError(f"input '{missing[0]}' has no value")
        values = {feed.name: _tensor(arrays[feed.name], (lod or {}).get(feed.name)) for feed in self.feeds}
        try:
            with static_mode(), scope_guard(self.scope), self.guard():
                return list(self.executor.run(program, feed=values, fetch_list=fetches, return_numpy=False))
        except Exception as error:  # Paddle raises many types, RuntimeError's relatives and its own
            raise ModelError(f"Paddle cannot run the model: {essence(error)}") from error


@static_mode()
def load(model: "os.PathLike[str] | str", params: "os.PathLike[str] | str | None" = None) -> PaddleModel:
    """Loads `.pdmodel`, `__model__` or PIR `.json`; `model` may be their folder or prefix.

    `params` is the file of combined parameters, or the folder of separate ones. Without it, the parameters beside the model
    is taken: `NAME.pdiparams`, `__params__`, or one file per parameter.

    Raises:
        ModelError: the files cannot be read or do not fit each other.
    """
    path = find_program(model)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from error
    executor, scope = paddle.static.Executor(paddle.CPUPlace()), Scope()
    if data[:1] == b"{":
        return _load_pir(path, executor, scope)
    guard = _program_desc_guard()
    with guard():
        return _load_program_desc(path, data, find_parameters(path, params or None), PaddleModel([], [], None, [], scope, executor, guard))


def _program_desc_guard() -> Callable[[], Any]:
    """What Paddle 3 needs to run a ProgramDesc: its newer IR off."""
    utilities = getattr(paddle, "pir_utils", None)
    return getattr(utilities, "OldIrGuard", nullcontext)


def _load_program_desc(path: Path, data: bytes, params: Path, model: PaddleModel) -> PaddleModel:
    try:
        program = paddle.static.deserialize_program(data)
    except Exception as error:
        raise ModelError(f"{path}: not a Paddle program: {essence(error)}") from error
    _load_parameters(program, path, params, model.scope)
    block = program.global_block()
    feeds: Dict[int, str] = {}
    fetches: Dict[int, str] = {}
    for op in block.ops:
        if op.type == "feed":
            feeds[op.attr("col")] = op.output("Out")[0]
        elif op.type == "fetch":
            fetches[op.attr("col")] = op.input("X")[0]
    if not fetches:
        raise ModelError(f"{path}: the program has no outputs; save it for inference")
    model.program = program
    model.feeds = [_feed(block.var(feeds[column])) for column in sorted(feeds)]
    model.outputs = [fetches[column] for column in sorted(fetches)]
    model.fetches = [block.var(name) for name in model.outputs]
    return model


def _load_pir(path: Path, executor: Any, scope: Any) -> PaddleModel:
    if paddle.__version__.startswith(("1.", "2.")):
        raise ModelError(f"{path}: the model needs Paddle 3; Paddle {paddle.__version__} is installed")
    with scope_guard(scope), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program, names, fetches = paddle.static.load_inference_model(str(path.with_suffix("")), executor)
        except Exception as error:
            raise ModelError(f"{path}: Paddle {paddle.__version__} cannot load it: {essence(error)}") from error
    feeds = []
    order = {name: index for index, name in enumerate(names)}
    for op in program.global_block().ops:
        if op.name() in ("pd_op.data", "pd_op.feed"):
            value = op.result(0)
            if "col" in op.attrs():  # of programs that Paddle translated from the older format
                order[op.attrs()["name"]] = op.attrs()["col"]
            dtype = str(value.dtype).split(".")[-1].lower()
            dtype = "uint16" if dtype == "bfloat16" else dtype
            feeds.append(Feed(op.attrs()["name"], dtype, list(value.shape)))
    feeds.sort(key=lambda feed: order.get(feed.name, len(order)))
    outputs = [f"output {index}" for index in range(len(fetches))]  # a PIR value need not have a name
    return PaddleModel(feeds, outputs, program, list(fetches), scope, executor)


def _without_ports(program: Any) -> Any:
    """A copy whose outputs are what is asked for: the executor takes no others than the program's own, if it has any."""
    copy = program.clone()
    block = copy.global_block()
    for index in reversed(range(len(block.ops))):
        if block.ops[index].type in ("feed", "fetch"):
            block._remove_op(index, sync=False)
    copy.desc.flush()
    return copy


def _result(op: Any, index: int) -> Any:
    """A result of PIR's operator; nothing if it has fewer, or it is no tensor. What is fetched is the output itself."""
    if op.name() == "pd_op.fetch":
        return op.operand_source(0)
    results = op.results()
    return results[index] if 0 <= index < len(results) and results[index].is_dense_tensor_type() else None


def _feed(var: Any) -> Feed:
    code = int(var.desc.dtype())
    return Feed(var.name, DTYPES.get(code, "float32"), list(var.desc.shape()), var.desc.lod_level())


def _load_parameters(program: Any, path: Path, params: Path, scope: Any) -> None:
    """Puts the parameters into the scope; in a combined file they are sorted by name."""
    names = set()
    for block in program.blocks:
        for name, var in block.vars.items():
            if var.desc.persistable() and int(var.desc.type()) not in _NOT_PARAMETERS:
                names.add(name)
    if not names:
        return
    try:
        if params.is_dir():
            for name in names:
                with open(params / name, "rb") as file:
                    _set(scope, name, read_tensor(file))
            return
        with open(params, "rb") as file:
            for name in sorted(names, key=lambda text: text.encode()):
                _set(scope, name, read_tensor(file))
            if file.read(1):
                raise ModelError(f"{params}: more parameters than the {len(names)} of the program")
    except OSError as error:
        raise ModelError(f"{error.filename}: parameters of {path}: {error.strerror}") from error


def _set(scope: Any, name: str, array: np.ndarray) -> None:
    # uint16 becomes bfloat16, the only dtype that Paddle keeps in it.
    scope.var(name).get_tensor().set(array, paddle.CPUPlace())


def _tensor(array: np.ndarray, lod: "Optional[Sequence[Sequence[int]]]") -> Any:
    if not lod:
        return np.asarray(array)
    tensor = paddle.base.core.LoDTensor()
    tensor.set(array, paddle.CPUPlace())
    tensor.set_lod([list(level) for level in lod])
    return tensor


def _array(tensor: Any, variable: Any) -> np.ndarray:
    """A result. Paddle can lose the dtype of an empty one, so it is taken from the program."""
    array = np.array(tensor)
    return array.astype(_feed(variable).dtype) if not array.size and not _is_given(tensor) and hasattr(variable, "desc") else array


def _is_nothing(tensor: Any, variable: Any) -> bool:
    """Whether Paddle 3's executor, asked for arrays, would give None."""
    return not _is_given(tensor) and not hasattr(variable, "desc")


def _is_given(tensor: Any) -> bool:
    return not hasattr(tensor, "_is_initialized") or bool(tensor._is_initialized())


def essence(error: BaseException) -> str:
    """The sentence of an error of Paddle's, without its C++ traceback and the operator's call stack."""
    text = str(error)
    head, mark, summary = text.partition("Error Message Summary:")
    lines = [line.strip() for line in (summary if mark else head).splitlines()]
    lines = [line for line in lines if line and set(line) != {"-"}]
    marked = [line for line in lines if "Error:" in line]
    return (marked or lines or [type(error).__name__])[0][:400]
