#!/usr/bin/env bash
# opgen's help texts, word by word, and wrong command lines.
#   help.sh OPGEN              compares with help/*.txt
#   UPDATE=1 help.sh OPGEN     rewrites help/*.txt: read the diff
set -uo pipefail
opgen=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED $1"; failed=1; }

pin() {
  local file=$here/help/$1.txt
  shift
  "$opgen" "$@" > "$work/out" || fail "opgen $*: exit status $?"
  if [[ ${UPDATE:-} ]]; then cp "$work/out" "$file"; fi
  diff -u "$file" "$work/out" || fail "opgen $* is not $file (UPDATE=1 rewrites it)"
}
pin opgen --help
for verb in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$here/help/opgen.txt"); do
  pin "$verb" "$verb" --help
done
[[ $(find "$here/help" -name '*.txt' | wc -l) == 10 ]] || fail 'help/ does not have one text per command'

# refuses TEXT ARGS...: exit status 2, and the text on the standard error.
refuses() {
  local text=$1 got=0
  shift
  "$opgen" "$@" > "$work/out" 2> "$work/err" || got=$?
  [[ $got == 2 ]] || fail "opgen $*: exit status $got, expected 2"
  grep -qF -- "$text" "$work/err" || fail "opgen $*: expected '$text', found: $(cat "$work/err")"
}
refuses "opgen: error: unknown command 'chek' (did you mean 'check'?)" chek
refuses "hint: run 'opgen --help' for the commands" chek
refuses "opgen check: error: unknown option '--rot' (did you mean '--root'?)" check --rot x
refuses "hint: run 'opgen check --help' for the options" check --opset 11
refuses "option '--root' needs DIR" check --root
refuses "option '--check' has no value" fmt --check=yes
refuses "--format is 'xml'; expected text, json or sarif" --check --format xml
refuses "--opset is '6'; expected 7 to " explain relu --opset 6
refuses "expected OP" explain
refuses "unexpected argument 'gelu'" explain relu gelu
refuses "'$work' has no folder opspecs/" check --root "$work"
mkdir "$work/opspecs"
refuses "opgen test: error: cannot run '$work/tests/conformance/run.py'" test relu --root "$work"
exit $failed
