"""A small lexical tagger as Fluid 1.x wrote them: characters to labels by two layers of GRUs in both directions and a CRF."""
from pathlib import Path

import numpy as np

CHARACTERS = ["我", "们", "在", "北", "京", "学", "习", "。"]
LABELS = ["n-B", "n-I", "v-B", "v-I", "p-B", "r-B", "r-I", "w-B", "O"]
_HIDDEN, _EMBEDDING = 6, 5


def save(folder: Path, seed: int = 1) -> None:
    """`__model__`, a file for each parameter, and the dictionaries word.dic and tag.dic."""
    import paddle

    paddle.enable_static()
    rng = np.random.default_rng(seed)
    program, scope = paddle.static.Program(), paddle.static.Scope()
    weights = {}
    with paddle.static.program_guard(program, paddle.static.Program()), paddle.static.scope_guard(scope):
        block = program.global_block()
        words = paddle.static.data("words", [-1, 1], "int64", lod_level=1)
        words.desc.set_need_check_feed(False)

        def weight(name, *shape):
            weights[name] = rng.normal(0, 1, shape).astype(np.float32)
            return block.create_parameter(name=name, shape=list(shape), dtype="float32")

        def op(kind, name, inputs, slot="Out", width=None, dtype="float32", others=(), **attrs):
            result = block.create_var(name=name, dtype=dtype, shape=[-1, width or 1], lod_level=1)
            rest = {other: [block.create_var(name=f"{name}.{other}", dtype="float32")] for other in others}
            block.append_op(type=kind, inputs=inputs, outputs={slot: [result], **rest}, attrs=attrs)
            return result

        def linear(x, name, rows, columns):
            flat = {"x_num_col_dims": 1, "y_num_col_dims": 1}
            product = op("mul", f"{name}.tmp_0", {"X": [x], "Y": [weight(f"{name}.w_0", rows, columns)]}, width=columns, **flat)
            return op("elementwise_add", f"{name}.tmp_1", {"X": [product], "Y": [weight(f"{name}.b_0", columns)]}, width=columns, axis=1)

        def gru(x, name, width, reverse):
            projected = linear(x, f"fc_{name}", width, 3 * _HIDDEN)
            inputs = {"Input": [projected], "Weight": [weight(f"gru_{name}.w_0", _HIDDEN, 3 * _HIDDEN)], "Bias": [weight(f"gru_{name}.b_0", 1, 3 * _HIDDEN)]}
            others = ("BatchGate", "BatchResetHiddenPrev", "BatchHidden")
            attrs = {"is_reverse": reverse, "gate_activation": "sigmoid", "activation": "tanh", "origin_mode": False}
            return op("gru", f"gru_{name}.tmp_0", inputs, "Hidden", _HIDDEN, others=others, **attrs)

        table = weight("word_emb", len(CHARACTERS) + 1, _EMBEDDING)
        x, width = op("lookup_table", "embedding_0.tmp_0", {"Ids": [words], "W": [table]}, width=_EMBEDDING), _EMBEDDING
        for layer in range(2):
            both = [gru(x, f"{layer}_{side}", width, reverse) for side, reverse in (("left", False), ("right", True))]
            x, width = op("concat", f"concat_{layer}.tmp_0", {"X": both}, width=2 * _HIDDEN, axis=1), 2 * _HIDDEN
        emission = linear(x, "fc_emission", width, len(LABELS))
        transition = weight("crfw", len(LABELS) + 2, len(LABELS))
        path = op("crf_decoding", "crf_decoding_0.tmp_0", {"Emission": [emission], "Transition": [transition]}, "ViterbiPath", dtype="int64")
        for name, value in weights.items():
            scope.var(name).get_tensor().set(value, paddle.CPUPlace())
        _write(program, scope, folder, words, path, weights)


def _write(program, scope, folder, words, path, weights):
    """In the oldest layout: the program with its feed and fetch operators, and a file for each parameter."""
    import struct

    from paddle.static import normalize_program
    from paddle.utils import unique_name

    folder.mkdir(parents=True, exist_ok=True)
    # The output's name has a number that counts over the whole process.
    with unique_name.guard():
        saved = normalize_program(program, [words], [path], skip_prune_program=True)
    (folder / "__model__").write_bytes(saved.desc.serialize_to_string())
    for name, value in weights.items():
        dims = b"".join(b"\x10" + bytes([size]) for size in value.shape)
        proto = b"\x08\x05" + dims  # VarType.TensorDesc: FP32 and the sizes
        head = struct.pack("<IQII", 0, 0, 0, len(proto))
        (folder / name).write_bytes(head + proto + value.tobytes())
    for name, entries in (("word.dic", CHARACTERS), ("tag.dic", LABELS)):
        (folder / name).write_text("".join(f"{index}\t{entry}\n" for index, entry in enumerate(entries)), encoding="utf-8")
