"""Messages along the edges of graphs, segments of rows, and paths."""
from ..cases import Data
from ..context import Context, options
from .registry import call, maker, prefixed

_GRAPHS = "paddle.geometric."
_INTEGERS = ("int64", "int32")


def _edges(context: Context, nodes: int) -> Data:
    count, dtype = context.integer(1, 6), context.choice(_INTEGERS)
    return context.new([count], dtype, range=[0, nodes]), context.new([count], dtype, range=[0, nodes])


@maker(*prefixed(_GRAPHS, "send_u_recv send_ue_recv send_uv"), "paddle.incubate.graph_send_recv")
def _send(context: Context, function: str) -> Data:
    nodes = context.integer(1, 4)
    x = context.new([nodes, *context.shape(0 if function.endswith("send_recv") else 1, 2)], context.choice(("float32", "float32", "float64", "int64", "int32")))
    source, target = _edges(context, nodes)
    more = {}
    if not function.endswith("send_uv"):
        kinds = ("sum", "mean", "max", "min")
        more = options(context, pool_type=kinds) if function.endswith("graph_send_recv") else options(context, reduce_op=kinds)
        if context.maybe(0.4):
            size = context.choice((nodes, nodes + 2, max(nodes - 1, 1)))
            more["out_size"] = context.choice((size, context.new([1], context.choice(_INTEGERS), values=[size])))
            # Paddle writes to any given row, also after the last one.
            target = context.new(target.shape, target.dtype, range=[0, min(size, nodes)])
    if "send_u_recv" in function or "graph_send" in function:
        return call(function, x, source, target, **more)
    more.update(options(context, message_op=("add", "sub", "mul", "div")))
    rows = nodes if function.endswith("send_uv") else source.shape[0]
    shape = [rows, *(1 if context.maybe(0.2) else size for size in x.shape[1:])]
    if function.endswith("send_ue_recv") and context.maybe(0.15):
        shape = [rows]
    y = context.new(shape, x.dtype, range=[1, 4])
    return call(function, x, y, source, target, **more)


@maker(*prefixed(_GRAPHS, "segment_sum segment_mean segment_min segment_max"))
def _segment(context: Context, function: str) -> Data:
    rows = context.integer(1, 6)
    x = context.new([rows, *context.shape(0, 2)], context.choice(("float32", "float32", "float64", "int64", "int32")))
    return call(function, x, context.new([rows], context.choice(_INTEGERS), range=[0, context.integer(1, 6)], sorted=True))


@maker("paddle.nn.functional.gather_tree")
def _gather_tree(context: Context) -> Data:
    steps, batch, beams = context.integer(1, 4), context.integer(1, 2), context.integer(1, 3)
    dtype = context.choice(_INTEGERS)
    return call("paddle.nn.functional.gather_tree", context.new([steps, batch, beams], dtype, range=[0, 9]), context.new([steps, batch, beams], dtype, range=[0, beams]))


@maker("paddle.text.viterbi_decode")
def _viterbi(context: Context) -> Data:
    batch, steps, tags = context.integer(1, 3), context.integer(1, 4), context.integer(3, 5)
    lengths = context.new([batch], "int64", range=[1, steps, True])
    return call("paddle.text.viterbi_decode", context.new([batch, steps, tags]), context.new([tags, tags]), lengths, **options(context, include_bos_eos_tag=(True, False)))
