#!/usr/bin/env bash
# Runs the program as users do and compares what they see.
#
#   run.sh FLUID2ONNX MODELS             MODELS: tests/data/models
#   UPDATE=1 run.sh FLUID2ONNX MODELS    rewrites help/*.txt: read the diff
set -u
here=$(cd "$(dirname "$0")" && pwd)
fluid2onnx=$(realpath "$1")
models=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
passed=0 failed=0

pass() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  printf 'FAILED: %s\n' "$1"
  [[ -z ${2:-} ]] || sed 's/^/    /' "$2"
}

# runs STATUS WHAT ARGUMENT...: stdout and stderr go to the files out and err.
runs() {
  local status=$1 what=$2 got=0
  shift 2
  "$fluid2onnx" "$@" >out 2>err </dev/null || got=$?
  if [[ $got == "$status" ]]; then pass; else
    cat out >>err
    fail "$what: exit status $got, expected $status" err
  fi
}
# contains FILE TEXT: the file has the text.
contains() {
  if grep -qF -- "$2" "$1"; then pass; else fail "'$2' was expected in $1" "$1"; fi
}
quiet() {
  if [[ ! -s $1 ]]; then pass; else fail "$1 was expected to be empty" "$1"; fi
}
absent() {
  if [[ ! -e $1 ]]; then pass; else fail "$1 was expected not to exist"; fi
}
present() {
  if [[ -s $1 ]]; then pass; else fail "$1 was expected to exist"; fi
}

# -- help, pinned word by word -------------------------------------------------------------------------------------
pin() {
  local file=$here/help/$1.txt
  shift
  runs 0 "$*" "$@"
  if [[ ${UPDATE:-} ]]; then cp out "$file"; fi
  if diff -u "$file" out >difference; then pass; else fail "$* is not $file (UPDATE=1 rewrites it)" difference; fi
}
pin fluid2onnx --help
pin convert convert --help
pin inspect inspect --help
pin ops ops --help
pin lint lint --help
pin spec spec --help
for command in check examples functions; do pin "spec-$command" spec "$command" --help; done
runs 0 'version' --version
contains out 'fluid2onnx 1.'
contains out 'opsets 7 to '
read -r oldest newest < <(sed -n 's/^opsets \([0-9]*\) to \([0-9]*\)$/\1 \2/p' out)
runs 2 'no arguments'
contains out 'Examples:'

# -- wrong usage ---------------------------------------------------------------------------------------------------
runs 2 'misspelt option of spec check' spec check x.yaml --jsn
contains err "fluid2onnx spec check: error: unknown option '--jsn'"
contains err "run 'fluid2onnx spec check --help' for the options"
runs 2 'spec examples without a file' spec examples
contains err 'FILE is required'
runs 2 'a function that does not exist' spec functions no-such-function
contains err "no function matches 'no-such-function'"
runs 2 'misspelt command' convrt model
contains err "unknown command 'convrt'; did you mean 'convert'?"
runs 2 'a model instead of a command' "$models/axis_tensor"
contains err "did you mean 'fluid2onnx convert $models/axis_tensor'?"
runs 2 'misspelt option' convert x.pdmodel --opst 11
contains err "unknown option '--opst'; did you mean '--opset'?"
runs 2 'no model' convert
contains err 'MODEL is required'
runs 2 'two models' convert a b
contains err "unexpected argument 'b'"
runs 2 'opset is no number' convert a --opset new
contains err "--opset: 'new' is not a number; opsets are $oldest to $newest"
runs 2 'shape without name' convert a --input-shape 1,3
contains err "'1,3' does not have the form NAME=DIMS"
runs 2 'half a dim' convert a --input-shape x=1,3b
contains err "'3b' in '1,3b' is not a dimension; expected a size of at least 1, a name, ? or -1"
runs 2 'size 0' convert a --input-shape x=0,3
contains err "'0' in '0,3' is not a dimension"
runs 2 'negative size' convert a --input-shape x=-5,3
contains err "'-5' in '-5,3' is not a dimension"
runs 2 'rename without name' convert a --rename b
contains err "'b' does not have the form OLD=NEW"
m=$models/static_save/model.pdmodel
runs 2 'opset too old' convert "$m" --opset $((oldest - 1))
contains err "opset $((oldest - 1)) is not among $oldest to $newest"
runs 2 'opset too new' convert "$m" --opset $((newest + 1))
runs 2 'unknown input' convert "$m" --input-shape nothing=1
contains err "the model has no input 'nothing'"
contains err "hint: the inputs are 'x'"
runs 2 'unknown output' convert "$m" --outputs nothing
contains err "the model has no variable 'nothing'"
runs 2 'unknown rename' convert "$m" --rename nothing=x
contains err "'nothing' is not an input or output of the model"
absent model.onnx

# -- bad files -----------------------------------------------------------------------------------------------------
runs 3 'no such file' convert missing.pdmodel -o x.onnx
contains err "[E_NOT_FOUND]"
contains err 'no such file [E'
runs 3 'no such folder' convert missing/
contains err 'missing/: no such folder'
echo 'not a model' >text.pdmodel
runs 3 'some text' convert text.pdmodel -o x.onnx
contains err "[E_NOT_A_MODEL]"
head -c 300 "$m" >cut.pdmodel
runs 3 'half a model' convert cut.pdmodel -o x.onnx
runs 3 'half a model, JSON' convert cut.pdmodel -o x.onnx --json
contains out '"ok": false'
contains out '"code": "E_'
runs 3 'no parameters' convert "$m" --params missing -o x.onnx
runs 3 'inspect of no file' inspect missing.pdmodel
absent x.onnx

# -- converting ----------------------------------------------------------------------------------------------------
runs 0 'convert' convert "$m" -o good.onnx
present good.onnx
contains out 'outputs '
contains out 'written    good.onnx, opset 17'
quiet err
runs 0 'old IR version' convert "$m" -o good.onnx --opset 8 --ir-version 3 --json
contains out '"ir_version": 3'
runs 0 'IR version of opset 8' convert "$m" -o good.onnx --opset 8 --json
contains out '"ir_version": 4'
echo '{"model": "'"$m"'", "output": "'"$work"'/old.onnx", "opset": 7, "ir_version": 3}' >old.txt
"$fluid2onnx" batch <old.txt >out 2>err || fail 'a request with an IR version' err
if [[ $(head -c 2 old.onnx | od -An -tx1) == ' 08 03' ]]; then pass; else fail 'the IR version of a request'; fi
runs 2 'too old an IR version' convert "$m" -o none.onnx --opset 9 --ir-version 3
contains err '--ir-version: opset 9 needs an IR version from 4 to '
absent none.onnx
runs 0 'quiet' convert "$m" -o good.onnx -q
quiet out
runs 0 'default name' convert "$m"
present model.onnx
runs 0 'JSON' convert "$m" -o good.onnx --json
contains out '"ok": true'
contains out '"opset": 17'
quiet err
runs 0 'JSON to a file' convert "$m" -o good.onnx --json=report.json
present report.json
contains out 'written    good.onnx'
runs 0 'inspect' inspect "$m" --ops
contains out 'can be converted at opset 17'
mkdir alone
cp "$models/lstm/model.pdmodel" alone/
runs 0 'inspect without the parameters' inspect alone
contains out 'the parameter file is missing'
contains out 'by their declarations'
contains out 'can be converted at opset 17'
runs 3 'inspect with parameters that are not there' inspect alone --params missing
runs 3 'convert without the parameters' convert alone -o alone.onnx
contains err 'parameters, but their file is missing'
contains err '[E_NO_PARAMS]'
runs 3 'one of many without the parameters' convert -r alone -o alone_results
contains err '[E_NO_PARAMS]'
echo '{"model": "'"$m"'", "params": "missing", "output": "alone.onnx"}' >alone.txt
runs 3 'parameters of a list that are not there' convert --list alone.txt -o alone_results
contains err '[E_NOT_FOUND]'
"$fluid2onnx" batch <alone.txt >out 2>err || fail 'a request whose parameters are not there' err
contains out '"code":"E_NOT_FOUND"'
absent alone.onnx
if [[ -z $(find alone_results -name '*.onnx') ]]; then pass; else fail 'a model without its parameters was written'; fi
FLUID2ONNX_PYTHON=no-such-python runs 2 'a page without Python' inspect alone --html page.html
contains err "cannot run 'no-such-python'"
runs 2 'a page as JSON' inspect alone --html page.html --json
runs 0 'inspect with a shape' inspect "$m" --input-shape x=N,4
contains out 'x: float32[N, 4]'
runs 0 'a model of Paddle 3' convert "$models/pir/jit" -o pir.onnx
present pir.onnx
runs 0 'what a model of Paddle 3 holds' inspect "$models/pir/json_separate"
contains out 'PIR JSON, Paddle 3'
contains out 'parameters: 2'
runs 1 'channels that do not fit' convert "$models/jit" -o x.onnx --input-shape image=1,3,8,8
contains err "has 3 channels, but the filter is for 2"
runs 1 'rows that do not fit' convert "$m" -o x.onnx --input-shape x=1,5
contains err '5'
absent x.onnx

# A failure leaves the old file as it was, and nothing beside it.
echo old >kept.onnx
cp -r "$models/tensor_array" unknown
unknown=$PWD/unknown/model.pdmodel
LC_ALL=C sed -i 's/tensor_array_to_tensor/tensor_array_to_ransom/' "$unknown"
runs 1 'unsupported operator' convert "$unknown" -o kept.onnx
contains err "is not supported [E_UNSUPPORTED_OP]"
contains err "see 'fluid2onnx spec --help'"
contains err 'block '
if [[ $(cat kept.onnx) == old ]]; then pass; else fail 'the old file was changed'; fi
runs 3 'no such folder' convert "$m" -o missing/x.onnx
mkdir folder.onnx
runs 3 'a folder' convert "$m" -o folder.onnx
if compgen -G '*.tmp*' >/dev/null || compgen -G '.*.onnx*' >/dev/null; then fail 'a temporary file was left'; else pass; fi
runs 1 'inspect of what cannot be converted' inspect "$unknown"
contains out 'cannot be converted at opset 17'

# -- weights -------------------------------------------------------------------------------------------------------
runs 2 'weights nowhere' convert "$m" -o w.onnx --weights there
for where in auto inline external reference; do
  runs 0 "weights $where" convert "$m" -o w.onnx --weights $where --sync
  present w.onnx
done

# -- without what POSIX lacks ---------------------------------------------------------------------------------------
mkdir portable usual
for name in lstm jit pir/jit model_separate; do
  for where in inline external; do
    runs 0 "$name" convert "$models/$name" -o usual/x.onnx --weights $where -q
    for from in absent there; do # the result takes the place of another one
      FLUID2ONNX_PORTABLE=1 runs 0 "$name on any system, $from" convert "$models/$name" -o portable/x.onnx --weights $where -q
      if diff -r usual portable >difference; then pass; else fail "$name is another file on other systems" difference; fi
    done
    rm usual/* portable/*
  done
done
FLUID2ONNX_PORTABLE=1 runs 3 'no such folder, on any system' convert "$m" -o missing/x.onnx
(ulimit -f 1 && FLUID2ONNX_PORTABLE=1 exec "$fluid2onnx" convert "$models/lstm" -o portable/x.onnx >/dev/null 2>err)
if [[ $? == 3 && -z $(ls -A portable) ]]; then pass; else fail 'a file that grows too large, on any system' err; fi
if command -v strace >/dev/null; then
  FLUID2ONNX_PORTABLE=1 strace -f -o calls "$fluid2onnx" convert "$models/lstm" -o portable/x.onnx -q
  if grep -qE 'O_TMPFILE|\blinkat\(|MADV_POPULATE_READ' calls; then fail 'calls of Linux alone'; else pass; fi
fi

# -- files that cannot be completed --------------------------------------------------------------------------------
mkdir limited
(ulimit -f 1 && exec "$fluid2onnx" convert "$models/lstm" -o limited/x.onnx >/dev/null 2>err)
if [[ $? == 3 ]]; then pass; else fail 'a file that grows too large' err; fi
contains err 'File too large'
if [[ -z $(ls -A limited) ]]; then pass; else fail 'a file that grew too large was left'; fi
runs 3 'a full disk' convert "$m" -o /dev/full
contains err 'No space left on device'

if unshare -rm true 2>/dev/null; then # a file system of our own
  mkdir small
  for where in inline external; do
    unshare -rm sh -c '
      mount -t tmpfs -o size=16k none small || exit
      head -c 16384 /dev/zero >small/filler
      "$0" convert "$1" -o small/x.onnx --weights '$where' >/dev/null 2>err
      echo $? >out
      ls -A small >>out' "$fluid2onnx" "$models/lstm"
    if [[ $(cat out) == $'3\nfiller' ]]; then pass; else fail "a full disk, $where" out; fi
    contains err 'No space left on device'
  done
fi

# -- on a terminal -------------------------------------------------------------------------------------------------
if command -v python3 >/dev/null; then
  if python3 "$here/terminal.py" "$fluid2onnx" "$m" 2>err; then pass; else fail 'on a terminal' err; fi
fi

# -- ops -----------------------------------------------------------------------------------------------------------
runs 0 'ops' ops
contains out ' operators; N+: from opset N on'
runs 0 'one op' ops conv2d
contains out 'conv2d: '
runs 1 'misspelt op' ops conv2b
contains err "did you mean 'conv2d'?"
contains err '[E_UNSUPPORTED_OP]'
runs 0 'ops as JSON' ops --json
contains out '"op": "conv2d"'

# -- batch ---------------------------------------------------------------------------------------------------------
cat >requests <<END
{"model": "$m", "params": null, "output": "$work/batch.onnx", "opset": 13}
no JSON
{"model": "$work/missing", "params": null, "output": "$work/model.onnx", "opset": 13}
{"model": "$unknown", "params": null, "output": "$work/none.onnx", "opset": 13, "input_shapes": {"x": [null, 4]}}
{"model": "$m", "output": "$work/none.onnx", "opset": "13"}
{"model": "$m", "output": "$work/none.onnx", "lod": "some"}
{"model": "$m", "output": "$work/none.onnx", "unknown": 1}
{"model": "$m"}
END
"$fluid2onnx" batch <requests >out 2>err || fail 'batch' err
contains out '"ok":true'
contains out '"code":"E_USAGE"'
contains out '"code":"E_NOT_FOUND"'
contains out '"tensor_array_to_ransom":"operator '
contains out 'opset: wrong type: '
contains out "lod: 'some' is not one of lengths, single"
contains out 'unknown: unknown option'
contains out "the request needs 'output'"
if [[ $(wc -l <out) == 8 ]]; then pass; else fail 'one answer per request' out; fi
present batch.onnx
absent model.onnx
absent none.onnx

# -- convert --validate -------------------------------------------------------------------------------------------
runs 2 'cut inputs cannot be compared' convert "$m" -o model.onnx --validate --inputs a,b
contains err '--inputs: must be a .npz file'
runs 2 'recorded outputs without inputs' convert "$m" -o model.onnx --expected e.npz
contains err 'needs --inputs FILE.npz with the inputs of these outputs'
runs 2 'kernels without a run' convert "$m" -o model.onnx --custom-op-library kernels.so
contains err 'needs --validate, which runs ONNX Runtime'
runs 0 'operators with their own nodes' convert "$models/model_combined" -o apart.onnx --no-fuse
contains out 'MatMul 1'
contains out 'Add 1'
runs 2 'an option for conversions to ONNX' convert apart.onnx -o apart.pdmodel --no-fuse
contains err '--no-fuse: does not apply to the conversion from ONNX to Paddle'
runs 2 'ports in half precision' convert "$m" -o model.onnx --fp16 --half-io --validate
absent model.onnx
FLUID2ONNX_PYTHON=no-such-python runs 2 'validate without Python' convert "$m" -o model.onnx --validate
contains err "cannot run 'no-such-python'"
contains out ' = '
present model.onnx
FLUID2ONNX_PYTHON=no-such-python runs 2 'the same as JSON' convert "$m" -o model.onnx --validate --json
contains out '"validation": null'
runs 0 'structure' convert "$m" -o model.onnx --structure -q
contains out ' = '

# -- validate ------------------------------------------------------------------------------------------------------
FLUID2ONNX_PYTHON=no-such-python runs 2 'no Python' validate a b
contains err "cannot run 'no-such-python'"
unset PYTHONPATH
printf '#!/bin/sh\nexec python3 -S "$@"\n' >bare-python # without installed packages
chmod +x bare-python
export FLUID2ONNX_PYTHON=$work/bare-python
if command -v python3 >/dev/null; then
  runs 0 'help without numpy' validate --help
  contains out '--input-shape'
  runs 2 'validate without packages' validate a b
  contains err 'has no package paddle numpy onnxruntime'
  contains err "-m pip install paddlepaddle==2.6.2 'numpy<2' onnxruntime"
  for script in conformance/run.py conformance/corpus.py models/run_models.py models/make_models.py; do
    got=0
    ./bare-python "$here/../$script" >out 2>err || got=$?
    if [[ $got == 2 && -x $here/../$script ]]; then pass; else fail "$script: exit status $got, expected 2, or it is not executable" err; fi
    contains err "lacks numpy and onnx and onnxruntime"
    contains err "scripts/quickstart"
  done
fi

# The input model is not overwritten.
cp -r "$models/lstm" own
mv own/model.pdmodel own/__model__
mv own/model.pdiparams own/__params__
before=$(sha256sum own/*)
runs 2 'output over the program' convert own/__model__ -o own/__model__
contains err 'would overwrite the input model'
runs 2 'output over the parameters' convert own/__model__ -o own/__params__ --weights reference
contains err 'would overwrite the input model'
if [[ $(sha256sum own/*) == "$before" ]]; then pass; else fail 'the model was changed'; fi

runs 2 'half precision by reference' convert own/__model__ -o half.onnx --fp16 --weights reference
contains err 'so the model cannot refer to it'
runs 2 'an operator that ONNX lacks' convert own/__model__ -o half.onnx --fp16 --float32-ops Sofmax
contains err "ONNX has no operator 'Sofmax'"
absent half.onnx
for options in --fp16 '--fp16 --half-io' '--fp16 --half-ops all' '--bf16'; do
  # shellcheck disable=SC2086 # several options
  runs 0 "sequences with $options" convert "$models/tensor_array" -o half.onnx $options
done

# -- many models ---------------------------------------------------------------------------------------------------
mkdir -p zoo/deep/er
cp -r "$models/static_save" "$models/model_combined" zoo/
cp -r "$models/lstm" zoo/deep/er/
cp "$unknown" zoo/deep/unknown.pdmodel
cp "${unknown%.pdmodel}.pdiparams" zoo/deep/unknown.pdiparams
echo 'not a model' >zoo/deep/text.pdmodel
cp "$models/pir/json_untrainable/model.json" zoo/static_save/
runs 3 'a folder of models' convert -r zoo -o onnx --jobs 2
present onnx/static_save/model.onnx
present onnx/model_combined.onnx
present onnx/deep/er/lstm/model.onnx
present onnx/static_save/model.pdmodel.onnx # beside model.json, which comes first
absent onnx/deep/text.onnx
absent onnx/deep/unknown.onnx
contains out '6 models: 4 converted, 2 failed'
contains out 'failed: E_NOT_A_MODEL'
contains out '1       E_UNSUPPORTED_OP tensor_array_to_ransom'
contains err 'deep/text.pdmodel:'
contains err "deep/unknown.pdmodel:"
contains err 'is not supported [E_UNSUPPORTED_OP]'
runs 3 'all of it again' convert -r zoo -o onnx -q
quiet out
runs 3 'only what is left' convert -r zoo -o onnx --resume --json
contains out '"done_before": 4'
contains out '"converted": 0'
contains out '"failed": 2'
contains out '"exit_code": 3'
contains out '"code": "E_UNSUPPORTED_OP"'
rm onnx/model_combined.onnx
touch zoo/deep/er/lstm/model.pdmodel
cp "$m" zoo/deep/text.pdmodel # which was damaged
cp "$models/static_save/model.pdiparams" zoo/deep/text.pdiparams
runs 1 'what has changed' convert -r zoo -o onnx --resume
contains out '6 models: 3 converted, 2 done before, 1 failed'
present onnx/model_combined.onnx
printf '{"output": "half a li' >>onnx/convert.jsonl # as a run leaves it that is killed
runs 1 'a journal that was cut off' convert -r zoo -o onnx --resume
contains out '0 converted, 5 done before, 1 failed'
runs 1 'other options' convert -r zoo -o onnx --resume --opset 13
contains out '5 converted, 1 failed'
runs 1 'the same options, said otherwise' convert -r zoo -o onnx --resume --opset=13 -q --jobs=1
cat >list.txt <<END
# models

$m
  zoo/model_combined
{"model": "$models/lstm", "opset": 11, "output": "listed/lstm-11.onnx"}
{"model": "$models/lstm", "output": "listed/lstm-11.onnx"}
{"model": "$models/lstm", "opst": 11}
{"model":
missing.pdmodel
good.onnx
END
runs 3 'a list' convert --list list.txt -o listed --opset 14
contains out '8 models: 4 converted, 4 failed'
contains err "its output 'listed/lstm-11.onnx' is that of '$models/lstm', too"
contains err 'opst: unknown option'
contains err "the line starts with '{' but is not a JSON object"
contains err 'missing.pdmodel: no such file'
present listed/lstm-11.onnx
if [[ $(find listed -name '*.pdmodel' | wc -l) == 1 ]]; then pass; else fail 'the way back in a list'; fi
"$fluid2onnx" convert --list - -o listed -q <<<"$m" >out 2>err || fail 'a list from a pipe' err
runs 3 'no list' convert --list missing.txt
runs 3 'an empty list' convert --list /dev/null
mkdir empty
runs 3 'no models' convert -r empty
contains err '[E_NO_MODEL]'
runs 3 'results where none can be' convert -r zoo -o /dev/null/x
runs 2 'list and model' convert "$m" --list list.txt
runs 2 'parameters of many' convert -r zoo --params p
runs 2 'validation of many' convert -r zoo --validate
runs 2 'jobs of one' convert "$m" --jobs 2
runs 2 'no jobs' convert -r zoo --jobs 0
# ONNX models become programs, each by its kind; what conversions wrote is no model.
mkdir -p mixed/deep
"$fluid2onnx" convert "$m" -o mixed/deep/only.onnx -q
cp -r "$models/static_save" mixed/there
"$fluid2onnx" convert "$m" -o mixed/there/model.onnx -q # as if it had been converted before
echo 'not a model' >mixed/text.onnx
original=$(sha256sum mixed/deep/only.onnx)
runs 3 'a folder of both kinds' convert -r mixed -o mixed/results
contains out '3 models: 2 converted, 1 failed'
contains err 'text.onnx:'
present mixed/results/deep/only.pdmodel
present mixed/results/deep/only.pdiparams
present mixed/results/there/model.onnx
absent mixed/results/there/model.pdmodel
runs 3 'the same again, with results below the models' convert -r mixed -o mixed/results --resume
contains out '3 models: 0 converted, 2 done before, 1 failed'
runs 0 'ONNX models into their own folder' convert -r mixed/deep -o mixed/deep
for again in once twice; do
  (cd mixed/deep && "$fluid2onnx" convert -r .) >out 2>err || fail "ONNX models into their own folder, $again more" err
  contains out '1 model: 1 converted, 0 failed'
done
if [[ $(sha256sum mixed/deep/only.onnx) == "$original" ]]; then pass; else fail 'an ONNX model became the result of its result'; fi
# One that does not end, and is killed: the others go on, and its end is reported.
mkfifo endless # is waited for three seconds
child=
printf '{"model": "%s", "output": "endless"}\n%s\n' "$m" "$models/lstm" >list.txt
"$fluid2onnx" convert --list list.txt -o killed --jobs 1 >out 2>err &
parent=$!
for ((i = 0; i < 100; i++)); do
  read -r child <"/proc/$parent/task/$parent/children" || [[ $child ]] && break # the list has no newline
  sleep 0.05
done
kill -KILL "$child"
got=0
wait $parent || got=$?
if [[ $got == 1 ]]; then pass; else fail "a model that was killed: exit status $got, expected 1" err; fi
contains err 'was ended by signal 9'
contains out '2 models: 1 converted, 1 failed'
# -- targets -------------------------------------------------------------------------------------------------------
runs 0 'convert for a target' convert "$m" -o for.onnx --target tract
contains out 'target     tract'
contains out 'runs all nodes'
runs 2 'an unknown target' convert "$m" -o for.onnx --target trakt
contains err "--target: unknown target 'trakt'; did you mean 'tract'?"
runs 2 'an unknown version' convert "$m" -o for.onnx --target tensorrt@5
contains err "no facts about version '5' of 'tensorrt'; there are facts about 10.0, 8.6"
runs 0 'lint' lint for.onnx --target tensorrt@8
contains out 'TensorRT 8.6 runs all '
runs 0 'the opset of a target' convert "$m" -o for.onnx --target tract --opset 13
contains out 'for.onnx, opset 13'
runs 1 'a model with a loop, for a target' convert "$models/nested_control" -o loop.onnx --target tract
contains err 'Loop: the operator is not supported'
contains err 'hint: '
present loop.onnx
runs 1 'the same as JSON' convert "$models/nested_control" -o loop.onnx --target tract --json
contains out '"kind": "operator"'
contains out '"op": "Loop"'
runs 3 'a device, for a target' convert "$m" -o /dev/null --target tract
contains err '/dev/null: a model that is checked for a target cannot go to a pipe or device'
mkfifo piped.pdmodel
cat piped.pdmodel >read.pdmodel &
runs 0 'a program into a pipe' convert for.onnx -o piped.pdmodel --json
wait $!
contains out "\"model_bytes\": $(stat -c %s read.pdmodel),"
runs 0 'a custom operator that no output needs' convert "$models/lstm" -o front.onnx --outputs transpose_0.tmp_0 \
  --custom-op rnn=com.example::R
if grep -q 'does not occur' out; then fail 'the operator occurs' out; else pass; fi
runs 1 'an LSTM, for a target without it' convert "$models/lstm" -o lstm.onnx --target ncnn
contains err 'hint: convert with --input-shape x=1,5,4'
contains err 'hint: --outputs transpose_0.tmp_0 cuts the model before these nodes, and keeps 1'
contains err 'hint: --inputs transpose_0.tmp_0,x -o rest.onnx converts the rest, for another engine'
contains err 'results = rest.run(None, {x.name: values[x.name] for x in rest.get_inputs()})'
runs 0 'an LSTM in two files' convert "$models/lstm" -o front.onnx --target ncnn --rest rest.onnx --input-shape x=1,5,4
contains out 'outputs    transpose_0.tmp_0  float32[5, 1, 4]'
contains out 'rest = onnxruntime.InferenceSession("rest.onnx")'
contains out 'written    rest.onnx'
runs 0 'the same as JSON' convert "$models/lstm" -o front.onnx --target ncnn --rest rest.onnx --input-shape x=1,5,4 --json
contains out '"rest": {'
rm rest.onnx
runs 0 'a model without a rest' convert "$models/lstm" -o front.onnx --target openvino --rest rest.onnx
if [[ -e rest.onnx ]]; then fail 'no rest is written'; else pass; fi
runs 2 'a rest without a target' convert "$models/lstm" -o front.onnx --rest rest.onnx
contains err '--rest requires --target'
runs 2 'a rest over the output' convert "$models/lstm" -o front.onnx --target ncnn --rest front.onnx
contains err "'front.onnx' is both the output and the rest of the model [E_USAGE]"
runs 2 'the same, by another path' convert "$models/lstm" -o front.onnx --target ncnn --rest ./front.onnx
contains err "'./front.onnx' is both the output and the rest of the model [E_USAGE]"
runs 3 'a rest in a folder that does not exist' convert "$models/lstm" -o front.onnx --target ncnn --rest nowhere/rest.onnx
contains err 'nowhere/rest.onnx: the folder does not exist [E_WRITE]'
runs 2 'a rest of a part' convert "$models/lstm" -o front.onnx --target ncnn --rest rest.onnx --inputs transpose_0.tmp_0,x
contains err 'a model with --inputs or --rename is not divided for a target [E_USAGE]'
mkdir notutf8
LC_ALL=C sed 's/transpose_0\.tmp_0/\xffranspose_0.tmp_0/g' "$models/lstm/model.pdmodel" >notutf8/model.pdmodel
cp "$models/lstm/model.pdiparams" notutf8/
runs 1 'a divided model with a name that is not UTF-8' convert notutf8 -o notutf8.onnx --target ncnn
contains err 'ranspose_0.tmp_0,x'"'"' -o rest.onnx'
runs 1 'a provider that leaves nodes to ONNX Runtime' convert "$models/lstm" -o lstm.onnx --target coreml
contains err 'hint: ONNX Runtime runs these nodes on the CPU'
if grep -q -- '--outputs' err; then fail 'the model need not be divided' err; else pass; fi
runs 0 'the part before the LSTM' convert "$models/lstm" -o front.onnx --target ncnn --outputs transpose_0.tmp_0 --input-shape x=1,5,4
runs 0 'the rest' convert "$models/lstm" -o rest.onnx --inputs transpose_0.tmp_0,x
runs 1 'lint of a loop' lint loop.onnx --target tract
contains out 'tract'
contains out 'Loop: the operator is not supported'
runs 0 'a model to divide' convert "$models/lstm" -o whole.onnx
runs 1 'lint of a model that can be divided' lint whole.onnx --target ncnn
contains out 'onnx.utils.extract_model(model, "rest.onnx", cut + inputs, outputs)'
if grep -q -- '--outputs' out; then fail 'no option divides an ONNX file' out; else pass; fi
runs 0 'a model whose body reads outer values' convert "$models/while_loop" -o whole.onnx
runs 1 'lint of a model that onnx.utils cannot divide' lint whole.onnx --target tract
contains out 'onnx.utils.extract_model cannot divide the model'
runs 1 'lint as JSON' lint loop.onnx --target tract --json
contains out '"ok": false'
runs 1 'lint for all targets' lint loop.onnx --target all
contains out 'refuses 1 node: Loop'
runs 2 'lint without a target' lint loop.onnx
runs 2 'a target of a program of Paddle' convert loop.onnx -o loop.pdmodel --target tract
runs 3 'lint of a program of Paddle' lint "$m" --target tract
contains err "convert a Paddle program with 'fluid2onnx convert --target NAME'"
runs 3 'lint of no file' lint missing.onnx --target tract

# -- ONNX to Paddle ------------------------------------------------------------------------------------------------
# back STATUS ARGUMENT... | TEXT...: each line of the data below is a command and a text that it prints, on either stream.
"$fluid2onnx" convert "$m" -o there.onnx -q
"$fluid2onnx" convert "$models/jit" -o image.onnx -q
cp there.onnx nameless
# Identity of strings [2].
printf '%b' '\x08\x08\x3a\x37\x0a\x10\x0a\x01\x73\x12\x01\x79\x22\x08Identity\x12\x01\x67\x5a\x0f\x0a\x01\x73\x12\x0a\x0a\x08\x08\x08\x12' \
  '\x04\x0a\x02\x08\x02\x62\x0f\x0a\x01\x79\x12\x0a\x0a\x08\x08\x08\x12\x04\x0a\x02\x08\x02\x42\x04\x0a\x00\x10\x11' >strings.onnx
printf 'op: relu\ninputs: [X]\noutputs: [Out]\nnodes: [Out = Relu(X)]\n' >relu.yaml
while IFS='|' read -r status arguments texts; do
  [[ $status =~ ^[0-9] ]] || continue
  got=0
  # shellcheck disable=SC2086 # several arguments
  "$fluid2onnx" $arguments >out 2>err </dev/null || got=$?
  cat out >>err
  if [[ $got == "$status" ]]; then pass; else fail "$arguments: exit status $got, expected $status" err; fi
  IFS='|' read -ra wanted <<<"$texts"
  for text in "${wanted[@]}"; do contains err "$text"; done
done <"$here/onnx_to_paddle.txt"
for file in back.pdmodel back.pdiparams there.pdmodel there.pdiparams nameless.pdmodel shaped.pdmodel cut.pdmodel third.json third.pdiparams again.onnx image3.json image3.pdiparams; do present $file; done
for file in wrong.onnx wrong.pdmodel wrong.json wrong.pdiparams half.pdmodel; do absent $file; done

echo "cli: $passed passed, $failed failed"
[[ $failed == 0 ]]
