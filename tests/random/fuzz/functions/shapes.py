"""Functions that move, repeat, join and split."""
import math
from typing import Any, List

from ..cases import Data
from ..context import Context, NotNow, options
from .registry import NN, call, maker, prefixed

_ANY = ("float32", "int64", "int32", "float64", "bool")


def _factors(context: Context, size: int) -> List[int]:
    """A shape of that many elements."""
    shape: List[int] = []
    for divisor in (2, 3, 2, 5, 7):
        if size % divisor == 0 and size and context.maybe(0.6):
            shape.append(divisor)
            size //= divisor
    shape.insert(context.integer(0, len(shape)), size)
    return shape


@maker("paddle.reshape")
def _reshape(context: Context) -> Data:
    x = context.tensor(0, 5, dtypes=_ANY)
    shape = _factors(context, math.prod(x.shape))
    if context.maybe(0.4) and 0 not in x.shape:
        shape[context.integer(0, len(shape) - 1)] = -1
    elif context.maybe(0.3) and x.rank and x.shape[0] in shape[:1]:
        shape[0] = 0
    return call("paddle.reshape", x, context.parameter(shape))


@maker("paddle.transpose")
def _transpose(context: Context) -> Data:
    x = context.tensor(0, 5, dtypes=_ANY)
    return call("paddle.transpose", x, context.rng.sample(range(x.rank), x.rank))


@maker("paddle.squeeze")
def _squeeze(context: Context) -> Data:
    x = context.tensor(1, 5, dtypes=_ANY)
    return call("paddle.squeeze", x, **options(context, axis=(context.axis(x), context.axes(x))))


@maker("paddle.unsqueeze")
def _unsqueeze(context: Context) -> Data:
    x = context.tensor(0, 4, dtypes=_ANY)
    axes = [context.integer(-x.rank - 1, x.rank)] if context.maybe(0.6) else sorted(context.rng.sample(range(x.rank + 2), 2))
    return call("paddle.unsqueeze", x, axes[0] if len(axes) == 1 and context.maybe() else context.parameter(axes))


@maker("paddle.flatten")
def _flatten(context: Context) -> Data:
    x = context.tensor(0, 5, dtypes=_ANY)
    if not x.rank:
        return call("paddle.flatten", x)
    start = context.integer(0, x.rank - 1)
    stop = context.integer(start, x.rank - 1)
    return call("paddle.flatten", x, start - x.rank if context.maybe(0.3) else start, stop - x.rank if context.maybe(0.3) else stop)


@maker("paddle.concat")
def _concat(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY)
    axis = context.axis(x)
    parts = [x]
    for _ in range(context.integer(0, 2)):
        shape = list(x.shape)
        shape[axis] = context.size()
        parts.insert(context.integer(0, len(parts)), context.new(shape, x.dtype))
    return call("paddle.concat", parts, axis=context.new([1], "int32", values=[axis]) if context.maybe(0.1) else axis)


@maker("paddle.stack")
def _stack(context: Context) -> Data:
    x = context.tensor(0, 4, dtypes=_ANY)
    return call("paddle.stack", [x, *(context.new(x.shape, x.dtype) for _ in range(context.integer(0, 2)))], axis=context.integer(-x.rank - 1, x.rank))


@maker("paddle.split")
def _split(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY, empty=False)
    axis = context.axis(x)
    size = x.shape[axis]
    if context.maybe(0.4):
        return call("paddle.split", x, context.choice([n for n in range(1, size + 1) if size % n == 0]), axis=axis)
    first = context.integer(0, size) if size > 1 else size
    sections = [first, size - first] if 0 < first < size else [size]
    if context.maybe(0.3):
        sections[context.integer(0, len(sections) - 1)] = -1
    return call("paddle.split", x, context.parameter(sections), axis=axis)


@maker("paddle.chunk")
def _chunk(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY, empty=False)
    axis = context.axis(x)
    return call("paddle.chunk", x, context.choice([n for n in range(1, x.shape[axis] + 1) if x.shape[axis] % n == 0]), axis=axis)


@maker(*prefixed("paddle.", "unbind unstack"))
def _unbind(context: Context, function: str) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY, empty=False)
    return call(function, x, axis=context.axis(x))


@maker("paddle.tile")
def _tile(context: Context) -> Data:
    x = context.tensor(0, 4, dtypes=_ANY)
    return call("paddle.tile", x, context.parameter([context.integer(1, 3) for _ in range(context.integer(1, 4))]))


@maker("paddle.expand", "paddle.broadcast_to")
def _expand(context: Context, function: str) -> Data:
    x = context.tensor(0, 4, dtypes=_ANY)
    shape: List[int] = [-1 if context.maybe(0.3) else context.integer(1, 4) if size == 1 else size for size in x.shape]
    shape = [context.integer(1, 3) for _ in range(context.integer(0, 2))] + shape
    if not shape:
        shape = [1]
    return call(function, x, context.parameter(shape))


@maker("paddle.expand_as")
def _expand_as(context: Context) -> Data:
    y = context.tensor(1, 4, dtypes=_ANY)
    shape = [1 if context.maybe(0.4) else size for size in y.shape][context.integer(0, 1) :]
    return call("paddle.expand_as", context.new(shape, y.dtype), y)


@maker("paddle.broadcast_tensors")
def _broadcast_tensors(context: Context) -> Data:
    x = context.tensor(1, 4)
    return call("paddle.broadcast_tensors", [x, context.broadcast(x)])


@maker("paddle.flip")
def _flip(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY)
    return call("paddle.flip", x, context.axes(x))


@maker("paddle.roll")
def _roll(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=("float32", "int64"))
    if context.maybe(0.3):
        return call("paddle.roll", x, context.integer(-4, 9))
    axes = context.axes(x)
    return call("paddle.roll", x, [context.integer(-4, 9) for _ in axes], axis=axes)


@maker("paddle.rot90")
def _rot90(context: Context) -> Data:
    x = context.tensor(2, 4)
    return call("paddle.rot90", x, k=context.integer(-2, 5), axes=context.rng.sample(range(x.rank), 2))


@maker("paddle.moveaxis")
def _moveaxis(context: Context) -> Data:
    x = context.tensor(1, 4)
    return call("paddle.moveaxis", x, context.axis(x), context.axis(x))


@maker("paddle.t")
def _t(context: Context) -> Data:
    return call("paddle.t", context.tensor(0, 2))


@maker("paddle.slice")
def _slice(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY)
    axes = sorted(context.rng.sample(range(x.rank), context.integer(1, x.rank)))
    starts = [context.choice((0, 1, -1, -2, -9, context.integer(0, 3))) for _ in axes]
    ends = [context.choice((x.shape[axis], 1, 2, -1, 100, 2147483647)) for axis in axes]
    return call("paddle.slice", x, axes, context.parameter(starts), context.parameter(ends))


@maker("paddle.strided_slice")
def _strided_slice(context: Context) -> Data:
    x = context.tensor(1, 4)
    axes = sorted(context.rng.sample(range(x.rank), context.integer(1, x.rank)))
    strides = [context.choice((1, 2, 3, -1, -2)) for _ in axes]
    starts = [context.choice((0, 1, -1)) if step > 0 else context.choice((-1, x.shape[axis] - 1, 100)) for axis, step in zip(axes, strides)]
    ends = [context.choice((x.shape[axis], 100, -1)) if step > 0 else context.choice((0, -100, 1)) for axis, step in zip(axes, strides)]
    return call("paddle.strided_slice", x, axes, context.parameter(starts), context.parameter(ends), context.parameter(strides))


@maker("paddle.crop")
def _crop(context: Context) -> Data:
    x = context.tensor(1, 4, empty=False)
    offsets = [context.integer(0, size - 1) for size in x.shape]
    shape = [-1 if context.maybe(0.15) else context.integer(1, size - offset) for size, offset in zip(x.shape, offsets)]
    return call("paddle.crop", x, context.parameter(shape), context.parameter(offsets))


@maker("paddle.nn.functional.pad")
def _pad(context: Context) -> Data:
    mode = context.choice(("constant", "constant", "reflect", "replicate", "circular"))
    x = context.tensor(3, 5, empty=False) if mode != "constant" or context.maybe() else context.tensor(1, 4)
    if x.rank < 3 or context.maybe(0.2) and mode == "constant":
        return call(NN + "pad", x, context.parameter([context.integer(0, 2) for _ in range(2 * x.rank)]), value=context.choice((0.0, 1.5)))
    last = x.rank == 5 and context.maybe(0.3) or context.maybe(0.2)
    formats = {3: ("NCL", "NLC"), 4: ("NCHW", "NHWC"), 5: ("NCDHW", "NDHWC")}[x.rank]
    spatial = x.shape[1:-1] if last else x.shape[2:]
    most = [size - 1 if mode == "reflect" else size if mode == "circular" else 2 for size in reversed(spatial)]
    pads = [context.integer(0, min(2, limit)) for limit in most for _ in range(2)]
    if mode == "constant" and context.maybe(0.2):
        pads[context.integer(0, len(pads) - 1)] = -1
    return call(NN + "pad", x, context.parameter(pads), mode=mode, value=context.choice((0.0, -1.5)), data_format=formats[last])


@maker("paddle.nn.functional.zeropad2d")
def _zeropad2d(context: Context) -> Data:
    return call(NN + "zeropad2d", context.tensor(4, 4), [context.integer(0, 2) for _ in range(4)], data_format=context.choice(("NCHW", "NHWC")))


@maker(*prefixed("paddle.", "tril triu"))
def _triangle(context: Context, function: str) -> Data:
    return call(function, context.tensor(2, 4, dtypes=_ANY), context.integer(-3, 3))


@maker("paddle.diag")
def _diag(context: Context) -> Data:
    return call("paddle.diag", context.tensor(1, 2, dtypes=("float32", "int64")), offset=context.integer(-2, 2), **options(context, padding_value=(0, 3)))


@maker("paddle.diagflat")
def _diagflat(context: Context) -> Data:
    return call("paddle.diagflat", context.tensor(1, 2, dtypes=("float32", "int64")), offset=context.integer(-2, 2))


@maker(*prefixed("paddle.", "diagonal trace"))
def _diagonal(context: Context, function: str) -> Data:
    x = context.tensor(2, 4)
    first, second = context.rng.sample(range(x.rank), 2)
    return call(function, x, offset=context.integer(-2, 2), axis1=first, axis2=second - x.rank if context.maybe(0.3) else second)


@maker("paddle.diag_embed", "paddle.nn.functional.diag_embed")
def _diag_embed(context: Context, function: str) -> Data:
    x = context.tensor(1, 3)
    first, second = context.choice(((-2, -1), (0, 1), (-1, 0), (0, -1)))
    return call(function, x, offset=context.integer(-2, 2), dim1=first, dim2=second)


@maker("paddle.full")
def _full(context: Context) -> Data:
    value = context.choice((0, 1, 1.5, -2, True))
    return call("paddle.full", context.parameter(context.shape(0, 3)), value, **options(context, dtype=("float32", "int64", "bool", "int32")))


@maker(*prefixed("paddle.", "zeros ones"))
def _fill(context: Context, function: str) -> Data:
    return call(function, context.parameter(context.shape(0, 3)), **options(context, dtype=("float32", "int64", "bool")))


@maker("paddle.arange")
def _arange(context: Context) -> Data:
    start, step = context.integer(-3, 3), context.choice((1, 2, 0.5, -1))
    end: Any = start + step * context.integer(0, 6)
    if isinstance(step, int) and context.maybe(0.3):
        end = context.new([1], "int64", values=[end])
    return call("paddle.arange", start, end, step, **options(context, dtype=("float32", "int64", "int32")))


@maker("paddle.linspace")
def _linspace(context: Context) -> Data:
    return call("paddle.linspace", context.choice((0, -1.0)), context.choice((1, 4.5)), context.integer(1, 9), **options(context, dtype=("float32", "int32")))


@maker("paddle.eye")
def _eye(context: Context) -> Data:
    return call("paddle.eye", context.integer(1, 4), **options(context, num_columns=(2, 5), dtype=("float32", "int64")))


@maker("paddle.meshgrid")
def _meshgrid(context: Context) -> Data:
    return call("paddle.meshgrid", *(context.tensor(1, 1) for _ in range(context.integer(1, 3))))


@maker("paddle.repeat_interleave")
def _repeat_interleave(context: Context) -> Data:
    x = context.tensor(1, 3, dtypes=("float32", "int64"))
    axis = context.axis(x)
    if context.maybe(0.3):
        return call("paddle.repeat_interleave", x, context.new([x.shape[axis]], "int64", range=[0, 3]), axis=axis)
    return call("paddle.repeat_interleave", x, context.integer(1, 3), **options(context, axis=(axis,)))


@maker("paddle.nn.functional.one_hot")
def _one_hot(context: Context) -> Data:
    return call(NN + "one_hot", context.new(context.shape(1, 3), context.choice(("int64", "int32")), range=[0, 4]), context.choice((4, 5, 7)))


@maker("paddle.shard_index")
def _shard_index(context: Context) -> Data:
    return call("paddle.shard_index", context.new([context.integer(1, 6), 1], "int64", range=[0, 20]), 20, 2, context.choice((0, 1)), context.choice((-1, 0)))


@maker(*prefixed(NN, "pixel_shuffle pixel_unshuffle channel_shuffle"))
def _shuffles(context: Context, function: str) -> Data:
    factor, layout = context.choice((1, 2, 3)), context.choice(("NCHW", "NHWC"))
    channels = factor * context.integer(1, 2) * (factor if function.endswith("pixel_shuffle") else 1)
    spatial = [context.integer(1, 3) * (factor if function.endswith("unshuffle") else 1) for _ in range(2)]
    batch = [context.integer(1, 2)]
    return call(function, context.new([*batch, channels, *spatial] if layout == "NCHW" else [*batch, *spatial, channels]), factor, data_format=layout)


@maker("paddle.nn.functional.sequence_mask")
def _sequence_mask(context: Context) -> Data:
    x = context.new(context.shape(1, 2), context.choice(("int64", "int32")), range=[0, 6])
    return call(NN + "sequence_mask", x, **options(context, maxlen=(4, 7), dtype=("int64", "float32", "bool")))


@maker("paddle.as_complex", "paddle.as_real")
def _complex_views(context: Context, function: str) -> Data:
    if function.endswith("as_complex"):
        return call(function, context.new([*context.shape(0, 3), 2]))
    return call(function, context.tensor(0, 3, dtypes=("complex64",)))


@maker("paddle.unflatten")
def _unflatten(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False)
    axis = context.axis(x)
    shape = _factors(context, x.shape[axis])
    if context.maybe(0.3):
        shape[0] = -1
    return call("paddle.unflatten", x, axis, shape)


@maker("paddle.unfold", "paddle.as_strided")
def _views(context: Context, function: str) -> Data:
    x = context.new([context.integer(4, 9)])
    if function.endswith("unfold"):
        return call(function, x, 0, context.integer(1, 3), context.integer(1, 3))
    return call(function, x, [2, 2], [context.integer(1, 2), 1])


@maker("paddle.tensordot")
def _tensordot(context: Context) -> Data:
    x = context.tensor(2, 3)
    if not all(x.shape):
        raise NotNow
    y = context.new([*x.shape[-1:], context.size()])
    return call("paddle.tensordot", x, y, axes=1)
