"""Decompositions and solvers, where they can be converted, and products in all forms."""
from ..cases import Data
from ..context import Context, options
from .registry import call, maker, prefixed

_FLOATS = ("float32", "float32", "float64")


@maker(*prefixed("paddle.linalg.", "cond matrix_rank pinv qr svd eigh eigvalsh lu inv det slogdet matrix_exp svdvals cholesky_inverse"))
def _decompositions(context: Context, function: str) -> Data:
    name, size = function.rpartition(".")[2], context.integer(1, 3)
    columns = size if name not in ("pinv", "qr", "svd", "matrix_rank", "lu", "svdvals") else context.integer(1, 3)
    x = context.new([*([context.integer(1, 2)] if context.maybe(0.4) else []), size, columns], context.choice(_FLOATS))
    if name == "cond":
        return call(function, x, context.choice((None, "fro", 1, -1, {"float": "inf"}, {"float": "-inf"})))
    if name == "matrix_rank":
        return call(function, x, **options(context, tol=(0.1,)))
    return call(function, x)


@maker(*prefixed("paddle.linalg.", "solve triangular_solve cholesky_solve"))
def _solvers(context: Context, function: str) -> Data:
    size, dtype = context.integer(1, 3), context.choice(_FLOATS)
    batch = [context.integer(1, 2)] if context.maybe() else []
    x = context.new([*batch, size, size], dtype, range=[0.5, 2])
    y = context.new([*([] if context.maybe(0.2) else batch), size, context.integer(1, 2)], dtype)
    if function.endswith("cholesky_solve"):
        return call(function, y, x, **options(context, upper=(True, False)))
    return call(function, x, y, **options(context, upper=(True, False), transpose=(True, False), unitriangular=(True, False)) if function.endswith("triangular_solve") else {})


@maker(*prefixed("paddle.linalg.", "cov corrcoef"))
def _cov(context: Context, function: str) -> Data:
    x = context.tensor(1, 2, dtypes=("float32", "float64"), empty=False)
    more = options(context, rowvar=(True, False))
    if function.endswith("cov"):
        more.update(options(context, ddof=(True, False)))
        count = x.shape[-1 if more.get("rowvar", True) or x.rank == 1 else 0]
        if context.maybe(0.3):
            more["fweights"] = context.new([count], "int64", range=[1, 4])
        if context.maybe(0.3):
            more["aweights"] = context.new([count], x.dtype, range=[0.1, 1])
    return call(function, x, **more)


@maker(*prefixed("paddle.", "addmm baddbmm outer inner kron dot cross mv dist cdist pdist vecdot renorm"))
def _products(context: Context, function: str) -> Data:
    name = function.rpartition(".")[2]
    x = context.tensor(2, 2, dtypes=("float32", "float64"), empty=False)
    if name in ("addmm", "baddbmm"):
        batch = [2] if name == "baddbmm" else []
        x, y = context.new([*batch, 2, 3], x.dtype), context.new([*batch, 3, 4], x.dtype)
        bias = context.new([*batch, *context.choice(([2, 4], [1, 4], [2, 1], [1, 1]))], x.dtype)
        return call(function, bias, x, y, **options(context, alpha=(0.5, 0.0, -1.0), beta=(0.0, 2.0)))
    if name in ("outer", "inner", "kron", "vecdot"):
        x = context.tensor(0 if name != "kron" else 1, 3, dtypes=("float32", "int64", "float64"))
        y = context.new([*context.shape(0, 1), x.shape[-1]] if name == "inner" and x.rank else x.shape if name == "vecdot" else context.shape(0 if name == "outer" else 1, 2), x.dtype)
        return call(function, x, y)
    if name in ("dot", "cross"):
        x = context.tensor(1, 3, dtypes=("float32", "int64", "int32", "float64"), empty=False)
        if name == "cross":
            shape = list(x.shape)
            axis = context.axis(x)
            shape[axis] = 3
            return call(function, context.new(shape, x.dtype), context.new(shape, x.dtype), axis=axis)
        return call(function, x, context.new(x.shape, x.dtype))
    if name == "mv":
        return call(function, x, context.new([x.shape[1]], x.dtype))
    if name == "dist":
        return call(function, x, context.broadcast(x), context.choice((0, 1, 2, 0.5, 3.5, {"float": "inf"}, {"float": "-inf"})))
    if name == "pdist":
        return call(function, x, context.choice((0.0, 1.0, 2.0, 3.5, {"float": "inf"})))
    if name == "renorm":
        return call(function, x, context.choice((0.5, 1.0, 2.0, 3.0)), context.axis(x), context.choice((0.2, 1.0, 5.0)))
    more = options(context, compute_mode=("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"))
    batch = [context.integer(1, 2)] if context.maybe() else []
    x = context.new([*batch, *x.shape], x.dtype)
    y = context.new([*([1] if batch and context.maybe() else batch), context.integer(1, 4), x.shape[-1]], x.dtype)
    return call(function, x, y, p=context.choice((0.0, 1.0, 2.0, 0.5, 3.0, {"float": "inf"})), **more)


@maker("paddle.einsum")
def _einsum(context: Context) -> Data:
    sizes = {letter: context.integer(1, 3) for letter in "abcdij"}
    terms = ["".join(context.rng.sample("abcd", context.integer(1, 3))) for _ in range(context.integer(1, 3))]
    letters = sorted(set("".join(terms)))
    result = "->" + "".join(context.rng.sample(letters, context.integer(0, len(letters)))) if context.maybe(0.8) else ""
    dots = context.maybe(0.2)
    batch = [context.integer(1, 2)]
    equation = ",".join(("..." if dots else "") + term for term in terms) + (result.replace("->", "->...") if dots and result else result)
    return call("paddle.einsum", equation, *(context.new([*(batch if dots else []), *(sizes[letter] for letter in term)]) for term in terms))


@maker("paddle.linalg.multi_dot")
def _multi_dot(context: Context) -> Data:
    sizes = [context.integer(1, 4) for _ in range(context.integer(3, 6))]
    shapes = [[a, b] for a, b in zip(sizes, sizes[1:])]
    if context.maybe(0.3):
        shapes[0] = shapes[0][1:]
    if context.maybe(0.3):
        shapes[-1] = shapes[-1][:1]
    return call("paddle.linalg.multi_dot", [context.new(shape) for shape in shapes])
