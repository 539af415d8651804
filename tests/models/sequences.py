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


def dynamic_rnn(words: int = 20, width: int = 6, size: int = 5) -> Example:
    """A recurrent layer as DynamicRNN, whose state begins with a value for each sequence, and another with a number."""
    net = Net()
    x = net.embedding(net.sequences("words"), words, width)
    boot = net.fc(net.data("boot", [-1, 3]), size, "tanh")
    rnn = DynamicRNN(net)
    with rnn.block():
        step = rnn.step_input(x)
        state = rnn.memory(boot, reorder=True)
        total = rnn.memory(width=size, value=0.5)
        new = net.fc([step, state], size, "tanh")
        sums = net.add(total, new)
        rnn.update(state, new)
        rnn.update(total, sums)
        rnn.output(new, sums)
    hidden, sums = rnn.results
    net.fetch([hidden.name, net.pool(sums, "last").name])

    def draw(rng: np.random.Generator, lengths: Lengths) -> Dict[str, np.ndarray]:
        return {**_words("words", most=words)(rng, lengths), "boot": rng.standard_normal((len(lengths), 3)).astype("float32")}

    return Example(net, draw)


def arrays_of_dynamic_rnn() -> Example:
    """DynamicRNN whose arrays others read, too: its states, its input, its result."""
    net = Net()
    x = net.embedding(net.sequences("words"), 20, 6)
    rnn = DynamicRNN(net)
    with rnn.block():
        step = rnn.step_input(x)
        state = rnn.memory(width=5, value=0.5)
        new = net.fc([step, state], 5, "tanh")
        rnn.update(state, new)
        rnn.output(new)
    steps, states, results = rnn.arrays
    joined = {"Out": net.make("joined"), "OutIndex": net.make("sizes", "int32")}
    net.op("tensor_array_to_tensor", {"X": steps}, joined, axis=0, use_stack=False)
    again = net.op("array_to_lod_tensor", {"X": steps, "RankTable": rnn.table}, ["Out"])
    length = net.op("lod_array_length", {"X": steps}, ["Out"], of="int64")
    reads = [net.read(array, net.constant([1], at, "int64")) for at, array in enumerate((results, states))]
    net.fetch([rnn.results[0].name, again.name, joined["Out"].name, length.name, *(read.name for read in reads)])
    return Example(net, _words("words"))


def attention() -> Example:
    """A decoder that looks at all of the source sentence at each of its steps."""
    net = Net()
    source = net.fc(net.embedding(net.sequences("source"), 20, 6), 5, "tanh")
    projected = net.fc(source, 5, bias=False)
    target = net.embedding(net.sequences("target"), 20, 6)
    boot = net.fc(net.pool(source, "last"), 5, "tanh")
    rnn = DynamicRNN(net)
    with rnn.block():
        word = rnn.step_input(target)
        encoded, keys = rnn.static_input(source), rnn.static_input(projected)
        state = rnn.memory(boot, reorder=True)
        wide = net.op("sequence_expand", {"X": net.fc(state, 5, bias=False), "Y": keys}, ["Out"], ref_level=-1)
        weights = net.op("sequence_softmax", {"X": net.fc(net.op("tanh", {"X": net.add(keys, wide)}, ["Out"]), 1, bias=False)}, ["Out"])
        flat = net.op("reshape", {"X": weights}, ["Out"], shape=[-1])
        context = net.pool(net.op("elementwise_mul", {"X": encoded, "Y": flat}, ["Out"], axis=0), "sum")
        new = net.fc([word, context, state], 5, "tanh")
        rnn.update(state, new)
        rnn.output(net.softmax(net.fc(new, 20)))
    net.fetch([rnn.results[0].name])
    return Example(net, _words("source", "target"), FULL, lambda lengths: {"target": [offsets(lengths[::-1])]})


def if_else() -> Example:
    """IfElse: the rows where a condition holds take one way, the others another."""
    net = Net()
    x = net.data("x", [-1, 4])
    low = net.op("less_than", {"X": net.op("reduce_sum", {"X": x}, ["Out"], dim=[1], keep_dim=True), "Y": net.constant([1], 0)}, ["Out"], of="bool", axis=-1)
    parts = {"OutTrue": net.make("yes"), "OutFalse": net.make("no")}
    net.op("split_lod_tensor", {"X": x, "Mask": low}, parts, level=0)
    ways = [net.fc(parts["OutTrue"], 3, "relu"), net.fc(parts["OutFalse"], 3, "tanh")]
    net.fetch([net.op("merge_lod_tensor", {"X": x, "Mask": low, "InTrue": ways[0], "InFalse": ways[1]}, ["Out"], level=0).name])
    return Example(net, lambda rng, lengths: {"x": np.abs(rng.standard_normal((sum(lengths), 4))).astype("float32") * np.resize([-1, 1, -1], (sum(lengths), 1)).astype("float32")},
                   FULL)


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
    """Sequences go in and out of a conditional block and a loop, which set another LoD, also as elements of an array."""
    net = Net()
    x = net.embedding(net.sequences("words"), 20, 4)
    other = net.embedding(net.sequences("others"), 20, 4)
    y = net.op("assign", {"X": x}, ["Out"])
    flag = net.data("flag", [1], "bool")
    with net.body("conditional_block", flag):
        turned = net.op("sequence_reverse", {"X": x}, ["Y"])
        net.op("lod_reset", {"X": turned, "Y": other}, {"Out": y}, target_lod=[])
    # Each iteration makes each sequence longer.
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
    mask = net.op("cast", {"X": flag}, ["Out"], of="int32", in_dtype=flag.dtype, out_dtype=2)
    no, yes = net.make("no"), net.make("yes")
    net.here.append_op(type="select_output", inputs={"X": [x], "Mask": [mask]}, outputs={"Out": [no, yes]})
    results = [net.make("result", shape=[-1, 4]), net.make("result", shape=[-1, 4])]
    for condition, operand, kind, result in ((flag, yes, "relu", results[1]), (net.op("logical_not", {"X": flag}, ["Out"]), no, "tanh", results[0])):
        with net.body("conditional_block", condition):
            net.op(kind, {"X": operand}, {"Out": result})
    net.fetch([net.op("select_input", {"X": results, "Mask": mask}, ["Out"], of="float32").name])

    def draw(rng: np.random.Generator, lengths: Lengths) -> Dict[str, np.ndarray]:
        return {"x": rng.standard_normal((sum(lengths), 4)).astype("float32"), "flag": np.array([len(lengths) > 1])}

    return Example(net, draw)


def beam_search(beam: int = 3, words: int = 12, width: int = 6, most: int = 5) -> Example:
    """The decoder of the Fluid book's machine translation: a loop over arrays of what each step selected."""
    net = Net()
    end = words - 2
    context = net.pool(net.gru(net.fc(net.embedding(net.sequences("words"), words, width), 3 * width), width), "last")
    first_ids, first_scores = net.sequences("init_ids", levels=2), net.sequences("init_scores", dtype="float32", levels=2)
    table = net.weight(words, width, scale=0.8)
    calm = (6 / width) ** 0.5  # wide states would be chaos: Paddle's own two executors would choose other words
    projections = [net.weight(width, width, scale=0.8 * calm) for _ in range(2)]
    projections += [net.weight(width), net.weight(width, words, scale=1.5 * calm), net.weight(words, scale=0.5)]

    counter, array_len = net.constant([1], 0, "int64"), net.constant([1], most, "int64")
    states, ids, scores = net.write(context, counter), net.write(first_ids, counter), net.write(first_scores, counter)
    going = net.less_than(counter, array_len)
    with net.body("while", going):
        pre_ids, pre_state, pre_score = net.read(ids, counter), net.read(states, counter), net.read(scores, counter)
        expanded = net.op("sequence_expand", {"X": pre_state, "Y": pre_score}, ["Out"], ref_level=-1)
        embedded = net.op("lookup_table", {"Ids": pre_ids, "W": table}, ["Out"], of="float32", padding_idx=-1)
        parts = [net.op("mul", {"X": x, "Y": y}, ["Out"], x_num_col_dims=1, y_num_col_dims=1) for x, y in zip((expanded, embedded), projections)]
        state = net.op("tanh", {"X": net.add(net.op("sum", {"X": parts}, ["Out"]), projections[2], 1)}, ["Out"])
        with_lod = net.op("lod_reset", {"X": state, "Y": pre_score}, ["Out"], target_lod=[])
        logits = net.add(net.op("mul", {"X": with_lod, "Y": projections[3]}, ["Out"], x_num_col_dims=1, y_num_col_dims=1), projections[4], 1)
        indices = net.make("indices", "int64")
        best = net.op("top_k", {"X": net.softmax(logits)}, {"Out": net.make("best"), "Indices": indices}, k=4)
        before = net.op("reshape", {"X": pre_score}, ["Out"], shape=[-1])
        sums = net.add(net.op("log", {"X": best}, ["Out"]), before, 0)
        selected = {"selected_ids": net.make("ids", "int64"), "selected_scores": net.make("scores"), "parent_idx": net.make("parent", "int32")}
        net.op("beam_search", {"pre_ids": pre_ids, "pre_scores": pre_score, "ids": indices, "scores": sums}, selected,
               level=0, beam_size=beam, end_id=end, is_accumulated=True)
        empty = net.op("is_empty", {"X": selected["selected_ids"]}, ["Out"], of="bool")
        with net.body("conditional_block", empty):
            net.op("fill_constant", {}, {"Out": going}, shape=[1], value=0.0, dtype=going.dtype)
        some = net.op("logical_not", {"X": empty}, ["Out"])
        with net.body("conditional_block", some):
            net.increment(counter)
            net.write(state, counter, states)
            net.write(selected["selected_ids"], counter, ids)
            net.write(selected["selected_scores"], counter, scores)
            more = net.less_than(counter, array_len)
            net.op("logical_and", {"X": more, "Y": some}, {"Out": going})
    result = {"SentenceIds": net.make("sentences", "int64"), "SentenceScores": net.make("sentence_scores")}
    net.op("beam_search_decode", {"Ids": ids, "Scores": scores}, result, beam_size=beam, end_id=end)
    net.fetch([variable.name for variable in result.values()])

    def draw(rng: np.random.Generator, lengths: Lengths) -> Dict[str, np.ndarray]:
        return {**_words("words", most=words)(rng, lengths), "init_ids": np.zeros((len(lengths), 1), "int64"),
                "init_scores": np.zeros((len(lengths), 1), "float32")}

    def levels(lengths: Lengths) -> Dict[str, List[List[int]]]:
        ones = list(range(len(lengths) + 1))
        return {"init_ids": [ones, ones], "init_scores": [ones, ones]}

    return Example(net, draw, FULL, levels)


def stacked_lstm() -> Example:
    """Sentiment by stacked LSTMs of both directions."""
    net = Net()
    projected = net.fc(net.embedding(net.sequences("words"), 20, 8), 16)
    inputs = [projected, net.lstm(projected, 4)]
    for layer in range(2):
        projected = net.fc(inputs, 16)
        inputs = [projected, net.lstm(projected, 4, reverse=layer % 2 == 0)]
    net.fetch([net.softmax(net.fc([net.pool(x, "max") for x in inputs], 2)).name])
    return Example(net, _words("words"))


def tagger(words: int = 20, width: int = 6, size: int = 5, tags: int = 4) -> Example:
    """Two bidirectional GRUs and a CRF, as LAC."""
    net = Net()
    x = net.embedding(net.sequences("words"), words, width)
    for _ in range(2):
        x = net.concat(net.gru(net.fc(x, 3 * size), size), net.gru(net.fc(x, 3 * size), size, reverse=True))
    path = net.op("crf_decoding", {"Emission": net.fc(x, tags), "Transition": net.weight(tags + 2, tags, scale=0.7)}, ["ViterbiPath"], of="int64")
    net.fetch([path.name])
    return Example(net, _words("words", most=words))


def language_model(words: int = 20, width: int = 6, size: int = 5) -> Example:
    """The next word at each place, by two LSTMs."""
    net = Net()
    x = net.embedding(net.sequences("words"), words, width)
    for _ in range(2):
        x = net.lstm(net.fc(x, 4 * size), size)
    net.fetch([net.softmax(net.fc(x, words)).name])
    return Example(net, _words("words", most=words))


def text_conv() -> Example:
    """A classifier of text by convolutions of several widths."""
    net = Net()
    x = net.embedding(net.sequences("words"), 20, 6)
    pools = []
    for width in (3, 4):
        y = net.op("sequence_conv", {"X": x, "Filter": net.weight(width * 6, 5)}, ["Out"], contextLength=width, contextStart=-(width // 2), contextStride=1)
        y = net.op("tanh", {"X": net.add(y, net.weight(5), 1)}, ["Out"])
        pools += [net.pool(y, "sqrt"), net.pool(y, "max")]
    net.fetch([net.softmax(net.fc(pools, 3)).name])
    return Example(net, _words("words"))


def text_matching() -> Example:
    """The cosine between two texts of different lengths. (Paddle 2.6 no longer has cos_sim.)"""
    net = Net()
    sides = [net.fc(net.pool(net.embedding(net.sequences(name), 20, 6), kind), 5, "tanh") for name, kind in (("query", "sum"), ("title", "average"))]

    def dot(x: Any, y: Any) -> Any:
        return net.op("reduce_sum", {"X": net.op("elementwise_mul", {"X": x, "Y": y}, ["Out"], axis=-1)}, ["Out"], dim=[1], keep_dim=True)

    norm = net.op("sqrt", {"X": net.op("elementwise_mul", {"X": dot(sides[0], sides[0]), "Y": dot(sides[1], sides[1])}, ["Out"], axis=-1)}, ["Out"])
    net.fetch([net.op("elementwise_div", {"X": dot(*sides), "Y": norm}, ["Out"], axis=-1).name])
    return Example(net, _words("query", "title"), FULL, lambda lengths: {"title": [offsets(lengths[::-1])]})


def click_through() -> Example:
    """Sums of the embeddings of sparse ids, and dense features, of each person; what was clicked last counts more."""
    net = Net()
    ids = net.embedding(net.sequences("ids"), 20, 6)
    weights = net.op("sequence_softmax", {"X": net.fc(ids, 1)}, ["Out"])
    weighed = net.op("elementwise_mul", {"X": ids, "Y": weights}, ["Out"], axis=0)
    deep = net.fc([net.pool(weighed, "sum"), net.pool(ids, "last"), net.data("dense", [-1, 4])], 8, "relu")
    net.fetch([net.fc(deep, 1, "sigmoid").name])

    def draw(rng: np.random.Generator, lengths: Lengths) -> Dict[str, np.ndarray]:
        return {**_words("ids")(rng, lengths), "dense": rng.standard_normal((len(lengths), 4)).astype("float32")}

    return Example(net, draw)


def text_recognition() -> Example:
    """CRNN: columns of an image as a sequence, two GRUs, and the best labels without repetitions and blanks."""
    net = Net()
    x = net.data("image", [-1, 1, 8, -1])
    x = net.op("conv2d", {"Input": x, "Filter": net.weight(4, 1, 3, 3, scale=0.5)}, ["Output"], strides=[1, 1], paddings=[1, 1], dilations=[1, 1], groups=1)
    x = net.op("relu", {"X": x}, ["Out"])
    x = net.op("pool2d", {"X": x}, ["Out"], ksize=[2, 2], strides=[2, 2], paddings=[0, 0], pooling_type="max")
    x = net.op("im2sequence", {"X": x}, ["Out"], kernels=[4, 1], strides=[1, 1], paddings=[0, 0, 0, 0], out_stride=[1, 1])
    both = [net.gru(net.fc(x, 15), 5, reverse=reverse) for reverse in (False, True)]
    best = {"Out": net.make("best"), "Indices": net.make("indices", "int64")}
    net.op("top_k", {"X": net.softmax(net.fc(both, 6))}, best, k=1)
    labels = net.op("ctc_align", {"Input": best["Indices"]}, ["Output"], merge_repeated=True, blank=5, padding_value=0)
    net.fetch([labels.name])

    def draw(rng: np.random.Generator, lengths: Lengths) -> Dict[str, np.ndarray]:
        return {"image": rng.standard_normal((len(lengths), 1, 8, 4 + 4 * max(lengths))).astype("float32")}

    return Example(net, draw, FULL)


def speech() -> Example:
    """DeepSpeech: a bidirectional recurrent layer, and convolutions that look ahead."""
    net = Net()
    x = net.fc(net.sequences("frames", 7, "float32"), 8, "relu")
    x = net.concat(net.lstm(net.fc(x, 16), 4), net.lstm(net.fc(x, 16), 4, reverse=True))
    x = net.op("row_conv", {"X": x, "Filter": net.weight(3, 8, scale=0.5)}, ["Out"])
    net.fetch([net.softmax(net.fc(net.op("relu", {"X": x}, ["Out"]), 6)).name])
    return Example(net, lambda rng, lengths: {"frames": rng.standard_normal((sum(lengths), 7)).astype("float32")}, FULL)


def greedy_translation() -> Example:
    """An encoder whose last state a decoder starts from, which writes the likeliest word again and again."""
    net = Net()
    words, width = 12, 6
    state = net.pool(net.gru(net.fc(net.embedding(net.sequences("words"), words, 6), 3 * width), width), "last")
    table = net.weight(words, width, scale=0.8)
    index, end = net.constant([1], 0, "int64"), net.constant([1], 6, "int64")
    word = net.op("fill_constant_batch_size_like", {"Input": state}, {"Out": net.make("word", "int64")}, shape=[-1, 1], value=1.0, dtype=3)
    output = net.write(word, index)
    going = net.less_than(index, end)
    with net.body("while", going):
        embedded = net.op("lookup_table", {"Ids": word, "W": table}, ["Out"], of="float32", padding_idx=-1)
        new = net.fc([embedded, state], width, "tanh")
        likely = net.op("arg_max", {"X": net.fc(new, words)}, ["Out"], of="int64", axis=1, dtype=3, keepdims=True)
        net.op("assign", {"X": new}, {"Out": state})
        net.op("assign", {"X": likely}, {"Out": word})
        net.increment(index)
        net.write(likely, index, output)
        net.less_than(index, end, going)
    joined = {"Out": net.make("joined", "int64"), "OutIndex": net.make("sizes", "int32")}
    net.op("tensor_array_to_tensor", {"X": output}, joined, axis=1, use_stack=False)
    net.fetch([joined["Out"].name, state.name])
    return Example(net, _words("words", most=12))


def detector() -> Example:
    """SSD: boxes around the points of two maps, their offsets decoded, and the best of each class; each image has its own number."""
    net = Net()
    x = net.data("image", [-1, 3, 16, 16])
    image, locations, scores, boxes, variances = x, [], [], [], []
    for channels, least in ((4, 4.0), (6, 8.0)):
        x = net.op("conv2d", {"Input": x, "Filter": net.weight(channels, int(x.shape[1]), 3, 3, scale=0.4)}, ["Output"], strides=[2, 2], paddings=[1, 1],
                   dilations=[1, 1], groups=1)
        x = net.op("relu", {"X": x}, ["Out"])
        prior = {"Boxes": net.make("boxes"), "Variances": net.make("variances")}
        net.op("prior_box", {"Input": x, "Image": image}, prior, min_sizes=[least], max_sizes=[], aspect_ratios=[1.0, 2.0], flip=False, clip=False,
               variances=[0.1, 0.1, 0.2, 0.2], step_w=0.0, step_h=0.0, offset=0.5, min_max_aspect_ratios_order=False)
        for slot, parts in (("Boxes", boxes), ("Variances", variances)):
            parts.append(net.op("reshape", {"X": prior[slot]}, ["Out"], shape=[-1, 4]))
        for size, parts in ((4, locations), (3, scores)):
            y = net.op("conv2d", {"Input": x, "Filter": net.weight(2 * size, channels, 3, 3, scale=0.4)}, ["Output"], strides=[1, 1], paddings=[1, 1],
                       dilations=[1, 1], groups=1)
            y = net.op("transpose", {"X": y}, ["Out"], axis=[0, 2, 3, 1])
            parts.append(net.op("reshape", {"X": y}, ["Out"], shape=[0, -1, size]))
    where, score = (net.op("concat", {"X": parts}, ["Out"], axis=1) for parts in (locations, scores))
    anchors, spread = (net.op("concat", {"X": parts}, ["Out"], axis=0) for parts in (boxes, variances))
    decoded = net.op("box_coder", {"PriorBox": anchors, "PriorBoxVar": spread, "TargetBox": where}, ["OutputBox"], code_type="decode_center_size",
                     box_normalized=True, axis=0)
    likely = net.op("transpose", {"X": net.softmax(score)}, ["Out"], axis=[0, 2, 1])
    found = net.op("multiclass_nms", {"BBoxes": decoded, "Scores": likely}, ["Out"], background_label=0, score_threshold=0.3, nms_top_k=20,
                   nms_threshold=0.45, keep_top_k=10, nms_eta=1.0, normalized=True)
    net.fetch([found.name])
    return Example(net, lambda rng, lengths: {"image": rng.standard_normal((len(lengths), 3, 16, 16)).astype("float32")}, FULL)


MODELS: "Dict[str, Callable[[], Example]]" = {
    "arrays_of_dynamic_rnn": arrays_of_dynamic_rnn,
    "attention": attention,
    "beam_search": beam_search,
    "click_through": click_through,
    "crnn_ctc": text_recognition,
    "deep_speech": speech,
    "dynamic_rnn": dynamic_rnn,
    "greedy_translation": greedy_translation,
    "gru_crf_tagger": tagger,
    "if_else": if_else,
    "lstm_lod_language_model": language_model,
    "select_output": select_output,
    "sequences_in_blocks": sequences_in_blocks,
    "ssd_lod": detector,
    "stacked_lstm_sentiment": stacked_lstm,
    "static_rnn": static_recurrent,
    "text_conv": text_conv,
    "text_matching": text_matching,
}
