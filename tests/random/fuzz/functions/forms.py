"""Rarer functions of shapes: triangles, views, what joins and splits, and parts put into others."""
import math
from typing import Any

from ..cases import Data
from ..context import Context, NotNow, options
from .registry import NN, call, maker, prefixed

_ANY = ("float32", "int64", "int32", "float64", "bool")


@maker("paddle.tril_indices", "paddle.triu_indices")
def _triangle(context: Context, function: str) -> Data:
    return call(function, context.integer(1, 5), context.integer(1, 5), context.integer(-3, 3), **options(context, dtype=("int32", "int64")))


@maker(*prefixed("paddle.", "linspace logspace arange"))
def _ranges(context: Context, function: str) -> Data:
    if function.endswith("arange"):
        dtype = context.choice((None, "float32", "int64", "int32", "float64"))
        start, step = context.choice((0, -2, 0.5, 3)), context.choice((1, 0.3, -0.7, 2, -1))
        end = start + step * context.choice((0.5, 1, 3, 4.2))
        if isinstance(start, int) and isinstance(step, int):
            end = int(end)
        if context.maybe(0.3) and dtype:
            whole = dtype.startswith("int")
            numbers = [int(number) if whole else float(number) for number in (start, end, step)]
            if whole and step in (0.3, -0.7):
                raise NotNow
            return call(function, *(context.new([1], dtype, values=[number]) if context.maybe() else number for number in numbers), dtype=dtype)
        return call(function, start, end, step, dtype=dtype)
    num: Any = context.integer(1, 7)
    start, stop = context.number(-2, 2), context.number(-2, 4)
    ends: Any = [context.new([1], values=[start]) if context.maybe(0.2) else start, context.new([1], values=[stop]) if context.maybe(0.2) else stop]
    if context.maybe(0.2):
        num = context.new([1], "int32", values=[num])
    return call(function, *ends, num, **options(context, dtype=("float32", "float64", "int32", "int64"), **({"base": (2.0, 1.5)} if function.endswith("logspace") else {})))


@maker(*prefixed("paddle.", "full zeros ones eye"))
def _made(context: Context, function: str) -> Data:
    dtype = context.choice(("float32", "int64", "int32", "bool", "float64", "float16", "uint8", "int8"))
    name = function.rpartition(".")[2]
    if name == "eye":
        return call(function, context.integer(0, 4), context.choice((None, 1, 3)), dtype)
    shape: Any = context.parameter(context.shape(0, 3))
    if name == "full":
        value = context.choice((0, 3, 1.5, True, {"float": "inf"}, context.new([1], values=[2.5]), context.new([], "int64", values=2)))
        return call(function, shape, value, dtype)
    return call(function, shape, dtype)


@maker(*prefixed("paddle.", "atleast_1d atleast_2d atleast_3d"))
def _atleast(context: Context, function: str) -> Data:
    return call(function, context.tensor(0, 4, dtypes=_ANY), *(context.new(context.shape(0, 3)) for _ in range(context.integer(0, 1))))


@maker("paddle.view", "paddle.view_as")
def _view(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, dtypes=("float32", "int64", "int32"), empty=False)
    if function.endswith("view_as"):
        return call(function, x, context.new([math.prod(x.shape), 1]))
    if context.maybe(0.5):
        return call(function, x, context.choice(("float32", "int32", "int64", "uint8", "float64", "int8")))
    return call(function, x, [context.choice((-1, math.prod(x.shape))), 1])


@maker("paddle.vander")
def _vander(context: Context) -> Data:
    return call("paddle.vander", context.tensor(1, 1, dtypes=("float32", "int64", "complex64"), empty=False), **options(context, n=(1, 2, 4, 0), increasing=(True, False)))


@maker("paddle.combinations", "paddle.cartesian_prod", "paddle.block_diag")
def _combinations(context: Context, function: str) -> Data:
    if function.endswith("combinations"):
        return call(function, context.tensor(1, 1, dtypes=("float32", "int64"), empty=False), **options(context, r=(0, 1, 2, 3), with_replacement=(True, False)))
    if function.endswith("cartesian_prod"):
        return call(function, [context.tensor(1, 1) for _ in range(context.integer(1, 3))])
    return call(function, [context.tensor(0, 2) for _ in range(context.integer(1, 3))])


@maker(*prefixed("paddle.", "index_fill select_scatter diagonal_scatter slice_scatter masked_scatter"))
def _put(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, dtypes=("float32", "int64"), empty=False)
    name, axis = function.rpartition(".")[2], context.axis(x)
    if name == "index_fill":
        index = context.new([context.integer(1, 3)], context.choice(("int64", "int32")), range=[0, x.shape[axis]])
        return call(function, x, index, axis, context.choice((2, 1.5, -1)))
    if name == "select_scatter":
        shape = [size for at, size in enumerate(x.shape) if at != axis % x.rank]
        return call(function, x, context.new(shape, x.dtype), axis, context.integer(-x.shape[axis], x.shape[axis] - 1))
    if name == "slice_scatter":
        start, step = context.integer(0, x.shape[axis] - 1), context.integer(1, 2)
        shape = list(x.shape)
        shape[axis] = len(range(start, x.shape[axis], step))
        return call(function, x, context.new(shape, x.dtype), [axis], [start], [x.shape[axis]], [step])
    if name == "masked_scatter":
        return call(function, x, context.new(x.shape, "bool"), context.new([math.prod(x.shape)], x.dtype))
    x = context.tensor(2, 3, empty=False)
    first, second = context.rng.sample(range(x.rank), 2)
    offset = context.integer(-1, 1)
    size = max(0, min(x.shape[first] + min(offset, 0), x.shape[second] - max(offset, 0)))
    rest = [length for at, length in enumerate(x.shape) if at not in (first, second)]
    return call(function, x, context.new([*rest, size]), offset, first, second)


@maker(*prefixed("paddle.", "hsplit vsplit dsplit tensor_split split chunk"))
def _splits(context: Context, function: str) -> Data:
    x = context.tensor(1, 4, dtypes=("float32", "int64", "bool"), empty=False)
    axis = {"hsplit": 0 if x.rank == 1 else 1, "vsplit": 0, "dsplit": 2}.get(function.rpartition(".")[2], context.axis(x))
    if not -x.rank <= axis < x.rank:
        raise NotNow
    size = x.shape[axis]
    named = {} if function.endswith(("hsplit", "vsplit", "dsplit")) else {"axis": axis}
    choice = context.maybe()
    if function.endswith("chunk"):
        return call(function, x, context.integer(1, size), **named)
    if function.endswith("tensor_split"):
        return call(function, x, context.integer(1, 4) if choice else sorted(context.integer(0, size) for _ in range(2)), **named)
    if choice:
        return call(function, x, context.choice([n for n in range(1, size + 1) if size % n == 0]), **named)
    first = context.integer(0, size)
    return call(function, x, context.choice(([first, size - first], [first, -1], [-1, size - first], {"tuple": [first, -1]})), **named)


@maker(*prefixed("paddle.", "hstack vstack dstack column_stack row_stack broadcast_tensors meshgrid stack concat"))
def _joins(context: Context, function: str) -> Data:
    x = context.tensor(0, 3, dtypes=("float32", "int64", "bool", "float64"))
    others = [context.new(x.shape, x.dtype) if "broadcast" not in function else context.broadcast(x) for _ in range(context.integer(0, 2))]
    return call(function, [x, *others])


@maker("paddle.reverse", "paddle.flip")
def _flip(context: Context, function: str) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY)
    return call(function, x, context.choice((context.axis(x), context.axes(x), {"tuple": context.axes(x)})))


@maker(*prefixed("paddle.", "moveaxis swapaxes transpose t squeeze unsqueeze roll rot90"))
def _moves(context: Context, function: str) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY)
    name = function.rpartition(".")[2]
    if name == "moveaxis":
        count = context.integer(1, x.rank)
        return call(function, x, context.rng.sample(range(x.rank), count), [axis - x.rank for axis in context.rng.sample(range(x.rank), count)])
    if name == "swapaxes":
        return call(function, x, context.axis(x), context.axis(x))
    if name == "transpose":
        return call(function, x, [axis - x.rank if context.maybe() else axis for axis in context.rng.sample(range(x.rank), x.rank)])
    if name == "squeeze":
        return call(function, x, context.choice((None, context.axis(x), {"tuple": context.axes(x)}, context.new([1], "int64", values=[context.axis(x)]))))
    if name == "unsqueeze":
        axis = context.integer(-x.rank - 1, x.rank)
        return call(function, x, context.choice((context.new([1], "int32", values=[axis]), context.new([], "int64", values=axis), {"tuple": [0, axis]}, [axis, axis])))
    if name == "roll":
        axes = context.axes(x)
        shifts = [context.integer(-9, 9) for _ in axes]
        return call(function, x, *context.choice(((shifts, axes), (context.integer(-9, 9), context.axis(x)), (context.new([len(shifts)], "int64", values=shifts), axes))))
    if name == "rot90" and x.rank > 1:
        return call(function, x, context.integer(-3, 3), [axis - x.rank for axis in context.rng.sample(range(x.rank), 2)])
    return call(function, context.tensor(0, 2, dtypes=_ANY))


@maker("paddle.tensordot")
def _tensordot(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False)
    count = context.integer(0, x.rank)
    if context.maybe():
        return call("paddle.tensordot", x, context.new([*x.shape[x.rank - count :], *context.shape(0, 1)]), axes=count)
    axes = context.rng.sample(range(x.rank), count)
    extra = [max(size, 1) for size in context.shape(0, 1)]
    return call("paddle.tensordot", x, context.new([*extra, *(x.shape[axis] for axis in axes)]), axes=[axes, list(range(len(extra), len(extra) + count))])


@maker("paddle.repeat_interleave")
def _repeat(context: Context) -> Data:
    x = context.tensor(1, 3, dtypes=("float32", "int64", "int32", "float64"))
    axis = context.axis(x)
    count = x.shape[axis] if context.maybe() else math.prod(x.shape)
    repeats: Any = context.choice((0, 2, context.new([count], context.choice(("int64", "int32")), range=[0, 3]), context.new([1], "int64", values=[2])))
    return call("paddle.repeat_interleave", x, repeats, **options(context, axis=(axis, None)))


@maker("paddle.as_strided", "paddle.unfold", "paddle.unflatten", "paddle.crop")
def _windows(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, empty=False)
    axis, name = context.axis(x), function.rpartition(".")[2]
    if name == "unfold":
        return call(function, x, axis, context.integer(1, x.shape[axis]), context.integer(1, 3))
    if name == "as_strided":
        x = context.new([12])
        return call(function, x, context.choice(([3], [2, 3], [3, 2, 2], [])), context.choice(([1], [2, 1], [1, 2, 3], [])), **options(context, offset=(1, 2)))
    if name == "unflatten":
        return call(function, x, axis, context.choice(({"tuple": [1, -1]}, context.new([2], "int64", values=[-1, 1]), [x.shape[axis], 1, 1])))
    return call(function, x, **options(context, shape=([-1] * x.rank, [1] * x.rank), offsets=([0] * x.rank,)))


@maker(NN + "pad")
def _pad(context: Context) -> Data:
    mode = context.choice(("constant", "constant", "reflect", "replicate", "circular"))
    x = context.new([context.integer(1, 3), context.integer(1, 2), *(context.integer(3, 5) for _ in range(context.integer(1, 3)))], context.choice(("float32", "float64", "int64", "int32")))
    formats = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}[x.rank]
    if context.maybe(0.3):
        return call(NN + "pad", x, context.integer(0, 2), mode=mode, value=context.choice((0, 1.5)), data_format=formats[0])
    pads: Any = [context.integer(0, 2) for _ in range(2 * (x.rank - 2))]
    if context.maybe(0.3):
        pads = context.new([len(pads)], "int32", values=pads)
    return call(NN + "pad", x, pads, mode=mode, value=context.choice((0, 2)), data_format=formats[0])


@maker(NN + "one_hot", NN + "sequence_mask", NN + "embedding")
def _ids(context: Context, function: str) -> Data:
    x = context.new([max(size, 1) for size in context.shape(0, 3)], context.choice(("int64", "int32")), range=[0, 4])
    if function.endswith("one_hot"):
        return call(function, x, context.choice((4, 6, context.new([1], "int32", values=[5]), context.new([], "int64", values=4))))
    if function.endswith("sequence_mask"):
        return call(function, x, **options(context, maxlen=(1, 5, context.new([1], "int64", values=[3])), dtype=("int32", "float64", "uint8", "bool")))
    return call(function, x, context.new([4, context.integer(1, 3)], context.choice(("float32", "float64"))), **options(context, padding_idx=(0, 3, -1, -4), sparse=(True, False)))
