"""Programs of Paddle in memory: their inputs and outputs, and 2.1's functions for Paddle 3's programs."""
from typing import Any, List, Tuple


def ports(program: Any) -> Tuple[List[Any], List[Any]]:
    """The inputs and outputs that the feed and fetch operators of an inference program name."""
    block = program.global_block()
    feed: List[Tuple[int, Any]] = []
    fetch: List[Tuple[int, Any]] = []
    for op in block.ops:
        if not hasattr(op, "results"):  # Paddle 2's operators
            if op.type == "feed":
                feed.append((op.attr("col"), block.var(op.output("Out")[0])))
            elif op.type == "fetch":
                fetch.append((op.attr("col"), block.var(op.input("X")[0])))
        elif op.name() in ("pd_op.feed", "pd_op.data"):
            feed += [(len(feed), value) for value in op.results()]
        elif op.name() in ("pd_op.fetch", "builtin.shadow_output"):
            fetch += [(len(fetch), value) for value in op.operands_source()]
    # Paddle 2's operators are in another order than the columns that they read and write.
    return [value for _, value in sorted(feed, key=_column)], [value for _, value in sorted(fetch, key=_column)]


def _column(port: Tuple[int, Any]) -> int:
    return port[0]


def load_parameter(program: Any) -> None:
    """Creates the variables of a Paddle 3 program's parameters in the global scope, if they are missing there."""
    import paddle
    from paddle.base import libpaddle
    from paddle.base.executor import global_scope

    # Results of fetch operators are persistable too, but have no variable.
    named = [value for value in program.list_vars() if value.get_defining_op().name() in ("builtin.parameter", "pd_op.data")]
    persistable = [value for value in named if value.persistable]
    executor = paddle.static.Executor(paddle.CPUPlace())
    libpaddle.pir.create_loaded_parameter(persistable, global_scope(), executor._default_executor)


def save_program(program: Any, new_model_file_path: str) -> None:
    """Saves a Paddle 3 program with its parameters: PATH.json and PATH.pdiparams."""
    import paddle

    feed, fetch = ports(program)
    with paddle.pir_utils.IrGuard():
        paddle.static.save_inference_model(new_model_file_path, feed, fetch, paddle.static.Executor(paddle.CPUPlace()), program=program)
