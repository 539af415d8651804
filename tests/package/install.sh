#!/usr/bin/env bash
# Installs a build, and builds and runs an application against what was installed.
#   install.sh BUILD_DIR REPOSITORY
set -euo pipefail
build=$1 repository=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/installed" >/dev/null
# Public headers only, and all that they include.
cd "$work/installed/include/fluid2onnx"
[[ ! -e runtime/onnx/graph/emitter.h && ! -e runtime/to_onnx/walk.h ]]
for header in $(grep -rhoE '^#include "runtime/[^"]+' . | sed 's/.*"//' | sort -u); do
  [[ -e $header ]] || { echo "$header is included, but not installed"; exit 1; }
done
cd "$work"
cmake -S "$repository/tests/package/consumer" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/installed" >/dev/null
cmake --build "$work/build" >/dev/null
"$work/build/consumer" "$repository/tests/data/models/lstm/model.pdmodel" "$work/model.onnx"
[[ -s $work/model.onnx ]]
if command -v pkg-config >/dev/null; then
  PKG_CONFIG_PATH=$(dirname "$(find "$work/installed" -name fluid2onnx.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046 # words
  c++ -std=c++20 "$repository/tests/package/consumer/main.cc" $(pkg-config --cflags --libs fluid2onnx) -o "$work/by_pkg_config"
  "$work/by_pkg_config" "$repository/tests/data/models/lstm/model.pdmodel" "$work/same.onnx"
  cmp "$work/model.onnx" "$work/same.onnx"
fi
diff - <("$work/build/exporter") <<'END'
t6 = BatchNormalization(x, gamma, beta, mean, variance, epsilon=0.001000)
n is t6
t8 = Relu(n)
y is t8
refused: 'X' has 8 channels, but 'Mean' is for 4
END
