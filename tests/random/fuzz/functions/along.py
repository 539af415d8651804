"""Reductions, scans and orders with all their arguments."""
from typing import Any, Dict

from ..cases import Data
from ..context import Context, options
from .registry import call, maker, prefixed

_REAL = ("float32", "float64", "int64", "int32")


def _axes(context: Context, x: Any) -> Any:
    return context.choice((None, context.axis(x), context.axes(x), {"tuple": context.axes(x)}))


@maker(*prefixed("paddle.", "sum prod nansum mean max min amax amin any all logsumexp nanmean count_nonzero std var"))
def _reduce(context: Context, function: str) -> Data:
    name = function.rpartition(".")[2]
    x = context.tensor(0, 4, dtypes=(*_REAL, "bool", "int8", "uint8", "float16"))
    if name in ("sum", "prod", "nansum"):
        return call(function, x, axis=_axes(context, x), **options(context, dtype=("float32", "float64", "int64", "int32"), keepdim=(True, False)))
    return call(function, x, axis=_axes(context, x), **options(context, keepdim=(True, False)))


@maker(*prefixed("paddle.", "cumsum cumprod logcumsumexp cummax cummin"))
def _scan(context: Context, function: str) -> Data:
    x = context.tensor(0, 3, dtypes=_REAL)
    more = options(context, dtype=("int32", "int64") if "cumm" in function else ("float32", "float64", "int64"))
    more["dim" if function.endswith("cumprod") else "axis"] = context.choice((None, context.axis(x)))
    return call(function, x, **more)


@maker(*prefixed("paddle.", "quantile nanquantile median nanmedian"))
def _quantile(context: Context, function: str) -> Data:
    x = context.tensor(0, 3, dtypes=("float32", "float64", "int64"), empty=False)
    more: Dict[str, Any] = {"axis": _axes(context, x) if "median" not in function else context.choice((None, context.axis(x))), "keepdim": context.maybe()}
    if function.endswith("median"):
        return call(function, x, **more, **options(context, mode=("avg", "min")))
    more.update(options(context, interpolation=("linear", "lower", "higher", "midpoint", "nearest")) if context.maybe(0.3) else {})
    return call(function, x, context.choice((0, 1, 0.5, 0.3, [0.2], [0.1, 0.9], {"tuple": [0.0, 1.0]})), **more)


@maker(*prefixed("paddle.", "argsort sort topk kthvalue mode argmax argmin msort"))
def _order(context: Context, function: str) -> Data:
    x = context.tensor(0, 3, dtypes=_REAL, unique=True, range=[-20, 20], empty=False)
    name, axis = function.rpartition(".")[2], context.axis(x)
    size = x.shape[axis] if x.rank else 1
    if name in ("argsort", "sort"):
        return call(function, x, **options(context, axis=(axis,), descending=(True, False), stable=(True,) if context.maybe(0.2) else ()))
    if name == "topk":
        k: Any = context.integer(1, size)
        if context.maybe(0.3):
            k = context.new(context.choice(([], [1])), context.choice(("int64", "int32")), values=None, range=[k, k, True])
        return call(function, x, k, **options(context, axis=(axis,), largest=(True, False), sorted=(True,)))
    if name == "kthvalue":
        return call(function, x, context.integer(1, size), **options(context, axis=(axis,), keepdim=(True, False)))
    if name == "mode":
        return call(function, context.new(x.shape, x.dtype, range=[0, 3]), **options(context, axis=(axis,), keepdim=(True, False)))
    if name == "msort":
        return call(function, x)
    return call(function, x, **options(context, axis=(axis, None), keepdim=(True, False), dtype=("int32", "int64")))


@maker("paddle.diff")
def _diff(context: Context) -> Data:
    x = context.tensor(1, 3, dtypes=("float32", "int64", "bool", "float64"))
    axis = context.axis(x)
    more: Dict[str, Any] = options(context, n=(1, 2, 3))
    for name in ("prepend", "append"):
        if context.maybe(0.3):
            shape = list(x.shape)
            shape[axis] = context.integer(1, 2)
            more[name] = context.new(shape, x.dtype)
    return call("paddle.diff", x, axis=axis, **more)


@maker("paddle.trapezoid", "paddle.cumulative_trapezoid")
def _trapezoid(context: Context, function: str) -> Data:
    y = context.tensor(1, 3, empty=False)
    axis = context.axis(y)
    choice = context.integer(0, 2)
    if not choice:
        return call(function, y, axis=axis)
    if choice == 1:
        return call(function, y, dx=context.choice((0.5, 2.0)), axis=axis)
    return call(function, y, context.new(y.shape if context.maybe() else [y.shape[axis]]), axis=axis)


@maker("paddle.unique", "paddle.unique_consecutive")
def _unique(context: Context, function: str) -> Data:
    x = context.tensor(0, 3, dtypes=("int64", "int32", "float32", "float64"), empty=False, range=[0, 3] if context.maybe() else None)
    more = options(context, return_inverse=(True, False), return_counts=(True, False), axis=(context.axis(x), None), dtype=("int32", "int64"))
    if function.endswith("unique"):
        more.update(options(context, return_index=(True, False)))
    return call(function, x, **more)


@maker("paddle.histogram", "paddle.bincount", "paddle.histogramdd", "paddle.histogram_bin_edges")
def _counts(context: Context, function: str) -> Data:
    if function.endswith("bincount"):
        x = context.new([context.choice((0, 1, 4))], context.choice(("int64", "int32")), range=[0, 5])
        more = {"weights": context.new(x.shape, context.choice(("float32", "float64", "int64", "int32")))} if context.maybe() else {}
        return call(function, x, **more, **options(context, minlength=(0, 2, 9)))
    x = context.tensor(0, 2, dtypes=_REAL)
    return call(function, x, **options(context, bins=(1, 5, 100), min=(-1, 0), max=(1, 3)))


@maker(*prefixed("paddle.linalg.", "norm vector_norm matrix_norm"))
def _norm(context: Context, function: str) -> Data:
    x = context.tensor(1, 4, dtypes=("float32", "float64"), empty=False)
    keepdim = options(context, keepdim=(True, False))
    orders: Any = (1, 2, 3, 0, 0.5, 1.5, -1, -2, {"float": "inf"}, {"float": "-inf"})
    if function.endswith("vector_norm"):
        return call(function, x, context.choice(orders), axis=_axes(context, x), **keepdim)
    pair = context.rng.sample(range(-x.rank, 0), 2) if x.rank > 1 else context.axis(x)
    if function.endswith("matrix_norm") or isinstance(pair, list) and context.maybe(0.6):
        return call(function, x, context.choice(("fro", "nuc", 1, -1, 2, -2, {"float": "inf"}, {"float": "-inf"})), axis=pair, **keepdim)
    return call(function, x, context.choice((*orders, "fro")), axis=context.choice((None, context.axis(x))), **keepdim)


@maker(*prefixed("paddle.", "searchsorted bucketize isin"))
def _search(context: Context, function: str) -> Data:
    dtype = context.choice(_REAL)
    values = context.tensor(0, 3, dtypes=(dtype,), range=[-3, 4])
    if function.endswith("isin"):
        return call(function, values, context.new(context.shape(0, 2), dtype, range=[-3, 4]), **options(context, invert=(True, False), assume_unique=(False,)))
    order = context.new([context.choice((0, 1, 4))], dtype, sorted=True, range=[-3, 4])
    more = options(context, out_int32=(True, False), right=(True, False))
    return call(function, *((values, order) if function.endswith("bucketize") else (order, values)), **more)
