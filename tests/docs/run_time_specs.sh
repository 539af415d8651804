#!/usr/bin/env bash
# Carries out docs/run-time-specs.md, but for what needs Paddle.
#   run_time_specs.sh FLUID2ONNX REPOSITORY
set -euo pipefail
fluid2onnx=$(realpath "$1") repository=$(realpath "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=$repository/docs/run-time-specs.md
cd "$work"

# A sample whose leaky_relu is the page's operator: the names are of one length.
cp -r "$repository/tests/data/models/ops_1x" old
model=$(grep -rlE leaky_relu old | head -n 1)
LC_ALL=C sed -i 's/leaky_relu/snake_relu/g' "$model"
mkdir net && cp -r old/. net/

for file in my_ops.yaml softmax.yaml hard_swish.yaml; do
  awk -v head="<!-- file: $file -->" '$0 == head{found=1} found && inside && /^```$/{exit} found && inside{print} found && /^```yaml$/{inside=1}' "$page" > "$file"
done

fails() { # STATUS TEXT ARGUMENT...
  local status=$1 text=$2 got=0
  shift 2
  "$fluid2onnx" "$@" > out 2>&1 || got=$?
  if [[ $got != "$status" ]] || ! grep -qF -- "$text" out; then
    echo "'$*' gave $got, expected $status and '$text':"
    cat out
    exit 1
  fi
}
fails 1 "operator 'snake_relu'" convert net -o net.onnx
fails 1 "see 'fluid2onnx spec --help'" convert net -o net.onnx
test ! -e net.onnx
fails 0 '1 operators, 0 functions and 1 examples are correct' spec check my_ops.yaml
fails 0 ' = Sin(' convert net -o net.onnx --structure --spec my_ops.yaml
test -s net.onnx
fails 0 'can be converted' inspect net --spec my_ops.yaml

change=$(sed -n 's/^<!-- mistake: \(.*\) -->$/\1/p' "$page")
mkdir wrong
sed "s/${change% -> *}/${change#* -> }/" my_ops.yaml > wrong/my_ops.yaml
message=$(awk '/^<!-- mistake:/{found=1} found && inside && /^```$/{exit} found && inside{print} found && /^```text$/{inside=1}' "$page")
(cd wrong && fails 1 "$message" spec check my_ops.yaml)
(cd wrong && fails 2 "$message" convert ../net -o net.onnx --spec my_ops.yaml)
change=$(sed -n 's/^<!-- refusal: \(.*\) -->$/\1/p' "$page")
mkdir refused
sed "s/${change% -> *}/${change#* -> }/" my_ops.yaml > refused/my_ops.yaml
message=$(awk '/^<!-- refusal:/{found=1} found && inside && /^```$/{exit} found && inside{print} found && /^```text$/{inside=1}' "$page")
while read -r line; do
  (cd refused && fails 1 "$line" convert ../net -o net.onnx --spec my_ops.yaml)
done <<< "$message"
(cd refused && fails 1 '"spec": "my_ops.yaml:7"' convert ../net -o net.onnx --spec my_ops.yaml --json)

change=$(sed -n 's/^<!-- signature: \(.*\) -->$/\1/p' "$page")
mkdir unlike
sed "s/${change% -> *}/${change#* -> }/g" my_ops.yaml > unlike/my_ops.yaml
message=$(awk '/^<!-- signature:/{found=1} found && inside && /^```$/{exit} found && inside{print} found && /^```text$/{inside=1}' "$page")
while read -r line; do
  (cd unlike && fails 2 "${line%alpha=*}" convert ../net -o net.onnx --spec my_ops.yaml)
done <<< "$message"

test "$(cd wrong && "$fluid2onnx" convert ../net -o net.onnx --spec my_ops.yaml 2>&1 | grep -c Sine.*Sin)" == 1

# What recipes can call.
fails 0 'floor_divide(X: tensor, Y: tensor) -> Z: tensor' spec functions floor
fails 0 'abs(x: int|float) -> int|float' spec functions
fails 2 "no function matches 'flor_divide'" spec functions flor_divide
fails 1 "similar names: 'softmax', 'softmax_with_cross_entropy', 'fused_softmax_mask'" ops softm
fails 1 "did you mean 'softmax'?" ops sofmax
# The spec of its help is one.
"$fluid2onnx" spec --help | sed -n '/^  op:/,/^$/s/^  //p' > help.yaml
fails 0 '1 operators, 0 functions and 0 examples are correct' spec check help.yaml
fails 0 'written    help.onnx' convert net -o help.onnx --spec help.yaml

# One cause, one message.
sed 's/^    attrs: {alpha: 0.5}/    attrs: {alhpa: 0.5}/' my_ops.yaml > wrong/misspelt.yaml
fails 1 "has no attribute 'alhpa' (did you mean 'alpha'?) [unknown-attribute]" spec check wrong/misspelt.yaml
test "$(grep -c 'error:' out)" == 1
sed 's/^    attrs: {alpha: 0.5}/    attrs: {alpha: 0.0}\n    refused: E_REQUIER/' my_ops.yaml > wrong/code.yaml
fails 1 "unknown error code 'E_REQUIER' (did you mean 'E_REQUIRE'?) [unknown-code]" spec check wrong/code.yaml

printf 'op: snake_relu\ninputs: {X: tensor}\noutputs: {Out: tensor}\nattrs: {alpha: float}\nignore: {alpha: a test}\nnodes: [Out = Relu(X)]\n' > hurry.yaml
fails 0 "an operator needs the key 'examples' [missing-examples]" spec check hurry.yaml
fails 0 'written    hurry.onnx' convert net -o hurry.onnx --spec hurry.yaml


# What the signature and the operator do not have in common would change the result in silence.
differs() { # CHANGE OF hurry.yaml, TEXT
  sed "$1" hurry.yaml > differs.yaml
  fails 2 "$2" convert net -o differs.onnx --spec differs.yaml
  grep -qF 'spec: differs.yaml:' out
  grep -qF 'the operator is snake_relu(X) -> Out {alpha=' out
  test ! -e differs.onnx
}
differs '/^attrs/d; /^ignore/d' "the spec does not declare attribute 'alpha' of the operator [E_USAGE]"
differs 's/alpha: float/slope: "float = 1.0"/; s/alpha: a/slope: a/' \
  "the spec does not declare attribute 'alpha' of the operator, but declares attribute 'slope', which the operator does not have [E_USAGE]"
differs 's/alpha: float/alpha: float, beta: float/; /^ignore/d; s/Relu(X)/X * alpha * beta/' \
  "the spec declares attribute 'beta', which the operator does not have [E_USAGE]"
differs 's/alpha: float/alpha: int/; /^ignore/d; s/Relu(X)/X * alpha/' \
  "attribute 'alpha' is a float, but the spec declares an integer [E_USAGE]"
differs 's/X: tensor/Input: tensor/; s/(X)/(Input)/' \
  "the spec does not declare operand 'X' of the operator, but declares operand 'Input', which the operator does not have [E_USAGE]"
differs 's/X: tensor/Y: "tensor?"/; s/Relu(X)/Relu(Y) if has(Y) else Constant(value_float=1.0)/' \
  "the spec does not declare operand 'X' of the operator, but declares operand 'Y', which the operator does not have [E_USAGE]"
differs 's/Out/Y/g' "the spec does not declare result 'Out' of the operator, but declares result 'Y', which the operator does not have [E_USAGE]"
sed 's/alpha: float/alpha: float, beta: "float = 2.0", use_mkldnn: "bool = false"/; s/alpha: a/beta: a test, use_mkldnn: a test, alpha: a/' hurry.yaml > more.yaml
fails 0 'written    more.onnx' convert net -o more.onnx --spec more.yaml

fails 0 'LogSoftmax 1' convert "$repository/tests/data/models/static_save" -o softmax.onnx --spec softmax.yaml

# The other direction.
cat > back.yaml << 'END'
op: Softmax
doc: By its logarithm
inputs: [input]
outputs: [output]
attrs: [axis]
require:
  - that: axis != 7
    else: axis 7 is not mine
nodes:
  - output = fluid.exp(fluid.log_softmax(input, axis=axis))
END
fails 0 '1 operators, 0 functions and 1 examples are correct' spec check hard_swish.yaml
"$fluid2onnx" convert "$repository/tests/data/models/static_save" -o plain.onnx -q
fails 0 'log_softmax 1' convert plain.onnx -o back.pdmodel --spec back.yaml
fails 0 'log_softmax(X=' inspect back.pdmodel --ops
sed 's/axis != 7/axis == 7/' back.yaml > seven.yaml
fails 1 'spec: seven.yaml:7' convert plain.onnx -o seven.pdmodel --spec seven.yaml
test ! -e seven.pdmodel
sed 's/fluid.exp(/fluid.erfinv(/' back.yaml > erfinv.yaml
fails 1 "specs at run time cannot emit Paddle's operator 'erfinv'" spec check erfinv.yaml
sed 's/op: Softmax/op: com.microsoft.SoftMax/' back.yaml > near.yaml
fails 1 "ONNX has no operator 'com.microsoft.SoftMax'" spec check near.yaml

mkdir folder && cp my_ops.yaml softmax.yaml folder
fails 0 '2 operators' spec check folder
fails 0 'custom     com.example::Snake' convert net -o custom.onnx --custom-op snake_relu=com.example::Snake
fails 0 "operator 'snake_rely' of --custom-op a::B does not occur in this model; did you mean 'snake_relu'?" \
  convert net -o custom.onnx --custom-op snake_relu=com.example::Snake --custom-op snake_rely=a::B
fails 2 "unknown command 'tst'; did you mean 'test'?" spec tst my_ops.yaml
fails 1 "hint: --custom-op names 'snake_rel': did you mean 'snake_relu'?" convert net -o near.onnx --custom-op snake_rel=com.example::Snake
sed 's/op: snake_relu/op: snake_rel/' hurry.yaml > near.yaml
fails 1 "hint: the spec in near.yaml is of 'snake_rel': did you mean 'snake_relu'?" convert net -o near.onnx --spec near.yaml
rm -f left.onnx
fails 1 'left       paddle::snake_relu' convert net -o left.onnx --continue-on-error
test -s left.onnx
