#!/usr/bin/env bash
# States on an NVIDIA GPU, in under 7 minutes of it: whole solves from Pauli expectations and from
# counts, beside the figures that they should reach. `seconds` is the solve, `setup_seconds` what
# comes before: opening the GPU, reading and preparing the data. Nothing is built here:
#
#   bench/gpu_states.sh FOLDER
#
# bench/gpu_common.sh says what the folder has and where the figures go.
. "$(dirname "$0")/gpu_common.sh"
last=420  # seconds in which everything has to be over

# The most memory of the GPU that is in use, from a sample every 100 ms. Of the solve alone where it
# stands in front of one.
with_memory() {
  nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits --loop-ms=100 > "$work/memory" &
  local sampler=$!
  "$@"
  kill "$sampler"
  wait "$sampler" 2>/dev/null
  sort -n "$work/memory" | tail -1 | sed 's/^/    most memory in use, MB: /'
}

# Expectations with C = 3 and noise of norm 1e-3: simulate QUBITS RANK SEED, into $work/data.
simulate() {
  local before=$EPOCHREALTIME
  rm -rf "$work/data"
  program simulate pauli --qubits "$1" --rank "$2" --seed "$3" --csam 3 --noise-norm 1e-3 \
    --device gpu --out "$work/data" --quiet
  echo "simulated $1 qubits, rank $2, seed $3: exit code $?," \
       "$(awk -v a="$before" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.2f", b - a }') s"
}
expectations=(--device gpu --errors none)
known=("${expectations[@]}" --truth "$work/data/truth.npy")

# enough_time SECONDS: whether a run that takes so long ends in time. That is its limit, too.
enough_time() {
  longest=$1
  (( SECONDS + longest <= last )) || { echo "skipped: $((last - SECONDS)) s are left"; return 1; }
}

longest=40
for seed in 1 2; do
  began "13 qubits, rank 1, seed $seed: 30 ms"
  simulate 13 1 "$seed"
  for repeat in 1 2; do
    solve "without the true state, $repeat" tomography "$work/data/pauli.csv" --rank 1 "${expectations[@]}"
  done
  solve "with it" tomography "$work/data/pauli.csv" --rank 1 "${known[@]}"
  [ "$seed" = 1 ] && solve "with error bars" tomography "$work/data/pauli.csv" --rank 1 --device gpu
done

for seed in 1 2; do
  began "16 qubits, rank 1, seed $seed: 0.5 s"
  simulate 16 1 "$seed"
  solve "without the true state" tomography "$work/data/pauli.csv" --rank 1 "${expectations[@]}"
  with_memory solve "with it" tomography "$work/data/pauli.csv" --rank 1 "${known[@]}"
done
solve "single precision" tomography "$work/data/pauli.csv" --rank 1 "${known[@]}" --precision single
with_memory solve "with error bars" tomography "$work/data/pauli.csv" --rank 1 --device gpu

began "8 qubits, all 6561 settings of 1000 shots, random state, rank 10: 0.3 s"
program simulate counts --qubits 8 --state random --shots 1000 --settings all --seed 1 \
  --out "$work/data8" --quiet
with_memory solve "8 qubits" tomography "$work/data8" --rank 10 "${expectations[@]}"

for q in 16 20; do
  began "W state, $q qubits, 40 settings of 2000 shots: 30 s at 20 qubits"
  program simulate counts --qubits "$q" --state w --settings 40 --shots 2000 --seed 1 \
    --out "$work/w$q" --quiet
  with_memory solve "W state of $q qubits" tomography "$work/w$q" --target w --device gpu
done

began "18 qubits, rank 1: 7 s"
simulate 18 1 1
with_memory solve "18 qubits" tomography "$work/data/pauli.csv" --rank 1 "${known[@]}"

began "16 qubits, rank 20: 8 s"
simulate 16 20 1
with_memory solve "rank 20" tomography "$work/data/pauli.csv" --rank 20 "${known[@]}"

began "20 qubits, rank 1: 100 s, 60 s with single precision"
longest=60 simulate 20 1 1
enough_time 130 &&
  with_memory solve "20 qubits" tomography "$work/data/pauli.csv" --rank 1 "${known[@]}"
enough_time 110 &&
  with_memory solve "20 qubits, single precision" tomography "$work/data/pauli.csv" --rank 1 \
    "${known[@]}" --precision single
began "end"
