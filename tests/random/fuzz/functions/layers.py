"""Layers that hold parameters, and control flow."""
from typing import Any, Dict, List

from ..cases import Data
from ..context import Context, options
from .registry import NN, call, maker, prefixed

_LAYER = "paddle.nn."


def _layer(name: str, args: Any, kwargs: Any, *operands: Any) -> Data:
    return call("layer", name, list(args), [list(item) for item in kwargs.items()], *operands)


def _recurrent(context: Context) -> Data:
    kind = context.choice(("SimpleRNN", "LSTM", "GRU"))
    inputs, hidden, layers = context.integer(1, 3), context.integer(1, 3), context.integer(1, 2)
    batch, steps = context.integer(1, 3), context.integer(1, 4)
    more = options(context, direction=("forward", "bidirect"), time_major=(True, False))
    if kind == "SimpleRNN":
        more.update(options(context, activation=("tanh", "relu")))
    x = context.new([steps, batch, inputs] if more.get("time_major") else [batch, steps, inputs])
    operands: List[Any] = [x, None]
    if context.maybe(0.3):
        shape = [layers * (2 if more.get("direction") == "bidirect" else 1), batch, hidden]
        state = context.new(shape)
        operands[1] = {"tuple": [state, context.new(shape)]} if kind == "LSTM" else state
    if context.maybe(0.3):
        operands.append(context.new([batch], context.choice(("int64", "int32")), range=[1, steps, True]))
    return _layer(_LAYER + kind, (inputs, hidden, layers), more, *operands)


def _cell(context: Context) -> Data:
    kind = context.choice(("SimpleRNNCell", "LSTMCell", "GRUCell"))
    inputs, hidden, batch = context.integer(1, 3), context.integer(1, 3), context.integer(1, 3)
    state = context.new([batch, hidden])
    both = {"tuple": [state, context.new([batch, hidden])]} if kind == "LSTMCell" else state
    return _layer(_LAYER + kind, (inputs, hidden), {}, context.new([batch, inputs]), *([both] if context.maybe(0.7) else []))


def _attention(context: Context) -> Data:
    heads, size = context.integer(1, 2), context.integer(1, 2)
    batch, length, keys = context.integer(1, 2), context.integer(1, 3), context.integer(1, 3)
    query = context.new([batch, length, heads * size])
    more = options(context, need_weights=(True, False))
    operands: List[Any] = [query]
    if context.maybe():
        key = context.new([batch, keys, heads * size])
        operands += [key, key]
    else:
        operands += [query, query]
        keys = length
    if context.maybe(0.4):
        operands.append(context.new([batch, heads, length, keys], context.choice(("float32", "bool"))))
    return _layer(_LAYER + "MultiHeadAttention", (heads * size, heads), more, *operands)


def _transformer(context: Context) -> Data:
    heads, size = context.integer(1, 2), context.integer(1, 2)
    more = options(context, activation=("relu", "gelu"), normalize_before=(True, False))
    source = context.new([context.integer(1, 2), context.integer(1, 3), heads * size])
    kind = context.choice(("TransformerEncoderLayer", "TransformerDecoderLayer"))
    operands = [source]
    if kind == "TransformerDecoderLayer":
        operands.append(context.new([source.shape[0], context.integer(1, 3), heads * size]))
    return _layer(_LAYER + kind, (heads * size, heads, 4, 0.1), more, *operands)


def _normalised(context: Context) -> Data:
    dims, channels = context.integer(1, 3), context.integer(1, 4)
    kind = context.choice((f"BatchNorm{dims}D", f"InstanceNorm{dims}D", "GroupNorm", "SyncBatchNorm", "BatchNorm"))
    batch, spatial = context.integer(1, 2), [context.integer(1, 3) for _ in range(dims)]
    last = kind != f"InstanceNorm{dims}D" and context.maybe(0.3)
    layout = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}[dims][last]
    if kind in ("SyncBatchNorm", "BatchNorm"):
        layout = "NHWC" if last else "NCHW"
    more: Dict[str, Any] = {} if kind == f"InstanceNorm{dims}D" else {"data_layout" if kind == "BatchNorm" else "data_format": layout}
    args = (context.choice([n for n in (1, 2, 3, 4) if channels % n == 0]), channels) if kind == "GroupNorm" else (channels,)
    if kind == "BatchNorm":
        more.update(options(context, act=("relu", "sigmoid", "leaky_relu"), is_test=(True,)))
    x = context.new([batch, *spatial, channels] if last else [batch, channels, *spatial])
    return _layer(_LAYER + kind, args, more, x)


def _spectral(context: Context) -> Data:
    x = context.new([context.integer(1, 4) for _ in range(context.integer(2, 4))])
    return _layer(_LAYER + "SpectralNorm", (list(x.shape),), options(context, dim=(0, 1), power_iters=(1, 2, 0)), x)


def _others(context: Context) -> Data:
    x = context.tensor(2, 4, empty=False)
    return context.choice((
        lambda: _layer(_LAYER + "Softmax2D", (), {}, context.tensor(3, 4)),
        lambda: _layer(_LAYER + "Flatten", (), options(context, start_axis=(0, 1, -2), stop_axis=(-1, 1)), x),
        lambda: _layer(_LAYER + "Linear", (x.shape[-1], context.integer(1, 4)), options(context, bias_attr=(False,)), x),
        lambda: _layer(_LAYER + "LayerNorm", (list(x.shape[1:]),), options(context, weight_attr=(False,), bias_attr=(False,)), x),
        lambda: _layer(_LAYER + "PReLU", (), options(context, num_parameters=(x.shape[1],), init=(0.1,)), x),
        lambda: _layer(_LAYER + "Pad2D", ([context.integer(0, 2) for _ in range(4)],), options(context, mode=("replicate", "constant")), context.tensor(4, 4, empty=False)),
        lambda: _layer(_LAYER + "Unflatten", (1, [1, x.shape[1]]), {}, x),
    ))()


@maker("layer")
def _layers(context: Context) -> Data:
    make = context.choice((_recurrent, _recurrent, _recurrent, _cell, _attention, _transformer, _normalised, _normalised, _spectral, _others))
    result: Data = make(context)
    return result


@maker(*prefixed("paddle.static.nn.", "fc layer_norm group_norm conv2d conv2d_transpose batch_norm prelu row_conv bilinear_tensor_product spectral_norm embedding"))
def _static(context: Context, function: str) -> Data:
    name = function.rpartition(".")[2]
    act = options(context, act=("relu", "sigmoid", "tanh", "leaky_relu", "swish", "gelu", "hard_swish", "elu", "softmax"))
    image = [context.integer(1, 2), 2 * context.integer(1, 2), context.integer(3, 5), context.integer(3, 5)]
    if name == "fc":
        x = context.tensor(2, 4, empty=False)
        more = options(context, num_flatten_dims=(x.rank - 1, 1, -1), bias_attr=(False,), activation=("relu", "tanh"))
        return call(function, [x, context.new(x.shape)] if context.maybe(0.2) else x, context.integer(1, 3), **more)
    if name == "layer_norm":
        x = context.tensor(2, 4, empty=False)
        return call(function, x, **options(context, begin_norm_axis=(1, x.rank - 1), scale=(False,), shift=(False,)), **act)
    if name == "bilinear_tensor_product":
        x = context.tensor(2, 2, empty=False)
        return call(function, x, context.new([x.shape[0], context.integer(1, 3)]), context.integer(1, 3), **act)
    if name == "row_conv":
        return call(function, context.tensor(3, 3, empty=False), context.integer(0, 3), **act)
    if name == "spectral_norm":
        x = context.new([context.integer(1, 4) for _ in range(context.integer(2, 4))])
        return call(function, x, **options(context, dim=(0, 1), power_iters=(1, 2)))
    if name == "embedding":
        return call(function, context.new([*context.shape(1, 2), 1], "int64", range=[0, 4]), [4, 3], **options(context, padding_idx=(0, -1, 2)))
    last = context.maybe(0.3)
    x = context.new([image[0], *image[2:], image[1]] if last else image)
    layout = "NHWC" if last else "NCHW"
    if name == "prelu":
        return call(function, x, context.choice(("all", "channel", "element")), data_format=layout)
    if name == "batch_norm":
        return call(function, x, is_test=True, data_layout=layout, **act)
    if name == "group_norm":
        return call(function, x, context.choice((1, 2)), data_layout=layout, **act)
    more = options(context, stride=(1, 2, [2, 1]), padding=(0, 1, "SAME", "VALID", [1, 0], [0, 1, 1, 2], [[0, 0], [0, 0], [1, 0], [0, 1]]), dilation=(1, 2))
    if last and isinstance(more.get("padding"), list) and len(more["padding"]) == 4 and isinstance(more["padding"][0], list):
        more["padding"] = [[0, 0], [1, 0], [0, 1], [0, 0]]
    return call(function, x, num_filters=2, filter_size=context.choice((1, 2, 3, [2, 3])), groups=context.choice((1, 2)), data_format=layout, **more, **act)


_UNARY = ("paddle.tanh", "paddle.abs", "paddle.square", NN + "relu", "paddle.exp", "paddle.assign", "paddle.zeros_like")


@maker("cond")
def _cond(context: Context) -> Data:
    return call("cond", context.new([], "bool"), context.tensor(0, 3), context.choice(_UNARY), context.choice(_UNARY))


@maker("while_loop")
def _while(context: Context) -> Data:
    return call("while_loop", context.new([1], "int64", values=[context.integer(0, 4)]), context.tensor(0, 3), context.new([], range=[0.5, 1.5]))
