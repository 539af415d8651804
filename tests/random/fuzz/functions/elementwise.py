"""Functions of one, two or three operands, element by element."""
from typing import Any, Dict, Tuple

from ..cases import Data
from ..context import Context, options
from .registry import NN, call, maker, prefixed

_ANY = ("float32", "int64", "int32", "float64")

# Where functions are defined; others take what there is.
_DOMAINS: Dict[str, Tuple[float, float]] = {
    "acos": (-1, 1), "asin": (-1, 1), "atanh": (-0.95, 0.95), "acosh": (1, 5), "log": (0.05, 5), "log2": (0.05, 5), "log10": (0.05, 5),
    "log1p": (-0.9, 5), "sqrt": (0, 5), "rsqrt": (0.05, 5), "lgamma": (0.1, 5), "digamma": (0.1, 5), "erfinv": (-0.95, 0.95),
    "reciprocal": (0.2, 3), "logit": (0.05, 0.95), "polygamma": (0.3, 4),
}


@maker(*prefixed("paddle.", "acos asin atan sinh cosh asinh acosh atanh sin cos tan tanh erf erfinv exp expm1 log log1p log10 log2 lgamma "
                            "digamma reciprocal rsqrt sqrt i0 i0e i1 i1e logit stanh frac rad2deg deg2rad"))
def _floats(context: Context, function: str) -> Data:
    domain = _DOMAINS.get(function.rpartition(".")[2])
    return call(function, context.tensor(range=list(domain)) if domain else context.tensor(range=[-4, 4]))


@maker(*prefixed("paddle.", "abs ceil floor round trunc sign neg square isnan isinf isfinite angle nan_to_num logical_not"))
def _numbers(context: Context, function: str) -> Data:
    return call(function, context.tensor(dtypes=_ANY, range=[-5, 5]))


@maker(*prefixed("paddle.", "real imag conj angle abs"))
def _complexes(context: Context, function: str) -> Data:
    return call(function, context.tensor(dtypes=("complex64",)))


@maker("paddle.sgn", "paddle.nn.functional.sigmoid", "paddle.nn.functional.log_sigmoid")
def _plain(context: Context, function: str) -> Data:
    return call(function, context.tensor(range=[-5, 5]))


@maker(*prefixed(NN, "relu relu6 selu celu elu silu mish hardswish hardsigmoid hardtanh tanhshrink softsign gelu softplus swish "
                     "hardshrink softshrink leaky_relu thresholded_relu rrelu tanh"))
def _activations(context: Context, function: str) -> Data:
    x = context.tensor(range=[-4, 4])
    name = function.rpartition(".")[2]
    more: Dict[str, Dict[str, Any]] = {
        "celu": {"alpha": (0.5, 1.0, 2.0)}, "elu": {"alpha": (0.5, 1.0, 2.0)}, "gelu": {"approximate": (True, False)},
        "hardtanh": {"min": (-2.0, -0.5), "max": (0.5, 3.0)}, "hardsigmoid": {"slope": (0.1, 0.25), "offset": (0.0, 0.4)},
        "softplus": {"beta": (0.5, 2), "threshold": (1, 15)}, "hardshrink": {"threshold": (0.0, 1.0)}, "softshrink": {"threshold": (0.0, 1.0)},
        "leaky_relu": {"negative_slope": (0.0, 0.3, -0.5)}, "thresholded_relu": {"threshold": (0.0, 0.5, -1.0)},
        "selu": {"scale": (1.5,), "alpha": (1.2,)}, "rrelu": {"lower": (0.1,), "upper": (0.3, 0.5)},
    }
    return call(function, x, **options(context, **more.get(name, {})))


@maker("paddle.nn.functional.prelu")
def _prelu(context: Context) -> Data:
    x = context.tensor(2, 5)
    layout = context.choice(("NCHW", "NCHW", "NHWC"))
    channels = x.shape[1 if layout == "NCHW" else -1]
    return call(NN + "prelu", x, context.new([context.choice((1, channels))]), data_format=layout)


@maker("paddle.nn.functional.glu")
def _glu(context: Context) -> Data:
    shape = list(context.shape(1, 4))
    axis = context.integer(-len(shape), len(shape) - 1)
    shape[axis] *= 2
    return call(NN + "glu", context.new(shape), axis=axis)


@maker("paddle.nn.functional.maxout")
def _maxout(context: Context) -> Data:
    groups, channels = context.choice((1, 2, 3)), context.choice((1, 2))
    axis = context.choice((1, 3, -1))
    shape = [context.size(), context.size(), context.size(), context.size()]
    shape[axis] = groups * channels
    return call(NN + "maxout", context.new(shape), groups, axis=axis)


@maker(*prefixed(NN, "softmax log_softmax"))
def _softmax(context: Context, function: str) -> Data:
    x = context.tensor(0, 5)
    return call(function, x, axis=context.axis(x))


@maker(*prefixed("paddle.", "add subtract multiply divide maximum minimum fmax fmin mod remainder floor_divide pow"))
def _arithmetic(context: Context, function: str) -> Data:
    name = function.rpartition(".")[2]
    x = context.tensor(dtypes=_ANY)
    if name in ("mod", "remainder", "floor_divide", "divide"):
        y = context.broadcast(x, range=[0.5, 3] if x.dtype.startswith("float") else [1, 4, True])
    elif name == "pow":
        x = context.tensor(dtypes=_ANY, range=[0.3, 3])
        if context.maybe():
            return call(function, x, context.choice((2, 0.5, 3, -1.0, 0, 2.0, 1)))
        y = context.broadcast(x, range=[0, 4])
    else:
        y = context.broadcast(x)
    return call(function, *((x, y) if context.maybe(0.8) else (y, x)))


@maker(*prefixed("Tensor.", "__add__ __sub__ __mul__ __truediv__ __rsub__ __rtruediv__ __radd__ __pow__ __mod__ __floordiv__ __gt__ __le__ __eq__ "
                            "__ne__ __neg__"))
def _operators(context: Context, function: str) -> Data:
    x = context.tensor(dtypes=_ANY, range=[0.3, 4])
    if function == "Tensor.__neg__":
        return call(function, x)
    return call(function, x, context.choice((1, 2, 3, 0.5, 2.0, 1.5)))


@maker(*prefixed("paddle.", "equal not_equal less_than less_equal greater_than greater_equal"))
def _comparisons(context: Context, function: str) -> Data:
    x = context.tensor(dtypes=_ANY)
    return call(function, x, context.broadcast(x))


@maker(*prefixed("paddle.", "logical_and logical_or logical_xor"))
def _logical(context: Context, function: str) -> Data:
    x = context.tensor(dtypes=("bool", "int64", "float32"))
    return call(function, x, context.broadcast(x))


@maker(*prefixed("paddle.", "bitwise_and bitwise_or bitwise_xor"))
def _bitwise(context: Context, function: str) -> Data:
    x = context.tensor(dtypes=("int64", "int32", "bool", "uint8"))
    return call(function, x, context.broadcast(x))


@maker("paddle.bitwise_not")
def _bitwise_not(context: Context) -> Data:
    return call("paddle.bitwise_not", context.tensor(dtypes=("int64", "int32", "bool", "uint8")))


@maker(*prefixed("paddle.", "atan2 heaviside copysign dist"))
def _pairs(context: Context, function: str) -> Data:
    x = context.tensor()
    if function.endswith("dist"):
        return call(function, x, context.broadcast(x), context.choice((0, 1, 2, 3, {"float": "inf"}, {"float": "-inf"})))
    if function.endswith("atan2"):  # broadcasts by reading what is not there
        return call(function, x, context.new(x.shape))
    return call(function, x, context.broadcast(x))


@maker("paddle.ldexp")
def _ldexp(context: Context) -> Data:
    x = context.tensor()
    return call("paddle.ldexp", x, context.new(x.shape, "int32", range=[-2, 4]))


@maker(*prefixed("paddle.", "isclose allclose"))
def _close(context: Context, function: str) -> Data:
    x = context.tensor(range=[0, 1])
    y = context.new(x.shape, x.dtype, range=[0, 1])
    return call(function, x, y, rtol=context.choice((1e-5, 0.3)), atol=context.choice((1e-8, 0.2)), equal_nan=context.maybe())


@maker("paddle.equal_all")
def _equal_all(context: Context) -> Data:
    x = context.tensor(dtypes=_ANY)
    return call("paddle.equal_all", x, x if context.maybe(0.3) else context.broadcast(x))


@maker("paddle.lerp")
def _lerp(context: Context) -> Data:
    x = context.tensor()
    return call("paddle.lerp", x, context.new(x.shape), context.number(0, 1) if context.maybe() else context.new(x.shape))


@maker("paddle.clip")
def _clip(context: Context) -> Data:
    x = context.tensor(dtypes=_ANY)
    low, high = context.choice(((-1, 1), (-0.5, 0.5), (0, 2), (None, 0.3), (-0.2, None), (1, 1)))
    bounds = {"min": low, "max": high}
    if x.dtype == "float32" and context.maybe(0.2):
        name = context.choice(("min", "max"))
        if bounds[name] is not None:
            bounds[name] = context.new([1], values=[float(bounds[name])]).ref
    return call("paddle.clip", x, **bounds)


@maker("paddle.scale")
def _scale(context: Context) -> Data:
    x = context.tensor(dtypes=_ANY)
    more = options(context, scale=(2.0, 0.5, -1.5), bias=(1.0, -0.25), bias_after_scale=(True, False))
    return call("paddle.scale", x, **more)


@maker("paddle.cast")
def _cast(context: Context) -> Data:
    x = context.tensor(dtypes=(*_ANY, "bool", "uint8"), range=[0, 4])
    return call("paddle.cast", x, context.choice(("float32", "int32", "int64", "bool", "float64", "uint8", "int8", "float16")))


@maker("paddle.where")
def _where(context: Context) -> Data:
    condition = context.tensor(dtypes=("bool",))
    x = context.new([size if context.maybe(0.8) else 1 for size in condition.shape], context.choice(_ANY))
    return call("paddle.where", condition, x, context.broadcast(x))


@maker("paddle.assign")
def _assign(context: Context) -> Data:
    return call("paddle.assign", context.tensor(dtypes=(*_ANY, "bool")))


@maker("paddle.increment")
def _increment(context: Context) -> Data:
    return call("paddle.increment", context.new([1], context.choice(("float32", "int64"))), context.choice((1, 2, -1)))


@maker(*prefixed("paddle.", "zeros_like ones_like"))
def _like(context: Context, function: str) -> Data:
    return call(function, context.tensor(dtypes=(*_ANY, "bool")), **options(context, dtype=("float32", "int64", "bool")))


@maker("paddle.full_like")
def _full_like(context: Context) -> Data:
    return call("paddle.full_like", context.tensor(dtypes=_ANY), context.choice((0, 1.5, -2)), **options(context, dtype=("float32", "int64")))


@maker("paddle.nn.functional.dropout")
def _dropout(context: Context) -> Data:
    return call(NN + "dropout", context.tensor(), p=context.choice((0.0, 0.3, 0.5)), training=False, mode=context.choice(("upscale_in_train", "downscale_in_infer")))


@maker("paddle.add_n")
def _add_n(context: Context) -> Data:
    x = context.tensor(dtypes=_ANY)
    return call("paddle.add_n", [x, *(context.new(x.shape, x.dtype) for _ in range(context.integer(0, 2)))])


@maker("paddle.multiplex")
def _multiplex(context: Context) -> Data:
    x = context.tensor(2, 3, empty=False)
    count = context.integer(1, 3)
    others = [context.new(x.shape, x.dtype) for _ in range(count)]
    return call("paddle.multiplex", [x, *others], context.new([x.shape[0], 1], "int32", range=[0, count, True]))


@maker("paddle.complex")
def _complex(context: Context) -> Data:
    x = context.tensor()
    return call("paddle.complex", x, context.new(x.shape))


@maker("paddle.polygamma")
def _polygamma(context: Context) -> Data:
    return call("paddle.polygamma", context.tensor(range=[0.5, 4]), context.integer(0, 3))


@maker("paddle.nn.functional.label_smooth")
def _label_smooth(context: Context) -> Data:
    x = context.tensor(2, 3)
    more = {"prior_dist": context.new([1, x.shape[-1]])} if context.maybe(0.3) else {}
    return call(NN + "label_smooth", x, epsilon=context.choice((0.1, 0.5)), **more)


