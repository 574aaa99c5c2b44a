#!/usr/bin/env bash
# What the threads and ranks of one machine gain, in under 6 minutes: products and whole solves with
# all cores over one, four ranks of a quarter of the cores beside one process with all of them, one
# rank beside the plain program, and multiply-adds alone, which is what the machine allows. No other
# work should be on it. Nothing is built here:
#
#   bench/cores.sh PROGRAMS [CORES [small]]
#
# PROGRAMS has projfgd and projfgd-mpi, CORES are all there are; small tries the script itself on
# small problems. Figures go to $OUT, or to the folder of the caller.
set -uo pipefail
programs=$(realpath "${1:?the folder with projfgd and projfgd-mpi}")
cores=${2:-$(nproc)}
out=${OUT:-$PWD}
q=14 wide=883x1280 side=1024 quick=()
[ "${3:-}" = small ] && q=9 wide=48x64 side=64 quick=(--quick)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
exec > >(tee "$out/cores.txt") 2>&1

ranks=(mpirun --oversubscribe --bind-to none -n)
began() { echo; echo "== $1 (after $SECONDS s)"; }

# Everything has to be over by then.
last=340
enough_time() { (( SECONDS < last - $1 )) || { echo "skipped: $2"; return 1; }; }

# run NAME COMMAND...: the seconds of the method, after the data were read.
run() {
  local name=$1
  shift
  timeout 80 "$@" --json --quiet > "$work/$name.json" 2> "$work/$name.err"
  local code=$?
  awk -F'[:,]' -v name="$name" -v code="$code" '
    /^  "(seconds|iterations)"/ { value[$1] = $2 }
    END { printf "%-34s %8.3f s %5d iterations  (exit %d)\n", name, value["  \"seconds\""],
                 value["  \"iterations\""], code }' "$work/$name.json"
  [ $code -le 1 ] || head -c 600 "$work/$name.err"  # 1 is a limit of iterations
}
seconds() { awk -F'[:,]' '/^  "seconds"/ { print $2 }' "$work/$1.json" 2>/dev/null; }
# ratio TEXT SLOW FAST
ratio() {
  awk -v text="$1" -v slow="$(seconds "$2")" -v fast="$(seconds "$3")" \
    'BEGIN { printf "   %-58s %.2f\n", text, (fast > 0 ? slow / fast : 0) }'
}

lscpu 2>/dev/null | grep -E "Model name|Thread|Core|Socket|^CPU\(s\)|L3"
"$programs/projfgd" --version | head -2

began "multiply-adds and products, $cores threads over 1"
timeout 90 "$programs/projfgd" bench --section scaling "${quick[@]}" --threads "$cores" --out "$out/scaling" |
  grep -v "single over"

began "products, $cores ranks over 1"
timeout 110 "${ranks[@]}" "$cores" "$programs/projfgd-mpi" bench --section ranks "${quick[@]}" --threads 1 \
  --out "$out/ranks"
grep -E '"name"|milliseconds|"value"' "$out/ranks/bench.json"

began "data"
cd "$work"
simulate() { timeout 60 "$programs/projfgd" simulate "$@" --seed 11 --quiet > /dev/null; }
simulate pauli --qubits $q --rank 1 --noise-norm 1e-3 --out one
simulate pauli --qubits $(( q - 2 )) --rank 20 --noise-norm 1e-3 --out twenty
simulate counts --qubits $(( q > 9 ? 8 : 4 )) --state w --shots 1000 --settings all --out counts
simulate cdp --image stars --size $wide --patterns 21 --out wide
simulate cdp --image stars --size ${side}x$side --patterns 32 --out square
du -sh -- * 

state="--errors none --seed 1"
jobs=("$q qubits, rank 1|tomography one --rank 1 --max-iterations 60 $state"
      "$(( q - 2 )) qubits, rank 20|tomography twenty --rank 20 --max-iterations 40 $state"
      "counts of all settings, rank 10|tomography counts --rank 10 --max-iterations 12 $state"
      "$wide, L = 21|phase wide --constraint nonnegative --seed 1"
      "$side x $side, L = 32|phase square --method projfgd --max-iterations 4 --seed 1")
quarter=$(( cores / 4 > 0 ? cores / 4 : 1 ))
for job in "${jobs[@]}"; do
  read -ra options <<< "${job#*|}"
  began "${job%%|*}"
  enough_time 60 "${job%%|*}" || continue
  run "one thread" "$programs/projfgd" "${options[@]}" --threads 1
  run "threads" "$programs/projfgd" "${options[@]}" --threads "$cores"
  run "ranks" "${ranks[@]}" "$cores" "$programs/projfgd-mpi" "${options[@]}" --threads 1
  run "two ranks" "${ranks[@]}" 2 "$programs/projfgd-mpi" "${options[@]}" --threads 1
  run "four ranks" "${ranks[@]}" 4 "$programs/projfgd-mpi" "${options[@]}" --threads "$quarter"
  ratio "$cores threads over 1" "one thread" "threads"
  ratio "2 ranks over 1" "one thread" "two ranks"
  ratio "$cores ranks over 1" "one thread" "ranks"
  ratio "4 ranks of $quarter threads over 1 process of $cores" "threads" "four ranks"
done

began "one rank beside the plain program"
options=(tomography one --rank 1 --max-iterations 8 --errors none --threads 1)
for round in 1 2 3; do
  enough_time 20 "round $round" || break
  run "plain" "$programs/projfgd" "${options[@]}"
  run "one rank" "${ranks[@]}" 1 "$programs/projfgd-mpi" "${options[@]}"
  ratio "of the plain program's time" "one rank" "plain"
done
began "end"
