#!/usr/bin/env bash
# Matrix problems on an NVIDIA GPU beside all cores, in under 2 minutes: entries, dense matrices,
# measurement vectors and counts of projectors. Nothing is built here; python3 with NumPy makes the
# data:
#
#   bench/gpu_matrices.sh FOLDER [small]
#
# bench/gpu_common.sh says what the folder has and where the figures go; small tries the script
# itself.
. "$(dirname "$0")/gpu_common.sh"

began "data"
python3 - "$work" "${2:-}" <<'DATA'
import json, sys
import numpy as np
folder, small = sys.argv[1], sys.argv[2] == "small"
draw = np.random.default_rng(1)

def describe(name, **keys):
    keys |= {"data": f"{name}_y.npy", "truth": f"{name}_u.npy"}
    json.dump(keys, open(f"{folder}/{name}.json", "w"))

def factor(name, n, rank):
    u = draw.standard_normal((n, rank)) / np.sqrt(n)
    np.save(f"{folder}/{name}_u.npy", u)
    return u

n, rank, m = (60, 2, 1500) if small else (20000, 5, 4000000)
u = factor("entries", n, rank)
at = draw.integers(0, n, (m, 2))
at = np.unique(np.sort(at, axis=1), axis=0)
np.save(f"{folder}/places.npy", at.astype(float))
np.save(f"{folder}/entries_y.npy", np.einsum("ij,ij->i", u[at[:, 0]], u[at[:, 1]]))
describe("entries", dimension=n, rank=rank, operator={"type": "entries", "places": "places.npy"})

n, rank, m = (12, 2, 100) if small else (192, 3, 2000)
u = factor("dense", n, rank)
a = draw.standard_normal((m, n, n))
a += np.swapaxes(a, 1, 2)
np.save(f"{folder}/matrices.npy", a)
np.save(f"{folder}/dense_y.npy", a.reshape(m, -1) @ (u @ u.T).ravel())
describe("dense", dimension=n, rank=rank, operator={"type": "dense", "matrices": "matrices.npy"})

n, rank, m = (20, 2, 200) if small else (1024, 3, 16384)
u = factor("vectors", n, rank)
a = draw.standard_normal((m, n))
np.save(f"{folder}/vectors.npy", a)
np.save(f"{folder}/vectors_y.npy", ((a @ u) ** 2).sum(axis=1))
describe("vectors", dimension=n, rank=rank, operator={"type": "rank-one", "vectors": "vectors.npy"})
DATA
program simulate counts --qubits "$([ "${2:-}" = small ] && echo 2 || echo 6)" --state random \
  --projectors minimal --shots 100000 --out "$work/projectors" --quiet

longest=60
for problem in entries dense vectors; do
  began "$problem"
  for device in gpu gpu cpu; do
    solve "$problem, $device" solve "$work/$problem.json" --device "$device"
  done
done
began "projectors"
for device in gpu gpu cpu; do
  solve "projectors, $device" tomography "$work/projectors" --rank 2 --errors none --device "$device"
done
began "end"
