"""Seed corpora and dictionaries of the fuzzers, from the sample models, the specs and the documentation.

Conversions of the conformance tests' references are added if these are in the cache.
"""
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests/robustness'))
import models as robustness  # noqa: E402

SAMPLES = ROOT / 'tests/data/models'
REFERENCES = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache') / 'fluid2onnx/references'
MOST_BYTES = 20_000  # of a seed: larger ones make a fuzzer slow
MOST_REFERENCES = 600
MOST_REFERENCE_BYTES = 4000
OPTIONS = [b'\x00\x00', b'\x01\x00', b'\x02\x00', b'\x28\x01', b'\x10\x00']


def sample_files(pattern):
    return [path for path in sorted(SAMPLES.rglob(pattern)) if path.stat().st_size <= MOST_BYTES]


def references(name):
    """A sample of all references, the same on each machine with the same cache."""
    found = sorted(REFERENCES.glob('*/*/' + name), key=lambda p: hashlib.sha256(p.parent.name.encode()).digest())
    return [path.read_bytes() for path in found[:2 * MOST_REFERENCES]]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def edited(data, edit):
    """A message whose delimited fields are edit(field, content); None drops one."""
    out, at = b'', 0
    while at < len(data):
        start = at
        key, at = varint(data, at)
        value, at = varint(data, at)
        content = data[start:at]
        if key & 7 == 2:
            payload = edit(key >> 3, data[at:at + value])
            content = b'' if payload is None else robustness.data(key >> 3, payload)
            at += value
        out += content
    return out


def without_history(program):
    """Without call stacks and the versions of operators, which are most of a small program."""
    drop = lambda number, content: None if number == 4 and b'op_callstack' in content[:20] else content
    in_block = lambda number, content: edited(content, drop) if number == 4 else content
    return edited(program, lambda number, content: edited(content, in_block) if number == 1 else None if number == 5 else content)


def small(contents):
    return [content for content in contents if len(content) <= MOST_REFERENCE_BYTES][:MOST_REFERENCES]


def programs():
    samples = [path.read_bytes() for path in sample_files('*.pdmodel') + sample_files('__model__')]
    return samples + small(without_history(program) for program in references('model.pdmodel'))


def pir():
    return [path.read_bytes() for path in sample_files('*.json')] + small(references('model.json'))


def parameters():
    files = sample_files('*.pdiparams') + sample_files('__params__') + sample_files('*.w_0') + sample_files('*.b_0')
    return [bytes([choice]) + path.read_bytes() for path in files for choice in (0, 3, 8, 49, 128, 176)]


def onnx_models(fluid2onnx):
    """Conversions of the programs."""
    if not Path(fluid2onnx).is_file():
        return []
    models = []
    with tempfile.TemporaryDirectory() as folder:
        lines = []
        for index, program in enumerate(programs()):
            path = Path(folder, f'{index}.pdmodel')
            path.write_bytes(program)
            lines.append(json.dumps({'model': str(path), 'output': f'{folder}/{index}.onnx', 'opset': (17, 13, 9, 21)[index % 4]}))
        for model in sorted(SAMPLES.iterdir()):
            lines.append(json.dumps({'model': str(model), 'output': f'{folder}/sample-{model.name}.onnx'}))
        subprocess.run([fluid2onnx, 'batch'], input='\n'.join(lines), text=True, stdout=subprocess.DEVNULL, check=True)
        for path in sorted(Path(folder).glob('*.onnx')):
            if path.stat().st_size <= MOST_BYTES:
                models.append(path.read_bytes())
    return models


def specs():
    """Each file with one operator of it at a time: whole files are slow."""
    found = []
    for path in sorted((ROOT / 'opspecs').glob('*/*.yaml')):
        if path.parent.name == 'facts':
            continue
        parts = re.split(r'^---$|^(?=- op:|op:|function:)', path.read_text(), flags=re.M)
        found += [part.encode() for part in parts if part.strip() and len(part) <= 4000]
    return found[::4]


def expressions():
    found = set()
    for path in sorted((ROOT / 'opspecs').glob('*/*.yaml')):
        for line in path.read_text().splitlines():
            statement = re.match(r'\s*- (\w+(?:, \w+)* = .*)$', line)
            value = re.match(r'\s*(?:when|is|that|if|\w+): (.*)$', line)
            if statement:
                found.add(b'\x01' + statement[1].encode())
            elif value:
                found.add(b'\x00' + value[1].encode())
            if 'for: ' in line:
                found.add(b'\x02' + line.split('for: ')[1].encode())
            if 'function: ' in line:
                found.add(b'\x03' + line.split('function: ')[1].encode())
            if 'opset: ' in line:
                found.add(b'\x04' + line.split('opset: ')[1].encode())
    return sorted(found)[::3]


def documented_commands():
    lines = set()
    for path in sorted((ROOT / 'docs').glob('*.md')) + [ROOT / 'README.md']:
        for line in path.read_text().splitlines():
            found = re.match(r'[ $]*fluid2onnx (.*)$', line)
            if found:
                lines.add(found[1])
    return sorted(lines)


def arguments():
    return ['\n'.join(line.split()).encode() for line in documented_commands()]


def requests():
    members = [
        {'model': 'a', 'output': 'b', 'opset': 11},
        {'input_shapes': {'x': [1, None, 'n']}, 'inputs': ['x'], 'outputs': ['y'], 'renames': {'y': 'z'}},
        {'input_shapes': {'x': 'batch,3,?'}, 'dim_names': 'd', 'lod': 'lengths', 'weights': 'external'},
        {'precision': 'float16', 'half_io': True, 'float32_ops': ['softmax'], 'half_ops': ['relu'], 'sync': True},
        {'specs': ['a.yaml'], 'custom_ops': {'a': 'b::c'}, 'continue_on_error': True, 'list_ops': False, 'params': 'p'},
    ]
    return [json.dumps(m).encode() for m in members] + [b'batch,3,?', b'a=b::c', b'null', b'[]']


def with_options(models):
    return [OPTIONS[i % len(OPTIONS)] + model for i, model in enumerate(models)]


def make(fluid2onnx):
    """{target: [seed]}"""
    legacy, newer, onnx = programs(), pir(), onnx_models(fluid2onnx)
    return {
        'program': legacy,
        'parameters': parameters(),
        'pir': newer,
        'onnx': onnx,
        'any': legacy[::10] + newer[::10] + onnx[::10] + [b'PK\x03\x04', b'\x80\x02}q\x00.', b'{}'],
        'to_onnx': with_options(legacy),
        'pir_to_onnx': with_options(newer),
        'to_paddle': with_options(onnx),
        'spec': specs(),
        'expression': expressions(),
        'arguments': arguments(),
        'request': requests(),
    }


def words(texts, pattern, most=1500):
    counts = {}
    for text in texts:
        for word in re.findall(pattern, text):
            counts[word] = counts.get(word, 0) + 1
    return [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most]]


def dictionaries(seeds):
    """{target: [word]}"""
    quoted, name = rb'"[^"\\]{1,40}"', rb'[A-Za-z_][A-Za-z_0-9.@]{2,40}'
    # Operators that the reader handles without the table; some are in no seed.
    translator = (ROOT / 'runtime/paddle/read/pir_translate.cc').read_text()
    handled = [f'"{name}"'.encode() for name in re.findall(r'"((?:builtin|pd_op)\.\w+)", &PirTranslator', translator)]
    json_words = words(seeds['pir'], quoted) + handled + [b'"builtin.parameter"', b'[', b']', b'{', b'}', b'null', b'true', b'false', b'-1', b'1e400', b'9223372036854775808']
    spec_words = words(seeds['spec'], name) + [b'- ', b': ', b'\n  ', b'&a', b'*a', b'<<: ', b'|', b'>-', b'!!int ', b'? ']
    shared = {
        'program': words(seeds['program'], name),
        'pir': json_words,
        'pir_to_onnx': json_words,
        'onnx': words(seeds['onnx'], name),
        'spec': spec_words,
        'expression': words(seeds['expression'], name) + [b' if ', b' else ', b' for ', b' in ', b'**', b'//', b'not in', b'[', b']', b'"'],
        'arguments': words(seeds['arguments'], rb'-[-a-z0-9]+') + [b'\n--json=', b'\n--input-shape\n', b'\n-o\n', b'=', b','],
        'request': words(seeds['request'], quoted) + [b'null', b'-1', b'1e400', b'99999999999999999999'],
    }
    return {target: list(dict.fromkeys(found)) for target, found in shared.items()}


def dictionary_text(found):
    escape = lambda word: ''.join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f'\\x{c:02x}' for c in word)
    return ''.join(f'"{escape(word)}"\n' for word in found)
