#!/usr/bin/env bash
# Checks that dependencies point one way: the table lists what each folder of runtime/ and generator/ may include.
# It also checks that only the program prints or ends the process: the rest of runtime/ is a library.
#   directions.sh REPOSITORY
set -euo pipefail
cd "$1"

# Each folder, and the others of its tree that it may include.
allowed() {
  case $1 in
    runtime/support) ;;
    runtime/files) echo support ;;
    runtime/onnx/graph) echo support ;;
    runtime/onnx/read) echo support onnx/graph ;;
    runtime/onnx/write) echo support files onnx/graph ;;
    runtime/paddle/proto) ;;
    runtime/paddle/program) echo support ;;
    runtime/paddle/read) echo support paddle/program paddle/proto ;;
    runtime/paddle/write) echo support files onnx/graph onnx/write paddle/program paddle/proto ;;
    runtime/targets) echo support onnx/graph onnx/read ;;
    runtime/convert) echo support onnx/graph paddle/program targets ;;
    runtime/report) echo support onnx/graph onnx/write paddle/program targets convert ;;
    runtime/to_onnx) echo support onnx/graph onnx/write paddle/program targets convert report ;;
    runtime/to_onnx/natives) echo support onnx/graph paddle/program convert to_onnx ;;
    runtime/to_paddle) echo support onnx/graph onnx/read paddle/program paddle/read convert report ;;
    runtime/to_paddle/natives) echo support onnx/graph paddle/program convert to_paddle ;;
    runtime/api) echo support files onnx/graph onnx/read onnx/write paddle/program paddle/read paddle/write targets convert report to_onnx to_paddle ;;
    runtime/cli) echo support files onnx/graph paddle/program paddle/read targets convert report api ;;
    generator) echo diagnostics spec expr check lower render print format explain ;;
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

# The room of a folder: evaluate/ and passes/ belong to onnx/graph/.
room_of() {
  local folder=$1
  [[ $folder != runtime/onnx/graph/* ]] || folder=runtime/onnx/graph
  printf '%s' "$folder"
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
  while IFS=: read -r file include; do
    room=$(room_of "${file%/*}")
    include=${include#*\"}
    target=$(room_of "${include%/*}")
    if ! may=$(allowed "$room"); then
      complain "$room is a new folder: list in tests/includes/directions.sh what it may include"
      continue
    fi
    [[ $target == "$room" || " $may " == *" ${target#"$tree"/} "* ]] && continue
    complain "$file includes $target/, which $room/ must not include"
  done < <(grep -roE "^#include \"$tree/[a-z0-9_/]+\.[a-z.]+" "$tree" --include='*.h' --include='*.cc' || true)
done

# The interpreter of specs at run time knows both, of the runtime what converters know; of them only the command line
# knows it.
while read -r line; do
  complain "$line: the interpreter may include generator/, runtime/convert/, runtime/paddle/program/ and runtime/support/ only"
done < <(grep -rE '^#include "' interpreter --include='*.h' --include='*.cc' | grep -vE '"(interpreter/|generator/|runtime/(convert|paddle/program|support)/)' || true)
while read -r line; do
  complain "$line: only runtime/cli/ may include interpreter/"
done < <(grep -rE '^#include "interpreter/' generator runtime --include='*.h' --include='*.cc' | grep -v '^runtime/cli/' || true)

# What is rendered knows the contract only.
while read -r line; do
  complain "$line: generated code may include its own headers, runtime/convert/, the interpreter's table, the table of Paddle 3's operators and what onnx_registry.cc implements only"
done < <(grep -rE '^#include "' generated --include='*.cc' | grep -vE '"(generated/|runtime/(convert/|targets/|paddle/program/pir_operators\.h|to_paddle/(natives/natives|onnx_operators)\.h)|interpreter/operations\.h)' || true)

# The library reports errors by exceptions: its callers own the process and its streams.
while read -r line; do
  complain "$line: only runtime/cli/ may print or end the process"
done < <(grep -rnE '(^|[^[:alnum:]_])(abort|exit|_exit|_Exit|quick_exit|terminate|printf|fprintf|puts|fputs|perror|putchar)\(|std::(cout|cerr|clog)([^[:alnum:]_]|$)' \
  runtime interpreter --include='*.h' --include='*.cc' | grep -v '^runtime/cli/' | grep -vE '^[^:]+:[0-9]+: *//' || true)

exit $bad
