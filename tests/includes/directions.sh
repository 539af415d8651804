#!/usr/bin/env bash
# Sees to it that dependencies point one way: what a folder of runtime/ and generator/ may include is said here once.
#   directions.sh REPOSITORY
set -euo pipefail
cd "$1"

# Each folder, and the others of its tree that it may include.
allowed() {
  case $1 in
    runtime/support) ;;
    runtime/program) echo support ;;
    runtime/graph) echo support ;;
    runtime/onnx) echo support graph ;;
    runtime/convert) echo support graph ;;
    runtime/write) echo support graph ;;
    runtime/driver) echo support program graph convert write ;;
    runtime/fluid) echo support program graph onnx convert write driver ;;
    runtime/natives) echo support program graph convert driver ;;
    runtime/cli) echo support program graph onnx convert write driver fluid ;;
    generator/diagnostics) ;;
    generator/spec) echo diagnostics ;;
    generator/expr) echo diagnostics spec ;;
    generator/check) echo diagnostics spec expr ;;
    generator/lower) echo diagnostics spec expr check ;;
    generator/render) echo diagnostics spec expr check lower ;;
    generator/print) echo diagnostics spec expr check lower render ;;
    generator/format) echo diagnostics spec ;;
    generator/explain) echo diagnostics spec expr check lower ;;
    *) return 1 ;;
  esac
}

bad=0
complain() {
  printf '%s\n' "$1"
  bad=1
}

for tree in runtime generator; do
  other=$([[ $tree == runtime ]] && echo generator || echo runtime)
  while read -r line; do
    complain "${line%%:*} includes $other/: the two share no code"
  done < <(grep -rE "^#include \"$other/" "$tree" --include='*.h' --include='*.cc' || true)
  for folder in "$tree"/*/; do
    folder=${folder%/}
    if ! may=$(allowed "$folder"); then
      complain "$folder is a new folder: say in tests/includes/directions.sh what it may include"
      continue
    fi
    while IFS=: read -r file include; do
      target=${include#*\"$tree/}
      target=${target%%/*}
      [[ $tree/$target == "$folder" || " $may " == *" $target "* ]] && continue
      complain "$file includes $tree/$target/, which may not be known in $folder/"
    done < <(grep -roE "^#include \"$tree/[a-z_]+/" "$folder" --include='*.h' --include='*.cc' || true)
  done
done

# The interpreter of specs at run time knows both, of the runtime what converters know; of them only the command line
# knows it.
while read -r line; do
  complain "$line: the interpreter may include generator/, runtime/convert/ and runtime/support/ only"
done < <(grep -rE '^#include "' interpreter --include='*.h' --include='*.cc' | grep -vE '"(interpreter/|generator/|runtime/(convert|support)/)' || true)
while read -r line; do
  complain "$line: only runtime/cli/ may include interpreter/"
done < <(grep -rE '^#include "interpreter/' generator runtime --include='*.h' --include='*.cc' | grep -v '^runtime/cli/' || true)

# What is rendered knows the contract only.
while read -r line; do
  complain "$line: generated code may include its own headers, runtime/convert/, the interpreter's table, the table of Paddle 3's operators and what onnx_registry.cc implements only"
done < <(grep -rE '^#include "' generated --include='*.cc' | grep -vE '"(generated/|runtime/(convert/|program/pir_operators\.h|fluid/(natives|operators)\.h)|interpreter/operations\.h)' || true)

exit $bad
