#!/usr/bin/env bash
# Builds the wheel and tries it as a user would:
#
#   run.sh PYTHON [WHEELS]    PYTHON has scripts/requirements/wheel.txt; the wheel for others is left in the folder WHEELS
#
# The one for others is built small and from the committed generated/, which takes minutes. The one that is only tried
# consists of the objects that the release preset made, which ccache remembers.
#
# Closes on "N passed, N failed".
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
python=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wheels=${2:-$work/wheels}
small=${2:+ON}
passed=0 failed=0
PATH=$(dirname "$python"):$PATH
unset FLUID2ONNX PYTHONPATH
# With the presets' flags, for the sake of ccache; without Paddle's Python on the way to Ninja.
export CMAKE_GENERATOR=Ninja CC=${CC:-/usr/bin/cc} CXX=${CXX:-/usr/bin/c++}

# check WHAT COMMAND...: the command succeeds.
check() {
  local what=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$what"
    tail -n 40 "$work/log"
  fi
}
at_most() { echo "$1: $2 (limit $3)"; (($2 <= $3)); }
finish() {
  printf 'wheel: %d passed, %d failed\n' $passed $failed
  [[ $failed == 0 ]]
  exit
}

cd "$work" || exit 1
check 'the source distribution builds' "$python" -m build --sdist --no-isolation -o source "$root"
mkdir unpacked
check 'it unpacks' tar xzf source/fluid2onnx-*.tar.gz -C unpacked --strip-components=1
# As `pip install .` does; from what is distributed, which may lack a file that a checkout has.
export CCACHE_BASEDIR=$work/unpacked CCACHE_NOHASHDIR=1
check 'the wheel builds' "$python" -m pip wheel --quiet --no-deps --no-build-isolation -w built ./unpacked \
  --config-settings=cmake.define.FLUID2ONNX_WERROR=ON --config-settings=cmake.define.FLUID2ONNX_SMALL="${small:-OFF}" \
  --config-settings=cmake.define.FLUID2ONNX_USE_MIRROR="${small:-OFF}"
wheel=$(ls built/*.whl 2>/dev/null) || finish
check 'auditwheel makes it fit other systems' "$python" -m auditwheel repair --strip -w "$wheels" "$wheel"
wheel=$(ls "$wheels"/*.whl 2>/dev/null) || finish
basename "$wheel"
[[ -z $small ]] || check 'it is below 10 MB' at_most bytes "$(stat -c %s "$wheel")" 10000000
[[ -z $small ]] || cat "$work/log"

# A clean environment, with nothing but the wheel.
/usr/bin/env python3 -m venv --without-pip clean
check 'it installs' "$python" -m pip --python clean/bin/python install --quiet --no-index --no-deps "$wheel"
check 'no package is needed' "$python" -m pip --python clean/bin/python check
export PATH=$work/clean/bin:/usr/bin:/bin
installed=$(echo clean/lib/python*/site-packages/fluid2onnx)
check 'it is linked with protections' "$python" "$root/tests/robustness/hardening.py" "$installed"/bin/* "$installed"/*.so
[[ -z $small ]] || check 'it checks stacks and buffers' \
  "$python" "$root/tests/robustness/hardening.py" --published "$installed/libfluid2onnx.so"
models=$root/tests/data/models
check 'fluid2onnx converts' fluid2onnx convert "$models/jit" -o jit.onnx
check 'so does the package' python -c "
import fluid2onnx, pathlib
assert fluid2onnx.convert('$models/jit').onnx == pathlib.Path('jit.onnx').read_bytes()
from fluid2onnx import engine
assert engine._module() is not None"
check 'all versions are one' python -c "
import fluid2onnx, subprocess
said = subprocess.run(['fluid2onnx', '--version'], capture_output=True, text=True).stdout.split()[1]
assert said == fluid2onnx.__version__, (said, fluid2onnx.__version__)"
check 'inspect --html draws' bash -c "fluid2onnx inspect '$models/jit' --html page.html && grep -q 'cytoscape-dagre' page.html"
check 'report packs' fluid2onnx report "$models/jit" -o report.tar.gz
check 'it lists what it contains' python - "$wheel" <<'END'
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    bill = json.loads(wheel.read(next(name for name in wheel.namelist() if name.endswith("/sboms/fluid2onnx.cdx.json"))))
    licences = next(name for name in wheel.namelist() if name.endswith("THIRD_PARTY.md"))
parts = {part["name"]: part for part in bill["components"]}
assert bill["metadata"]["component"]["version"] in sys.argv[1]
assert {"ONNX", "Protocol Buffers", "nanobind", "Cytoscape.js", "Dagre"} <= set(parts), parts
assert all(parts[name]["version"] for name in ("ONNX", "Protocol Buffers", "yaml-cpp", "nanobind")), parts
END
check 'opgen knows the specs' opgen explain conv2d --opset 11
check 'fluid2onnx-paddle2onnx converts' fluid2onnx-paddle2onnx -m "$models/jit" -mf model.pdmodel -pf model.pdiparams -s p.onnx
check 'validate says what it needs' bash -c 'fluid2onnx validate jit.onnx jit.onnx 2>&1 | grep "has no package paddle numpy"'
# In time of the processor: others may be at work on this machine.
milliseconds=$(python - <<'END'
import resource, subprocess, sys
def used(code):
    def now():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime
    times = []
    for _ in range(9):
        start = now()
        subprocess.run([sys.executable, "-c", code], check=True)
        times.append(now() - start)
    return min(times)
nothing = used("pass")
for what in ("import fluid2onnx", "from fluid2onnx import convert, inspect, _native"):
    print(round(1000 * (used(what) - nothing)))
END
)
read -r package all_of_it <<<"${milliseconds//$'\n'/ }"
check 'it is imported at once' at_most milliseconds "$package" 50
cat "$work/log"
check 'so is what converts' at_most milliseconds "$all_of_it" 100
cat "$work/log"

# The package's own tests, with what they need from the other environment, but the package from the wheel.
libraries=$("$python" -c 'import numpy, os; print(os.path.dirname(os.path.dirname(numpy.__file__)))')
check "the package's tests pass" env PYTHONPATH="$libraries" python -m unittest discover -s "$root/python/tests"
tail -n 3 "$work/log"
check 'mypy --strict has nothing to say' "$python" -m mypy --strict --cache-dir "$work/mypy" --config-file "$root/pyproject.toml"
check 'a typed script of a user passes, too' "$python" -m mypy --strict --cache-dir "$work/mypy" --python-executable clean/bin/python \
  "$root/tests/wheel/user.py"
finish
