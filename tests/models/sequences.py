"""Models of Fluid 1.x over sequences of different lengths (LoD). Importing this module imports Paddle."""
from typing import Any, Callable, Dict, List, NamedTuple, Sequence

import numpy as np

from fluid import DynamicRNN, Net, static_rnn

Lengths = Sequence[int]
# Batches of sequences: of several lengths, a single one, with empty ones among them.
BATCHES: "List[Lengths]" = [(3, 1, 5, 2), (4,), (2, 0, 6, 0, 1)]
FULL: "List[Lengths]" = [(3, 1, 5, 2), (4,), (2, 7, 6, 3, 1)]


class Example(NamedTuple):
    """A program, and functions of a batch that give its inputs and their LoD (offsets)."""

    net: Net
    draw: "Callable[[np.random.Generator, Lengths], Dict[str, np.ndarray]]"
    batches: "Sequence[Lengths]" = BATCHES
    levels: "Callable[[Lengths], Dict[str, List[List[int]]]]" = lambda lengths: {}  # of inputs with other sequences than the batch

    def lod(self, feeds: Sequence[Any], lengths: Lengths) -> "Dict[str, List[List[int]]]":
        """The offsets of the inputs that are sequences."""
        return {**{feed.name: [offsets(lengths)] for feed in feeds if feed.lod_level}, **self.levels(lengths)}


def offsets(lengths: Lengths) -> List[int]:
    """Where sequences begin, and where the last one ends."""
    return [0, *np.cumsum(lengths).tolist()]


def _words(*names: str, most: int = 20) -> "Callable[[np.random.Generator, Lengths], Dict[str, np.ndarray]]":
    return lambda rng, lengths: {name: rng.integers(0, most, (sum(lengths), 1)) for name in names}


def dynamic_rnn() -> Example:
    """A recurrent layer as DynamicRNN, whose state begins with a value for each sequence, and another with a number."""
    net = Net()
    x = net.embedding(net.sequences("words"), 20, 6)
    boot = net.fc(net.data("boot", [-1, 3]), 5, "tanh")
    rnn = DynamicRNN(net)
    with rnn.block():
        step = rnn.step_input(x)
        state = rnn.memory(boot, reorder=True)
        total = rnn.memory(width=5, value=0.5)
        new = net.fc([step, state], 5, "tanh")
        sums = net.add(total, new)
        rnn.update(state, new)
        rnn.update(total, sums)
        rnn.output(new, sums)
    hidden, sums = rnn.results
    net.fetch([hidden.name, net.pool(sums, "last").name])

    def draw(rng: np.random.Generator, lengths: Lengths) -> Dict[str, np.ndarray]:
        return {**_words("words")(rng, lengths), "boot": rng.standard_normal((len(lengths), 3)).astype("float32")}

    return Example(net, draw)


def static_recurrent() -> Example:
    """StaticRNN, forwards and backwards, in time-major order."""
    net = Net()
    x = net.data("x", [-1, -1, 4])
    boot = net.data("boot", [-1, 5])

    def step(slices: List[Any], states: List[Any]) -> "tuple[List[Any], List[Any]]":
        new = net.fc([slices[0], states[0]], 5, "tanh")
        return [new, net.add(new, states[1])], [new, net.add(new, states[1])]

    forward = static_rnn(net, [x], [boot, boot], step)
    backward = static_rnn(net, [x], [boot, boot], step, reverse=True)
    net.fetch([out.name for out in [*forward, *backward]])

    def draw(rng: np.random.Generator, lengths: Lengths) -> Dict[str, np.ndarray]:
        return {"x": rng.standard_normal((max(lengths), len(lengths), 4)).astype("float32"),
                "boot": rng.standard_normal((len(lengths), 5)).astype("float32")}

    return Example(net, draw)


def sequences_in_blocks() -> Example:
    """Sequences go in and out of a conditional block and a loop, which divide them anew, also as elements of an array."""
    net = Net()
    x = net.embedding(net.sequences("words"), 20, 4)
    other = net.embedding(net.sequences("others"), 20, 4)
    y = net.op("assign", {"X": x}, ["Out"])
    flag = net.data("flag", [1], "bool")
    with net.body("conditional_block", flag):
        turned = net.op("sequence_reverse", {"X": x}, ["Y"])
        net.op("lod_reset", {"X": turned, "Y": other}, {"Out": y}, target_lod=[])
    # Each turn makes each sequence longer.
    index, end = net.constant([1], 0, "int64"), net.constant([1], 3, "int64")
    grown = net.op("assign", {"X": x}, ["Out"])
    all_grown = net.write(grown, index)
    going = net.less_than(index, end)
    with net.body("while", going):
        net.increment(index)
        longer = net.op("sequence_concat", {"X": [grown, other]}, ["Out"])
        net.op("assign", {"X": longer}, {"Out": grown})
        net.write(longer, index, all_grown)
        net.less_than(index, end, going)
    first, last = (net.read(all_grown, net.constant([1], at, "int64")) for at in (0, 2))
    net.fetch([y.name, net.pool(y, "average").name, net.pool(grown, "sum").name, net.pool(first, "max").name, last.name])

    def draw(rng: np.random.Generator, lengths: Lengths) -> Dict[str, np.ndarray]:
        return {**_words("words", "others")(rng, lengths), "flag": np.array([len(lengths) > 1])}

    return Example(net, draw, levels=lambda lengths: {"others": [offsets(lengths[::-1])]})


def select_output() -> Example:
    """A tensor that one of two branches gets."""
    net = Net()
    x, flag = net.data("x", [-1, 4]), net.data("flag", [1], "bool")
    mask = net.op("cast", {"X": flag}, ["Out"], dtype="int32", in_dtype=flag.dtype, out_dtype=2)
    no, yes = net.make("no"), net.make("yes")
    net.here.append_op(type="select_output", inputs={"X": [x], "Mask": [mask]}, outputs={"Out": [no, yes]})
    results = [net.make("result", shape=[-1, 4]), net.make("result", shape=[-1, 4])]
    for condition, operand, kind, result in ((flag, yes, "relu", results[1]), (net.op("logical_not", {"X": flag}, ["Out"]), no, "tanh", results[0])):
        with net.body("conditional_block", condition):
            net.op(kind, {"X": operand}, {"Out": result})
    net.fetch([net.op("select_input", {"X": results, "Mask": mask}, ["Out"], dtype="float32").name])

    def draw(rng: np.random.Generator, lengths: Lengths) -> Dict[str, np.ndarray]:
        return {"x": rng.standard_normal((sum(lengths), 4)).astype("float32"), "flag": np.array([len(lengths) > 1])}

    return Example(net, draw)


MODELS: "Dict[str, Callable[[], Example]]" = {
    "dynamic_rnn": dynamic_rnn,
    "static_rnn": static_recurrent,
    "sequences_in_blocks": sequences_in_blocks,
    "select_output": select_output,
}
