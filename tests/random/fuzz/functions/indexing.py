"""Indexing and assignment, gathers and scatters."""
from typing import Any, List

from ..cases import Data
from ..context import Context, Value, options
from .registry import call, maker, prefixed

_ANY = ("float32", "int64", "int32", "float64", "bool")


def _slice(context: Context, size: int) -> Data:
    start = context.choice((None, None, 0, 1, -1, -2, context.integer(0, max(size, 1))))
    stop = context.choice((None, None, size, -1, 1, size + 3))
    step = context.choice((None, None, None, 1, 2, 2, 3, -1))
    if step == -1:
        start, stop = context.choice((None, -1, size - 1)), context.choice((None, 0))
    return {"slice": [start, stop, step]}


def _index(context: Context, x: Value) -> Data:
    items: List[Any] = []
    count = context.integer(1, x.rank)
    if context.maybe(0.2):
        count = min(count, x.rank)
        skipped = context.integer(0, count - 1)
        axes = [*range(skipped), None, *range(x.rank - (count - skipped), x.rank)]
    else:
        axes = list(range(count))
    for axis in axes:
        if axis is None:
            items.append({"ellipsis": 1})
        elif context.maybe(0.3) and x.shape[axis]:
            items.append(context.integer(-x.shape[axis], x.shape[axis] - 1))
        else:
            items.append(_slice(context, x.shape[axis]))
    if context.maybe(0.1):
        items.insert(context.integer(0, len(items)), None)
    return items[0] if len(items) == 1 and context.maybe() else {"tuple": items}


@maker("getitem")
def _getitem(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY)
    choice = context.rng.random()
    if choice < 0.65:
        return call("getitem", x, _index(context, x))
    if choice < 0.75:
        return call("getitem", x, context.new(x.shape[: context.integer(1, x.rank)], "bool"))
    limit = min(x.shape[: min(2, x.rank)], default=1)
    if not limit:
        return call("getitem", x, _index(context, x))
    index = context.new(context.shape(1, 2), context.choice(("int64", "int32")), range=[-limit, limit])
    if choice < 0.88 or x.rank < 2:
        return call("getitem", x, index)
    other = context.new(index.shape, index.dtype, range=[0, limit])
    return call("getitem", x, {"tuple": [index, other] if context.maybe() else [{"slice": [None, None, None]}, other]})


@maker("setitem")
def _setitem(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=("float32", "int64", "int32"))
    if context.maybe(0.12):
        return call("setitem", x, context.new(x.shape[: context.integer(1, x.rank)], "bool"), 3)
    index = _index(context, x)
    value: Any = context.choice((0, 1, -2, 0.0, 2.5))
    if context.maybe(0.5):
        value = context.new(_picked(x, index, context), x.dtype)
    return call("setitem", x, index, value)


def _picked(x: Value, index: Data, context: Context) -> List[int]:
    """The shape of what an index picks, or one that broadcasts to it."""
    items = index["tuple"] if isinstance(index, dict) and "tuple" in index else [index]
    shape: List[int] = []
    axis = 0
    for item in items:
        if item is None:
            shape.append(1)
        elif isinstance(item, int):
            axis += 1
        elif "ellipsis" in item:
            rest = x.rank - sum(other is not None and not (isinstance(other, dict) and "ellipsis" in other) for other in items)
            shape += x.shape[axis : axis + rest]
            axis += rest
        else:
            shape.append(len(range(*slice(*item["slice"]).indices(x.shape[axis]))))
            axis += 1
    shape += x.shape[axis:]
    if context.maybe(0.3):
        shape = shape[context.integer(0, len(shape)) :]
    return [1 if context.maybe(0.15) else size for size in shape] if shape else [1] if context.maybe(0.3) else []


@maker("paddle.gather")
def _gather(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY, empty=False)
    axis = context.axis(x)
    index = context.new(context.choice(([context.integer(1, 5)], [context.integer(1, 4), 1], [])), context.choice(("int64", "int32")), range=[0, x.shape[axis]])
    return call("paddle.gather", x, index, **options(context, axis=(axis,)) if x.shape[0] >= x.shape[axis] else {"axis": axis})


@maker("paddle.gather_nd")
def _gather_nd(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY, empty=False)
    depth = context.integer(1, x.rank)
    return call("paddle.gather_nd", x, context.new([*context.shape(0, 2), depth], "int64", range=[0, min(x.shape[:depth])]))


@maker("paddle.index_select")
def _index_select(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=("float32", "int64"), empty=False)
    axis = context.axis(x)
    return call("paddle.index_select", x, context.new([context.integer(1, 5)], context.choice(("int64", "int32")), range=[0, x.shape[axis]]), axis=axis)


@maker("paddle.index_sample")
def _index_sample(context: Context) -> Data:
    x = context.tensor(2, 2, empty=False)
    return call("paddle.index_sample", x, context.new([x.shape[0], context.integer(1, 4)], "int64", range=[0, x.shape[1]]))


@maker("paddle.take_along_axis")
def _take_along_axis(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=("float32", "int64"), empty=False)
    axis = context.axis(x)
    shape = list(x.shape)
    shape[axis] = context.integer(1, 4)
    return call("paddle.take_along_axis", x, context.new(shape, "int64", range=[0, x.shape[axis]]), axis)


@maker("paddle.put_along_axis")
def _put_along_axis(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False)
    axis = context.axis(x)
    reduce = context.choice(("assign", "add", "multiply", "mul"))
    # If an element is assigned twice, the remaining value is undefined.
    shape = [1 if at == axis % x.rank else size for at, size in enumerate(x.shape)]
    index = context.new(shape, "int64", range=[0, x.shape[axis]])
    return call("paddle.put_along_axis", x, index, context.choice((1.5, context.new(shape))), axis, reduce=reduce)


@maker("paddle.scatter")
def _scatter(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False)
    overwrite = context.maybe()
    count = context.integer(1, x.shape[0])
    index = context.new([count], context.choice(("int64", "int32")), range=[0, x.shape[0]], unique=True if overwrite else None)
    return call("paddle.scatter", x, index, context.new([count, *x.shape[1:]]), overwrite=overwrite)


@maker("paddle.scatter_nd_add")
def _scatter_nd_add(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False)
    depth = context.integer(1, x.rank)
    index = context.new([context.integer(1, 4), depth], "int64", range=[0, min(x.shape[:depth])])
    return call("paddle.scatter_nd_add", x, index, context.new([index.shape[0], *x.shape[depth:]]))


@maker("paddle.scatter_nd")
def _scatter_nd(context: Context) -> Data:
    index = context.new([context.integer(1, 4), 1], "int64", range=[0, 4])
    rest = list(context.shape(0, 2))
    return call("paddle.scatter_nd", index, context.new([index.shape[0], *rest]), [4, *rest])


@maker("paddle.index_add")
def _index_add(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False)
    axis = context.axis(x)
    shape = list(x.shape)
    shape[axis] = context.integer(1, 3)
    return call("paddle.index_add", x, context.new([shape[axis]], "int64", range=[0, x.shape[axis]]), axis, context.new(shape))


@maker("paddle.index_put")
def _index_put(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False)
    index = context.new([context.integer(1, 3)], "int64", range=[0, x.shape[0]])
    accumulate = context.maybe()
    value = context.new([*index.shape, *x.shape[1:]]) if accumulate else context.new([1])
    return call("paddle.index_put", x, {"tuple": [index]}, value, accumulate=accumulate)


@maker(*prefixed("paddle.", "masked_select masked_fill"))
def _masked(context: Context, function: str) -> Data:
    x = context.tensor(1, 4, dtypes=("float32", "int64"))
    mask = context.new(x.shape, "bool")
    return call(function, x, mask) if function.endswith("select") else call(function, x, mask, context.choice((0.0, 2.0)))


@maker("paddle.take")
def _take(context: Context) -> Data:
    x = context.tensor(1, 3, dtypes=("float32", "int64"), empty=False)
    return call("paddle.take", x, context.new(context.shape(1, 2), "int64", range=[-9, 9]), mode=context.choice(("wrap", "clip")))


@maker("paddle.nn.functional.embedding")
def _embedding(context: Context) -> Data:
    rows = context.integer(2, 6)
    ids = context.new(context.shape(1, 3), context.choice(("int64", "int32")), range=[0, rows])
    return call("paddle.nn.functional.embedding", ids, context.new([rows, context.integer(1, 4)]), **options(context, padding_idx=(0, -1)))
