"""Functions along axes: reductions, scans, sorting, counting."""
from typing import Any, Dict

from ..cases import Data
from ..context import Context, options
from .registry import call, maker, prefixed

_ANY = ("float32", "int64", "int32", "float64")


def _axis(context: Context, x: Any, several: bool = True) -> Any:
    if context.maybe(0.2):
        return None
    return context.axes(x) if several and context.maybe(0.4) and x.rank else context.axis(x)


@maker(*prefixed("paddle.", "sum mean max min prod amax amin logsumexp nansum nanmean"))
def _reduce(context: Context, function: str) -> Data:
    x = context.tensor(0, 5, dtypes=_ANY if function.endswith(("sum", "max", "min", "prod")) else ("float32",))
    several = not function.endswith("nanmean") or context.maybe()
    return call(function, x, axis=_axis(context, x, several), keepdim=context.maybe(0.3))


@maker(*prefixed("paddle.", "any all"))
def _truth(context: Context, function: str) -> Data:
    x = context.tensor(0, 4, dtypes=("bool",))
    return call(function, x, axis=_axis(context, x), keepdim=context.maybe(0.3))


@maker(*prefixed("paddle.", "std var"))
def _spread(context: Context, function: str) -> Data:
    x = context.tensor(1, 4)
    return call(function, x, axis=_axis(context, x), unbiased=context.maybe(), keepdim=context.maybe(0.3))


@maker(*prefixed("paddle.", "median nanmedian"))
def _median(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, empty=False)
    return call(function, x, axis=_axis(context, x, False), keepdim=context.maybe(0.3))


@maker("paddle.quantile")
def _quantile(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False)
    return call("paddle.quantile", x, context.choice((0.5, 0.1, 1.0, [0.2, 0.7])), axis=context.axis(x), keepdim=context.maybe(0.3))


@maker("paddle.count_nonzero")
def _count_nonzero(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY)
    return call("paddle.count_nonzero", x, axis=_axis(context, x), keepdim=context.maybe(0.3))


@maker(*prefixed("paddle.", "cumsum cumprod logcumsumexp"))
def _scan(context: Context, function: str) -> Data:
    x = context.tensor(0, 4, dtypes=_ANY if "log" not in function else ("float32",))
    axis = context.axis(x)
    if function.endswith("cumprod"):
        return call(function, x, dim=axis)
    return call(function, x, **options(context, axis=(axis,)))


@maker(*prefixed("paddle.", "cummax cummin"))
def _scan_extremes(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, dtypes=_ANY)
    return call(function, x, axis=context.axis(x), **options(context, dtype=("int32", "int64")))


@maker(*prefixed("paddle.", "argmax argmin"))
def _arg_extremes(context: Context, function: str) -> Data:
    x = context.tensor(1, 4, dtypes=_ANY, empty=False)
    more = options(context, axis=(context.axis(x),), keepdim=(True, False), dtype=("int32", "int64"))
    return call(function, x, **more)


@maker(*prefixed("paddle.", "argsort sort"))
def _sort(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, unique=True, range=[-1, 1])
    return call(function, x, axis=context.axis(x), descending=context.maybe())


@maker("paddle.topk")
def _topk(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False, unique=True, range=[-1, 1])
    axis = context.axis(x)
    k: Any = context.integer(1, x.shape[axis])
    if context.maybe(0.2):
        k = context.new([1], "int64", values=[k])
    return call("paddle.topk", x, k, axis=axis, largest=context.maybe(0.7), sorted=True)


@maker("paddle.kthvalue", "paddle.mode")
def _kth(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, empty=False, unique=True, range=[-1, 1])
    axis = context.axis(x)
    more: Dict[str, Any] = {"axis": axis, "keepdim": context.maybe(0.3)}
    return call(function, x, **more) if function.endswith("mode") else call(function, x, context.integer(1, x.shape[axis]), **more)


@maker("paddle.searchsorted", "paddle.bucketize")
def _search(context: Context, function: str) -> Data:
    values = context.tensor(1, 3, dtypes=("float32", "int64", "int32"))
    shape = [context.choice((1, 3, 6))] if function.endswith("bucketize") or context.maybe() else [*values.shape[:-1], context.choice((1, 3, 6))]
    order = context.new(shape, values.dtype, sorted=True)
    more = options(context, out_int32=(True, False), right=(True, False))
    return call(function, *((values, order) if function.endswith("bucketize") else (order, values)), **more)


@maker("paddle.unique")
def _unique(context: Context) -> Data:
    x = context.tensor(1, 2, dtypes=("int64", "int32", "float32"), empty=False)
    more = options(context, return_index=(True, False), return_inverse=(True, False), return_counts=(True, False), axis=(context.axis(x),))
    return call("paddle.unique", x, **more)


@maker("paddle.unique_consecutive")
def _unique_consecutive(context: Context) -> Data:
    x = context.tensor(1, 2, dtypes=("int64", "int32"), empty=False, range=[0, 2])
    return call("paddle.unique_consecutive", x, **options(context, return_inverse=(True, False), return_counts=(True, False), axis=(context.axis(x),)))


@maker("paddle.nonzero")
def _nonzero(context: Context) -> Data:
    return call("paddle.nonzero", context.tensor(1, 3, dtypes=("int64", "bool", "float32"), range=[-1, 2]), as_tuple=context.maybe(0.2))


@maker("paddle.bincount")
def _bincount(context: Context) -> Data:
    x = context.new([context.integer(1, 8)], context.choice(("int64", "int32")), range=[0, 5])
    more = {"weights": context.new(x.shape)} if context.maybe(0.4) else {}
    return call("paddle.bincount", x, minlength=context.choice((0, 3, 8)), **more)


@maker("paddle.histogram")
def _histogram(context: Context) -> Data:
    low, high = context.choice(((0, 0), (-1, 1), (0, 2)))
    return call("paddle.histogram", context.tensor(1, 2, dtypes=("float32", "int64"), empty=False), bins=context.choice((4, 10)), min=low, max=high)


@maker("paddle.diff")
def _diff(context: Context) -> Data:
    x = context.tensor(1, 3, dtypes=("float32", "int64"))
    return call("paddle.diff", x, n=1, axis=context.axis(x))


@maker("paddle.linalg.norm")
def _norm(context: Context) -> Data:
    x = context.tensor(1, 4)
    if context.maybe(0.25):
        return call("paddle.linalg.norm", x, p="fro", **options(context, axis=(context.axes(x, 2)[:2],), keepdim=(True, False)))
    p = context.choice((0, 1, 2, 3, 0.5, -1, {"float": "inf"}, {"float": "-inf"}))
    return call("paddle.linalg.norm", x, p=p, **options(context, axis=(context.axis(x),), keepdim=(True, False)))


@maker("paddle.numel", "paddle.shape", "paddle.rank", "paddle.is_empty")
def _about(context: Context, function: str) -> Data:
    return call(function, context.tensor(0, 4, dtypes=_ANY))
