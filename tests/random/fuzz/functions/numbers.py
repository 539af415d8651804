"""Rarer functions of numbers, other dtypes, and methods of tensors."""
from typing import Any, Dict

from ..cases import Data
from ..context import Context, options
from .registry import call, maker, prefixed

_REAL = ("float32", "float64", "int64", "int32")
_SMALL = ("int8", "uint8", "int16", "float16")
_WHOLE = ("int64", "int32", "uint8", "int8", "int16")


@maker(*prefixed("paddle.", "add subtract multiply divide maximum minimum floor_divide mod floor_mod pow fmax fmin equal not_equal less_than greater_equal"))
def _other_dtypes(context: Context, function: str) -> Data:
    x = context.tensor(0, 4, dtypes=(*_REAL, *_SMALL))
    x = context.new(x.shape, context.choice((*_REAL, *_SMALL)), range=[-6, 6] if x.dtype not in ("uint8",) else [0, 6]) if context.maybe() else x
    name = function.rpartition(".")[2]
    low = 1 if x.dtype == "uint8" else -3
    y = context.broadcast(x, range=[low, 4], nonzero=True if name in ("divide", "floor_divide", "mod", "floor_mod") else None)
    if name == "pow":
        x, y = context.tensor(0, 3, dtypes=_REAL, range=[-3, 3]), context.choice((0, 1, 2, 3, -1, -2, 0.5, 2.5, -1.5, {"float": "nan"}))
    return call(function, x, y)


@maker(*prefixed("paddle.", "add subtract multiply divide matmul"))
def _complex(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, dtypes=("complex64", "complex128"))
    if function.endswith("matmul"):
        return call(function, x, context.new([x.shape[-1], context.integer(1, 3)], x.dtype))
    return call(function, x, context.broadcast(x))


@maker(*prefixed("paddle.", "abs angle conj real imag exp sin cos tanh square neg sqrt log reciprocal rsqrt sigmoid expm1 sum mean cumsum reshape transpose flatten concat "
                            "squeeze unsqueeze tile flip sgn isnan isfinite prod"))
def _of_complex(context: Context, function: str) -> Data:
    x = context.tensor(1, 3, dtypes=("complex64", "complex128"))
    name = function.rpartition(".")[2]
    more: Dict[str, Any] = {
        "reshape": {"shape": [-1]}, "transpose": {"perm": list(range(x.rank))[::-1]}, "unsqueeze": {"axis": context.axis(x)}, "flip": {"axis": context.axis(x)},
        "tile": {"repeat_times": [2]}, "sum": {"axis": context.axis(x)}, "mean": {"axis": context.axis(x)}, "prod": {"axis": context.axis(x)}, "cumsum": {"axis": context.axis(x)},
    }
    return call(function, [x, x] if name == "concat" else x, **more.get(name, {}))


@maker(*prefixed("paddle.", "hypot logaddexp nextafter gcd lcm atan2 copysign heaviside ldexp"))
def _pairs(context: Context, function: str) -> Data:
    whole = function.endswith(("gcd", "lcm"))
    x = context.tensor(0, 3, dtypes=("int64", "int32") if whole else ("float32", "float64", "int64"))
    y = context.new(x.shape, x.dtype) if function.endswith("atan2") else context.broadcast(x, range=[-9, 9] if whole else None)
    return call(function, x, y)


@maker(*prefixed("paddle.", "frexp multigammaln i0 i1 signbit sinc gammaln isposinf isneginf isreal positive"))
def _single(context: Context, function: str) -> Data:
    domain = [1.5, 5] if function.endswith(("multigammaln", "gammaln")) else [-5, 5]
    x = context.tensor(0, 3, dtypes=("float32", "float64"), range=domain)
    return call(function, x, *([context.integer(1, 2)] if function.endswith("multigammaln") else []))


@maker(*prefixed("paddle.", "gammainc gammaincc bitwise_left_shift bitwise_right_shift less_equal"))
def _newer_pairs(context: Context, function: str) -> Data:
    if "shift" in function:
        x = context.tensor(0, 3, dtypes=_WHOLE, range=[0, 20])
        return call(function, x, context.broadcast(x, range=[0, 4]), **options(context, is_arithmetic=(True, False)))
    x = context.tensor(0, 3, dtypes=("float32", "float64"), range=[0.5, 5])
    return call(function, x, context.broadcast(x, range=[0.1, 5]))


@maker("paddle.polar")
def _polar(context: Context) -> Data:
    x = context.tensor(0, 3, dtypes=("float32", "float64"), range=[0.1, 3])
    return call("paddle.polar", x, context.new(x.shape, x.dtype, range=[-4, 4]))


@maker("paddle.nan_to_num", "paddle.stanh", "paddle.logit", "paddle.round")
def _arguments(context: Context, function: str) -> Data:
    x = context.tensor(0, 3, dtypes=("float32", "float64"), range=[-2, 2])
    if function.endswith("nan_to_num"):
        x = context.new([4], values=["nan", "inf", "-inf", 1.5]) if context.maybe() else x
        return call(function, x, **options(context, nan=(1.0,), posinf=(5.0,), neginf=(-5.0,)))
    if function.endswith("stanh"):
        return call(function, x, **options(context, scale_a=(0.3, 2.0), scale_b=(1.0, -1.0)))
    if function.endswith("logit"):
        return call(function, x, **options(context, eps=(1e-3, 0.2)))
    return call(function, x)


@maker("paddle.scale", "paddle.clip", "paddle.lerp", "paddle.where", "paddle.cast")
def _tensors_for_numbers(context: Context, function: str) -> Data:
    x = context.tensor(0, 3, dtypes=_REAL, range=[-4, 4])
    name = function.rpartition(".")[2]
    if name == "scale":
        number = context.new(context.choice(([], [1])), values=None, dtype="float32")
        return call(function, x, scale=number, **options(context, bias=(1.0,), bias_after_scale=(True, False), act=("relu", "tanh")))
    if name == "clip":
        bounds = [context.new(context.choice(([], [1])), x.dtype, range=[-3, 0]) if context.maybe() else -1, context.new([1], x.dtype, range=[1, 4]) if context.maybe() else 2]
        return call(function, x, *bounds)
    if name == "lerp":
        x = context.tensor(0, 3)
        return call(function, x, context.broadcast(x), context.broadcast(x))
    if name == "where":
        condition = context.broadcast(context.new(x.shape, "bool"))
        return call(function, condition, x, context.choice((0.0, 1.5, context.broadcast(x)))) if context.maybe() else call(function, condition)
    x = context.tensor(0, 3, dtypes=(*_REAL, *_SMALL, "bool"), range=[-4, 4])
    return call(function, x, context.choice(("float32", "int32", "int64", "bool", "float64", "uint8", "int8", "float16", "int16")))


@maker(*prefixed("Tensor.", "__and__ __or__ __xor__ __invert__ __matmul__ __rpow__ __rmul__ astype __lt__ __ge__ add_ subtract_ multiply_ clip_ scale_ "
                            "exp_ sqrt_ tanh_ floor_ ceil_ round_ reciprocal_ rsqrt_ reshape_ squeeze_ unsqueeze_ flatten_ fill_diagonal_ fill_diagonal_tensor fill_ zero_ norm cov T mT"))
def _methods(context: Context, function: str) -> Data:
    name = function.partition(".")[2]
    if name in ("__and__", "__or__", "__xor__", "__invert__"):
        x = context.tensor(0, 3, dtypes=("bool", *_WHOLE))
        return call(function, x, *([] if name == "__invert__" else [context.broadcast(x)]))
    if name == "__matmul__":
        x = context.tensor(1, 3)
        return call(function, x, context.new([x.shape[-1], context.integer(1, 3)]))
    if name in ("__rpow__", "__rmul__", "__lt__", "__ge__"):
        x = context.tensor(0, 3, dtypes=_REAL, range=[1, 4])
        return call(function, x, context.choice((2, 3, 0.5, 2.5, -2, True)))
    if name == "astype":
        return call(function, context.tensor(0, 3, dtypes=(*_REAL, "bool")), context.choice(("float32", "int64", "bool", "float64", "int32")))
    if name in ("fill_diagonal_", "fill_diagonal_tensor"):
        x = context.tensor(2, 2 if name == "fill_diagonal_" else 3, empty=False)
        if name == "fill_diagonal_":
            return call("in_place", name, x, 1.5, **options(context, offset=(-1, 0, 1), wrap=(True, False)))
        size = min(x.shape[:2])
        return call(function, x, context.new([*x.shape[2:], size]))
    x = context.tensor(1, 3, range=[0.2, 4], empty=False)
    if name in ("T", "mT"):
        return call("attribute", x, name)
    arguments: Dict[str, Any] = {
        "add_": [x], "subtract_": [x], "multiply_": [x], "clip_": [0.5, 2.0], "scale_": [2.0, 1.0], "reshape_": [[-1]], "unsqueeze_": [0], "fill_": [2.5],
    }
    return call("in_place", name, x, *arguments.get(name, [])) if name.endswith("_") else call(function, x)
