#!/usr/bin/env bash
# Images on an NVIDIA GPU, in under 100 seconds of it: the tests of patterns on a device, then whole
# solves beside the figures that they should reach. Nothing is built here:
#
#   bench/gpu_images.sh FOLDER
#
# has the program projfgd and device_tests of a build with CUDA in the folder, and in its lib/ the
# libraries that the machine lacks. One text of figures goes to $OUT, or to the folder of the caller.
set -uo pipefail
built=$(realpath "${1:?the folder with projfgd and device_tests}")
figures=${OUT:-$PWD}/gpu_images.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec > "$figures" 2>&1  # a tee in the background would keep the shell waiting for itself

cufft=$(ls /usr/local/cuda*/lib*/libcufft.so.12 /usr/local/cuda*/targets/*/lib/libcufft.so.12 2>/dev/null |
        head -1)
cufft=${cufft:-$(find /usr /opt -name libcufft.so.12 2>/dev/null | head -1)}
libraries=$built/lib:${cufft%/*}:${LD_LIBRARY_PATH:-}
program() { LD_LIBRARY_PATH=$libraries timeout 40 "$built/projfgd" "$@"; }
tests() { LD_LIBRARY_PATH=$libraries timeout 40 "$built/device_tests" --gtest_brief=1 "$@"; }
echo "cuFFT: ${cufft:-not found}"
nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
program --version | grep -i gpu

began() { echo; echo "== $1 (after $SECONDS s)"; }

began "tests"
tests --gtest_filter='DevicePatterns*:DevicePhase*:DeviceAlgebra*:DeviceL1*'
echo "exit code $?"

# One line of a run: solve NAME DATA OPTIONS...
solve() {
  local name=$1 data=$2
  shift 2
  program phase "$data" "$@" --json > "$work/$name.json" 2> "$work/$name.err"
  local code=$?
  python3 - "$name" "$code" "$work/$name.json" "$work/$name.err" <<'LINE'
import json, sys
name, code, summary, errors = sys.argv[1:]
try:
    s = json.load(open(summary))
    keys = ("device", "status", "seconds", "setup_seconds", "transforms", "iterations",
            "relative_error", "threads")
    print(f"{name}: exit {code},", ", ".join(f"{k} {s[k]}" for k in keys if k in s))
except Exception:
    print(f"{name}: exit {code}, no summary:", open(errors).read()[-400:])
LINE
}

began "883 x 1280, 21 octanary patterns, to 1e-5: 0.25 s without a set, 0.1 s with nonnegative"
program simulate cdp --image stars --size 883x1280 --patterns 21 --seed 1 --out "$work/a" --quiet
for repeat in 1 2; do
  solve "none $repeat" "$work/a" --target-error 1e-5 --device gpu --out "$work/none$repeat"
done
cmp "$work/none1/signal.npy" "$work/none2/signal.npy" && echo "same bits twice"
solve nonnegative "$work/a" --constraint nonnegative --target-error 1e-5 --device gpu
solve "none, single precision" "$work/a" --target-error 1e-5 --precision single --device gpu
solve "none, 16 cores" "$work/a" --target-error 1e-5 --device cpu
rm -rf "$work/a" "$work"/none?

began "2048 x 2048, 8 octanary patterns, nonnegative, to 1e-5: 30 times two cores"
program simulate cdp --image stars --size 2048x2048 --patterns 8 --seed 2 --out "$work/b" --quiet
solve "2048 on the GPU" "$work/b" --constraint nonnegative --target-error 1e-5 --device gpu
solve "2048 on two cores" "$work/b" --constraint nonnegative --target-error 1e-5 --device cpu \
      --threads 2
rm -rf "$work/b"

began "memcheck"
if [ "$SECONDS" -lt 80 ] && command -v compute-sanitizer > /dev/null; then
  LD_LIBRARY_PATH=$libraries timeout $((98 - SECONDS)) compute-sanitizer --tool memcheck \
    "$built/device_tests" --gtest_brief=1 \
    --gtest_filter='DevicePatterns.CodedMasks*' | tail -4
fi
began "end"
