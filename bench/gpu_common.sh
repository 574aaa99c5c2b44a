# shellcheck shell=bash
# To be sourced by bench/gpu_*.sh, which measure on an NVIDIA GPU and build nothing. $1 is the folder
# with the program projfgd and device_tests of a build with CUDA; its lib/ has the libraries that
# the machine lacks. The figures go to a text of the script's name in $OUT, or in the folder of the
# caller.
set -uo pipefail
built=$(realpath "${1:?the folder with projfgd and device_tests}")
figures=${OUT:-$PWD}/$(basename "$0" .sh).txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec > "$figures" 2>&1  # a tee in the background would keep the shell waiting for itself

cufft=$(ls /usr/local/cuda*/lib*/libcufft.so.12 /usr/local/cuda*/targets/*/lib/libcufft.so.12 2>/dev/null |
        head -1)
cufft=${cufft:-$(find /usr /opt -name libcufft.so.12 2>/dev/null | head -1)}
libraries=$built/lib:${cufft%/*}:${LD_LIBRARY_PATH:-}
longest=40  # seconds of a run
program() { LD_LIBRARY_PATH=$libraries timeout "$longest" "$built/projfgd" "$@"; }
tests() { LD_LIBRARY_PATH=$libraries timeout "$longest" "$built/device_tests" --gtest_brief=1 "$@"; }
echo "cuFFT: ${cufft:-not found}"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
program --version | grep -i gpu

began() { echo; echo "== $1 (after $SECONDS s)"; }

# One line of a run: solve NAME JOB DATA OPTIONS... It leaves the summary as $work/NAME.json.
solve() {
  local name=$1 code before=$EPOCHREALTIME
  shift
  program "$@" --json --quiet > "$work/$name.json" 2> "$work/$name.err"
  code=$?
  python3 - "$name" "$code" "$work/$name.json" "$work/$name.err" "$before" "$EPOCHREALTIME" <<'LINE'
import json, sys
name, code, summary, errors, before, after = sys.argv[1:]
try:
    s = json.load(open(summary))
    keys = ("device", "precision", "status", "seconds", "setup_seconds", "transforms", "iterations",
            "forward_calls", "adjoint_calls", "relative_error", "fidelity", "threads")
    print(f"{name}: exit {code}, {float(after) - float(before):.2f} s of the program,",
          ", ".join(f"{k} {s[k]}" for k in keys if s.get(k) is not None))
except Exception:
    print(f"{name}: exit {code}, {float(after) - float(before):.2f} s, no summary:",
          open(errors).read()[-400:])
LINE
}
