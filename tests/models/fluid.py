"""Programs as Fluid 1.x's Python wrote them, operator by operator, for Paddle 2.6 to run. Importing this module imports Paddle.

Paddle 2.6 has the operators, but no longer `layers.DynamicRNN` and similar layers: their operators are appended here.
"""
import contextlib
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))
import harness  # noqa: E402,F401  (settings that Paddle reads when it is imported)
import numpy as np  # noqa: E402
from harness.static_program import StaticProgram  # noqa: E402
from paddle.base import core  # noqa: E402

Variables = Union[Any, Sequence[Any]]
TENSOR, ARRAY, RANK_TABLE = core.VarDesc.VarType.LOD_TENSOR, core.VarDesc.VarType.LOD_TENSOR_ARRAY, core.VarDesc.VarType.LOD_RANK_TABLE
SCOPES = core.VarDesc.VarType.STEP_SCOPES


class Net(StaticProgram):
    """A program under construction, with weights that are drawn as they are asked for."""

    def __init__(self, seed: int = 5) -> None:
        super().__init__()
        self._rng = np.random.default_rng(seed)
        self._made = 0

    @property
    def here(self) -> Any:
        """The block that operators are appended to."""
        return self.program.current_block()

    def name(self, hint: str) -> str:
        """A name that no variable has yet."""
        self._made += 1
        return f"{hint}_{self._made}"

    def make(self, hint: str, dtype: Any = "float32", kind: Any = TENSOR, block: Any = None, **options: Any) -> Any:
        """A variable."""
        given = {} if kind in (RANK_TABLE, SCOPES) else {"dtype": dtype}
        return (block or self.here).create_var(name=self.name(hint), type=kind, **given, **options)

    def op(
        self, kind: str, operands: Dict[str, Variables], results: Union[Sequence[str], Dict[str, Variables]], block: Any = None, of: Any = None,
        **attrs: Any,
    ) -> Any:
        """Appends an operator. `results` are slots, for which variables are made (of dtype `of`), or slots with
        variables; gives the first."""
        first = next((one for many in operands.values() for one in _listed(many)), None)
        made = results
        if not isinstance(results, dict):
            made = {slot: self.make(f"{kind}.{slot}", of or (first.dtype if first is not None else "float32"), block=block) for slot in results}
        (block or self.here).append_op(type=kind, inputs={k: _listed(v) for k, v in operands.items()}, outputs=made, attrs=attrs)  # type: ignore[union-attr]
        return next(iter(made.values()))  # type: ignore[union-attr]

    def sequences(self, name: str, width: int = 1, dtype: str = "int64", levels: int = 1) -> Any:
        """An input of rows that are divided into sequences."""
        self.inputs[name] = np.zeros((0, width), dtype)
        return self.block.create_var(name=name, shape=[-1, width], dtype=dtype, lod_level=levels, is_data=True, need_check_feed=True, stop_gradient=True)

    def data(self, name: str, dims: Sequence[int], dtype: str = "float32") -> Any:
        """A plain input."""
        return self.feed(name, np.zeros([max(dim, 0) for dim in dims], dtype), dtype, dims)

    def weight(self, *dims: int, scale: Optional[float] = None) -> Any:
        """A parameter."""
        scale = scale or (dims[0] ** -0.5 if len(dims) > 1 else 0.1)
        array = self._rng.uniform(-scale, scale, dims).astype("float32") * 1.7
        return self.parameter(self.name("w"), array, "float32")

    # Layers of Fluid 1.x, as they append operators.
    def constant(self, dims: Sequence[int], value: float, dtype: str = "float32") -> Any:
        """fill_constant"""
        out = self.make("constant", dtype)
        self.here.append_op(type="fill_constant", inputs={}, outputs={"Out": out}, attrs={"shape": list(dims), "value": float(value), "dtype": out.dtype, "force_cpu": True})
        return out

    def embedding(self, ids: Any, count: int, width: int) -> Any:
        """lookup_table, whose ids are [rows, 1]"""
        return self.op("lookup_table", {"Ids": ids, "W": self.weight(count, width, scale=0.5)}, ["Out"], of="float32", is_sparse=True, padding_idx=-1)

    def fc(self, operands: Variables, size: int, act: str = "", bias: bool = True) -> Any:
        """The sum of products with weights, a bias, an activation"""
        parts = [self.op("mul", {"X": x, "Y": self.weight(_width(x), size)}, ["Out"], x_num_col_dims=1, y_num_col_dims=1) for x in _listed(operands)]
        out = parts[0] if len(parts) == 1 else self.op("sum", {"X": parts}, ["Out"])
        out = self.op("elementwise_add", {"X": out, "Y": self.weight(size)}, ["Out"], axis=1) if bias else out
        return self.op(act, {"X": out}, ["Out"]) if act else out

    def add(self, x: Any, y: Any, axis: int = -1) -> Any:
        """elementwise_add"""
        return self.op("elementwise_add", {"X": x, "Y": y}, ["Out"], axis=axis)

    def softmax(self, x: Any) -> Any:
        """softmax"""
        return self.op("softmax", {"X": x}, ["Out"], axis=-1)

    def concat(self, *parts: Any) -> Any:
        """concat of columns"""
        return self.op("concat", {"X": list(parts)}, ["Out"], axis=1)

    def pool(self, x: Any, kind: str) -> Any:
        """sequence_pool"""
        index = self.make("index", "int32")
        return self.op("sequence_pool", {"X": x}, {"Out": self.make("pool", x.dtype), "MaxIndex": index}, pooltype=kind.upper(), is_test=True)

    def gru(self, x: Any, size: int, reverse: bool = False) -> Any:
        """dynamic_gru of steps that are projected before"""
        results = {slot: self.make(f"gru.{slot}") for slot in ("Hidden", "BatchGate", "BatchResetHiddenPrev", "BatchHidden")}
        return self.op("gru", {"Input": x, "Weight": self.weight(size, 3 * size), "Bias": self.weight(1, 3 * size, scale=0.1)}, results,
                       is_reverse=reverse, activation="tanh", gate_activation="sigmoid", origin_mode=False)

    def lstm(self, x: Any, size: int, reverse: bool = False) -> Any:
        """dynamic_lstm of steps that are projected before"""
        results = {slot: self.make(f"lstm.{slot}") for slot in ("Hidden", "Cell", "BatchGate", "BatchCellPreAct")}
        return self.op("lstm", {"Input": x, "Weight": self.weight(size, 4 * size), "Bias": self.weight(1, 7 * size, scale=0.1)}, results,
                       is_reverse=reverse, use_peepholes=True, gate_activation="sigmoid", cell_activation="tanh", candidate_activation="tanh")

    def write(self, x: Any, index: Any, array: Any = None, block: Any = None) -> Any:
        """array_write"""
        array = array if array is not None else self.make("array", x.dtype, ARRAY, block)
        (block or self.here).append_op(type="write_to_array", inputs={"X": [x], "I": [index]}, outputs={"Out": [array]})
        return array

    def read(self, array: Any, index: Any, block: Any = None) -> Any:
        """array_read"""
        return self.op("read_from_array", {"X": array, "I": index}, ["Out"], block=block, of=array.dtype)

    def increment(self, x: Any, step: float = 1.0) -> None:
        """increment in place"""
        self.here.append_op(type="increment", inputs={"X": [x]}, outputs={"Out": [x]}, attrs={"step": step})

    def less_than(self, x: Any, y: Any, out: Any = None) -> Any:
        """less_than; overwrites `out`"""
        out = out if out is not None else self.make("cond", "bool")
        self.here.append_op(type="less_than", inputs={"X": [x], "Y": [y]}, outputs={"Out": [out]}, attrs={"force_cpu": True, "axis": -1})
        return out

    @contextlib.contextmanager
    def body(self, kind: str, condition: Any) -> "Iterator[Any]":
        """The block of a `while` or `conditional_block`."""
        block = self.program._create_block()
        yield block
        self.program._rollback()
        parent = self.here
        reads, writes = _uses(block, parent)
        scopes = self.make("scopes", kind=SCOPES)
        if kind == "while":
            parent.append_op(type="while", inputs={"X": reads, "Condition": [condition]}, outputs={"Out": writes, "StepScopes": [scopes]},
                             attrs={"sub_block": block, "is_test": True})
        else:
            parent.append_op(type="conditional_block", inputs={"Cond": [condition], "Input": reads}, outputs={"Out": writes, "Scope": [scopes]},
                             attrs={"sub_block": block, "is_scalar_condition": True})


class DynamicRNN:
    """layers.DynamicRNN: a loop over the steps of sequences in the order of their lengths."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.parent = net.here
        self.step = net.constant([1], 0, "int64")
        self.zero = net.constant([1], 0, "int64")
        self.condition = net.make("cond", "bool")
        self.table: Any = None
        self._steps: Any = None
        self._first: Any = None
        self._links: "List[tuple[Any, Any]]" = []
        self._arrays: "Dict[str, Any]" = {}
        self._outputs: List[Any] = []
        self.results: List[Any] = []

    @contextlib.contextmanager
    def block(self) -> Iterator[None]:
        """Its body; behind it `results` are the outputs as sequences."""
        net = self.net
        with net.body("while", self.condition):
            yield
            net.increment(self.step)
            for value, array in self._links:
                net.write(value, self.step, array)
            net.less_than(self.step, self._steps, self.condition)
        self.results = [net.op("array_to_lod_tensor", {"X": array, "RankTable": self.table}, ["Out"]) for array in self._outputs]

    def step_input(self, x: Any) -> Any:
        """The rows of a sequence at a step."""
        net = self.net
        if self.table is None:
            self.table = net.make("rank_table", kind=RANK_TABLE, block=self.parent)
            self.parent.append_op(type="lod_rank_table", inputs={"X": [x]}, outputs={"Out": [self.table]}, attrs={"level": 0})
            self._steps = net.op("max_sequence_len", {"RankTable": self.table}, ["Out"], block=self.parent, of="int64")
            self.parent.append_op(type="less_than", inputs={"X": [self.step], "Y": [self._steps]}, outputs={"Out": [self.condition]},
                                  attrs={"force_cpu": True, "axis": -1})
        array = net.make("input_array", x.dtype, ARRAY, self.parent)
        self.parent.append_op(type="lod_tensor_to_array", inputs={"X": [x], "RankTable": [self.table]}, outputs={"Out": [array]})
        self._first = self._first if self._first is not None else array
        return net.read(array, self.step)

    def static_input(self, x: Any) -> Any:
        """All of a sequence, at each step."""
        return self._shrink(self._reorder(x))

    def memory(self, init: Any = None, reorder: bool = False, width: int = 0, value: float = 0.0) -> Any:
        """A state."""
        net = self.net
        if init is None:
            row = net.read(self._first, self.zero, self.parent)
            init = net.make("init", row.dtype, block=self.parent)
            self.parent.append_op(type="fill_constant_batch_size_like", inputs={"Input": [row]}, outputs={"Out": [init]},
                                  attrs={"shape": [-1, width], "value": value, "dtype": init.dtype, "input_dim_idx": 0, "output_dim_idx": 0})
        elif reorder:
            init = self._reorder(init)
        array = net.write(init, self.zero, block=self.parent)
        memory = self._shrink(net.read(array, self.step))
        self._arrays[memory.name] = array
        return memory

    def update(self, memory: Any, value: Any) -> None:
        """What the state is at the next step."""
        self._links.append((value, self._arrays[memory.name]))

    def output(self, *values: Any) -> None:
        """What the steps give."""
        for value in values:
            array = self.net.make("output_array", value.dtype, ARRAY, self.parent)
            self._outputs.append(self.net.write(value, self.step, array))

    @property
    def arrays(self) -> List[Any]:
        """Of the first input, of the states, of the outputs."""
        return [self._first, *self._arrays.values(), *self._outputs]

    def _reorder(self, x: Any) -> Any:
        return self.net.op("reorder_lod_tensor_by_rank", {"X": x, "RankTable": self.table}, ["Out"], block=self.parent)

    def _shrink(self, x: Any) -> Any:
        return self.net.op("shrink_rnn_memory", {"X": x, "I": self.step, "RankTable": self.table}, ["Out"])


def static_rnn(net: Net, inputs: Sequence[Any], states: Sequence[Any], step: Any, reverse: bool = False) -> List[Any]:
    """layers.StaticRNN: `step` takes slices of the inputs and the states, and gives results and new states.

    Its `rnn_memory_helper` is gone from Paddle 2.6; `assign` does the same.
    """
    parent = net.here
    block = net.program._create_block()
    slices = [block.create_var(name=x.name, dtype=x.dtype, shape=list(x.shape[1:])) for x in inputs]
    before = [net.make("mem", x.dtype, shape=list(x.shape)) for x in states]
    results, after = step(slices, before)
    helped = [net.op("assign", {"X": x}, ["Out"]) for x in [*after, *results]]
    net.program._rollback()
    states_after, results = helped[: len(after)], helped[len(after) :]
    outside = [parent.create_var(name=x.name, dtype=x.dtype, shape=[-1, *x.shape]) for x in results]
    local = {x.name for x in [*inputs, *before]}
    reads = [x for x in _uses(block, parent)[0] if x.name not in local]
    parent.append_op(
        type="recurrent", inputs={"inputs": list(inputs), "initial_states": list(states), "parameters": reads},
        outputs={"outputs": outside, "step_scopes": [net.make("scopes", kind=SCOPES)]},
        attrs={"has_states": bool(states), "ex_states": [x.name for x in before], "states": [x.name for x in states_after],
               "sub_block": block, "reverse": reverse, "is_train": False},
    )
    return outside


def _uses(block: Any, parent: Any) -> "tuple[List[Any], List[Any]]":
    """The variables around a block that it reads, and that it writes."""
    reads: List[str] = []
    writes: List[str] = []
    for op in block.ops:
        reads += [name for name in op.input_arg_names if name not in reads and name not in block.vars]
        writes += [name for name in op.output_arg_names if name not in writes and name not in block.vars]
    found = lambda names: [parent._find_var_recursive(name) for name in names if parent._find_var_recursive(name) is not None]  # noqa: E731
    return found(reads), found(writes)


def _listed(variables: Variables) -> List[Any]:
    return list(variables) if isinstance(variables, (list, tuple)) else [variables]


def _width(x: Any) -> int:
    return int(x.shape[-1])
