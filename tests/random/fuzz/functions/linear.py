"""Products of matrices, and paddle.linalg."""
from ..cases import Data
from ..context import Context, options
from .registry import NN, call, maker, prefixed


@maker("paddle.matmul")
def _matmul(context: Context) -> Data:
    x = context.tensor(1, 4, dtypes=("float32", "float64"))
    before = bool(context.maybe(0.3))
    after = bool(context.maybe(0.3))
    inner = x.shape[0] if x.rank == 1 else x.shape[-2] if before else x.shape[-1]
    other = [inner] if context.maybe(0.2) else [context.size(), inner] if after else [inner, context.size()]
    if len(other) == 2 and context.maybe(0.4):
        other = [1 if context.maybe(0.3) else size for size in x.shape[:-2]] + other
    return call("paddle.matmul", x, context.new(other, x.dtype), transpose_x=before, transpose_y=after)


@maker(*prefixed("paddle.", "bmm mm"))
def _bmm(context: Context, function: str) -> Data:
    x = context.tensor(3, 3) if function.endswith("bmm") else context.tensor(2, 2)
    return call(function, x, context.new([*x.shape[:-2], x.shape[-1], context.size()]))


@maker("paddle.mv")
def _mv(context: Context) -> Data:
    x = context.tensor(2, 2)
    return call("paddle.mv", x, context.new([x.shape[1]]))


@maker("paddle.dot")
def _dot(context: Context) -> Data:
    x = context.tensor(1, 2, dtypes=("float32", "int64"))
    return call("paddle.dot", x, context.new(x.shape, x.dtype))


@maker(*prefixed("paddle.", "inner outer kron"))
def _products(context: Context, function: str) -> Data:
    x = context.tensor(1, 3)
    name = function.rpartition(".")[2]
    if name == "inner":
        return call(function, x, context.new([*context.shape(0, 1), x.shape[-1]]))
    return call(function, x, context.tensor(1, 2, fresh=True))


@maker("paddle.cross")
def _cross(context: Context) -> Data:
    x = context.tensor(1, 3, empty=False)
    shape = list(x.shape)
    shape[context.integer(0, x.rank - 1)] = 3
    x, y = context.new(shape), context.new(shape)
    return call("paddle.cross", x, y, **options(context, axis=([axis for axis, size in enumerate(shape) if size == 3][:1])))


@maker("paddle.addmm")
def _addmm(context: Context) -> Data:
    x = context.tensor(2, 2)
    columns = context.size()
    y = context.new([x.shape[1], columns])
    bias = context.new(context.choice(([x.shape[0], columns], [1, columns], [columns], [1])))
    return call("paddle.addmm", bias, x, y, **options(context, alpha=(2.0, 0.5), beta=(0.0, 1.5)))


@maker("paddle.nn.functional.linear")
def _linear(context: Context) -> Data:
    x = context.tensor(1, 4)
    columns = context.size()
    weight = context.new([x.shape[-1], columns])
    return call(NN + "linear", x, weight, **({"bias": context.new([columns])} if context.maybe() else {}))


@maker("paddle.nn.functional.bilinear")
def _bilinear(context: Context) -> Data:
    x, y = context.tensor(2, 2), context.integer(1, 3)
    out = context.integer(1, 3)
    bias = {"bias": context.new([1, out])} if context.maybe() else {}
    return call(NN + "bilinear", x, context.new([x.shape[0], y]), context.new([out, x.shape[1], y]), **bias)


@maker("paddle.einsum")
def _einsum(context: Context) -> Data:
    size = {letter: context.integer(1, 4) for letter in "ijkb"}
    equation = context.choice(("ij,jk->ik", "ij,ij->", "bij,bjk->bik", "ij->ji", "ij->i", "i,j->ij", "bij,bkj->bik", "...ij,...jk->...ik", "ij,j->i", "ii->i", "ij,kj"))
    left = equation.partition("->")[0].replace("...", "")
    return call("paddle.einsum", equation, *(context.new([size[letter] for letter in term]) for term in left.split(",")))


@maker("paddle.linalg.multi_dot")
def _multi_dot(context: Context) -> Data:
    sizes = [context.integer(1, 4) for _ in range(context.integer(3, 5))]
    return call("paddle.linalg.multi_dot", [context.new([a, b]) for a, b in zip(sizes, sizes[1:])])


@maker(*prefixed("paddle.linalg.", "inv det slogdet"))
def _square(context: Context, function: str) -> Data:
    size = context.integer(1, 4)
    return call(function, context.new([*[max(n, 1) for n in context.shape(0, 2)], size, size]))


@maker("paddle.linalg.matrix_power")
def _matrix_power(context: Context) -> Data:
    size = context.integer(1, 4)
    return call("paddle.linalg.matrix_power", context.new([*context.shape(0, 1), size, size]), context.choice((0, 1, 2, 3, 5, -1)))


@maker("paddle.linalg.cholesky")
def _cholesky(context: Context) -> Data:
    values = context.choice(([[4.0, 1.0], [1.0, 3.0]], [[2.0, 0.5, 0.1], [0.5, 3.0, 0.2], [0.1, 0.2, 1.5]]))
    return call("paddle.linalg.cholesky", context.new([len(values)] * 2, values=values), upper=context.maybe())


@maker(*prefixed("paddle.linalg.", "solve triangular_solve"))
def _solve(context: Context, function: str) -> Data:
    size, batch = context.integer(1, 4), [max(n, 1) for n in context.shape(0, 1)]
    x = context.new([*batch, size, size], range=[0.5, 2])
    y = context.new([*batch, size, context.integer(1, 3)])
    if function.endswith("triangular_solve"):
        return call(function, x, y, **options(context, upper=(True, False), transpose=(True, False), unitriangular=(True, False)))
    return call(function, x, y)


@maker(*prefixed("paddle.linalg.", "cov corrcoef"))
def _cov(context: Context, function: str) -> Data:
    x = context.tensor(1, 2, empty=False)
    return call(function, x, **options(context, rowvar=(True, False)))


@maker("paddle.nn.functional.cosine_similarity")
def _cosine_similarity(context: Context) -> Data:
    x = context.tensor(1, 4)
    return call(NN + "cosine_similarity", x, context.new(x.shape), axis=context.axis(x))


@maker("paddle.nn.functional.pairwise_distance")
def _pairwise_distance(context: Context) -> Data:
    x = context.tensor(1, 2)
    return call(NN + "pairwise_distance", x, context.new(x.shape), p=context.choice((1.0, 2.0, 3.0)), keepdim=context.maybe(0.3))


@maker("paddle.cdist")
def _cdist(context: Context) -> Data:
    x = context.tensor(2, 3, empty=False)
    return call("paddle.cdist", x, context.new([*x.shape[:-2], context.integer(1, 4), x.shape[-1]]), p=context.choice((1.0, 2.0, 3.0)))


@maker("paddle.nn.functional.normalize")
def _normalize(context: Context) -> Data:
    x = context.tensor(1, 4)
    return call(NN + "normalize", x, p=context.choice((1, 2, 3)), axis=context.axis(x))


@maker("paddle.renorm")
def _renorm(context: Context) -> Data:
    x = context.tensor(2, 4)
    return call("paddle.renorm", x, context.choice((1.0, 2.0)), context.axis(x), context.choice((0.5, 2.0)))


@maker("paddle.nn.functional.scaled_dot_product_attention")
def _attention(context: Context) -> Data:
    batch, length, heads, size = (context.integer(1, 3) for _ in range(4))
    query = context.new([batch, length, heads, size])
    keys = context.integer(1, 4)
    key, value = context.new([batch, keys, heads, size]), context.new([batch, keys, heads, size])
    mask = {"attn_mask": context.new([batch, 1, length, keys])} if context.maybe(0.4) else {}
    return call(NN + "scaled_dot_product_attention", query, key, value, **mask)


@maker(*prefixed("paddle.fft.", "fft ifft rfft irfft hfft ihfft fft2 rfft2"))
def _fft(context: Context, function: str) -> Data:
    complexes = function.endswith((".ifft", ".irfft", ".hfft"))
    x = context.tensor(2, 3, dtypes=("complex64",) if complexes else ("float32",), empty=False)
    return call(function, x, **options(context, norm=("backward", "ortho", "forward"), n=(3, 4)) if "2" not in function else {})
