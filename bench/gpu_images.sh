#!/usr/bin/env bash
# Images on an NVIDIA GPU, in under 100 seconds of it: the tests of patterns on a device, then whole
# solves beside the figures that they should reach. Nothing is built here:
#
#   bench/gpu_images.sh FOLDER
#
# bench/gpu_common.sh says what the folder has and where the figures go.
. "$(dirname "$0")/gpu_common.sh"

began "tests"
tests --gtest_filter='DevicePatterns*:DevicePhase*:DeviceAlgebra*:DeviceL1*'
echo "exit code $?"

began "883 x 1280, 21 octanary patterns, to 1e-5: 0.25 s without a set, 0.1 s with nonnegative"
program simulate cdp --image stars --size 883x1280 --patterns 21 --seed 1 --out "$work/a" --quiet
for repeat in 1 2; do
  solve "none $repeat" phase "$work/a" --target-error 1e-5 --device gpu --out "$work/none$repeat"
done
cmp "$work/none1/signal.npy" "$work/none2/signal.npy" && echo "same bits twice"
solve nonnegative phase "$work/a" --constraint nonnegative --target-error 1e-5 --device gpu
solve "none, single precision" phase "$work/a" --target-error 1e-5 --precision single --device gpu
solve "none, 16 cores" phase "$work/a" --target-error 1e-5 --device cpu
rm -rf "$work/a" "$work"/none?

began "2048 x 2048, 8 octanary patterns, nonnegative, to 1e-5: 30 times two cores"
program simulate cdp --image stars --size 2048x2048 --patterns 8 --seed 2 --out "$work/b" --quiet
solve "2048 on the GPU" phase "$work/b" --constraint nonnegative --target-error 1e-5 --device gpu
solve "2048 on two cores" phase "$work/b" --constraint nonnegative --target-error 1e-5 --device cpu \
      --threads 2
rm -rf "$work/b"

began "memcheck"
if [ "$SECONDS" -lt 80 ] && command -v compute-sanitizer > /dev/null; then
  LD_LIBRARY_PATH=$libraries timeout $((98 - SECONDS)) compute-sanitizer --tool memcheck \
    "$built/device_tests" --gtest_brief=1 \
    --gtest_filter='DevicePatterns.CodedMasks*' | tail -4
fi
began "end"
