"""The optimality gap of projfgd beside the minimum that two conic solvers find.

    python bench/rivals/beside_conic_solvers.py PROJFGD [PROBLEMS] [SEED]

PROJFGD is the program; needs `pip install numpy scipy scs clarabel`. Draws problems of every convex
loss, over X >= 0 without and with a bound on the trace, solves each by projfgd at a random rank and
after a random number of iterations, and compares `optimality_gap` with f - f(Y). Y is the better of
the answers of SCS and Clarabel, moved into the set: no gap may be below that, or above f itself."""

import itertools
import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import clarabel
import numpy as np
import scs
from scipy import sparse

ROUNDING = 1e-9  # of f, which is printed with all its digits
STATES = {"H": [1, 0], "V": [0, 1], "D": [1, 1], "A": [1, -1], "R": [1, 1j], "L": [1, -1j]}
PAULIS = {"I": np.eye(2), "X": [[0, 1], [1, 0]], "Y": [[0, -1j], [1j, 0]], "Z": [[1, 0], [0, -1]]}


def kron(parts):
    out = np.eye(1)
    for part in parts:
        out = np.kron(out, np.array(part))
    return out


def random_x(random, n, rank, real):
    u = random.normal(size=(n, rank)) + (0 if real else 1j) * random.normal(size=(n, rank))
    return u @ u.conj().T / np.linalg.norm(u) ** 2


# A problem: name, loss, matrices A_i, data y, weights c (or exposures e), trace ("none", "ball",
# "sphere") with its bound 1, what is added to f of the formula, and the files and words for projfgd.


def matrix_problem(random, folder, loss, trace):
    n, real = int(random.integers(2, 7)), bool(random.integers(2))
    m = int(random.integers(n, 2 * n * n + 2))
    x = random_x(random, n, int(random.integers(1, n + 1)), real)
    v = random.normal(size=(m, n)) + (0 if real else 1j) * random.normal(size=(m, n))
    matrices = np.einsum("ij,ik->ijk", v, v.conj())
    p = np.einsum("ijk,kj->i", matrices, x).real
    weights = np.ones(m)
    description = {"type": loss}
    if loss == "poisson":
        weights = random.uniform(5, 50, m)
        description["exposures"] = "weights.npy"
        y = random.poisson(weights * p).astype(float)
    elif loss == "logistic":
        weights = np.full(m, float(random.uniform(0.3, 2)))
        description["noise_scale"] = weights[0]
        y = np.where(random.random(m) < 1 / (1 + np.exp(-(p - p.mean()) / weights)), 1.0, -1.0)
    else:
        if loss == "weighted-least-squares":
            weights = random.uniform(0, 3, m)
            description["weights"] = "weights.npy"
        y = p + random.choice([0, 0.1, 1]) * random.normal(size=m)
    np.save(folder / "vectors.npy", v.real if real else v)
    np.save(folder / "y.npy", y)
    np.save(folder / "weights.npy", weights)
    (folder / "problem.json").write_text(json.dumps({
        "dimension": n, "field": "real" if real else "complex", "data": "y.npy", "loss": description,
        "operator": {"type": "rank-one", "vectors": "vectors.npy"}}))
    constraint = {"none": "none", "ball": "frobenius-ball:1", "sphere": "frobenius-sphere:1"}[trace]
    words = ["solve", folder / "problem.json", "--constraint", constraint]
    return loss, real, matrices, y, weights, trace, words


def state_problem(random, folder, kind, trace):
    qubits = int(random.integers(1, 4 if kind != "projectors" else 3))
    n, words = 2 ** qubits, ["tomography", folder / "data.json", "--errors", "none"]
    rho = random_x(random, n, int(random.integers(1, n + 1)), False)
    words += ["--white-noise", "off"]
    if trace != "none":
        words += ["--constraint", {"ball": "frobenius-ball:1", "sphere": "frobenius-sphere:1"}[trace]]
    if kind == "expectations":
        labels = ["".join(word) for word in itertools.product("IXYZ", repeat=qubits)][1:]
        labels = list(random.choice(labels, int(random.integers(2, len(labels) + 1)), replace=False))
        matrices = np.array([kron(PAULIS[c] for c in label) for label in labels])
        errors = random.uniform(0.02, 0.2, len(labels))
        y = np.einsum("ijk,kj->i", matrices, rho).real + errors * random.normal(size=len(labels))
        data = {label: [value, error] for label, value, error in zip(labels, y, errors)}
        problem = "weighted-least-squares", matrices, y, errors ** -2
    elif kind == "projectors":
        labels = ["".join(word) for word in itertools.product("HVDARL", repeat=qubits)]
        labels = list(random.choice(labels, int(random.integers(4, len(labels))), replace=False))
        states = np.array([kron(np.reshape(STATES[c], (2, 1)) for c in label)[:, 0] for label in labels])
        states = states / np.linalg.norm(states, axis=1)[:, None]
        matrices = np.einsum("ij,ik->ijk", states, states.conj())
        exposures, noise = random.uniform(0.5, 2, len(labels)), random.integers(2)
        p = np.einsum("ijk,kj->i", matrices, rho).real
        y = random.poisson(1000 * exposures * p + noise * 5).astype(float)
        data = {label: {"count": k, "exposure": e} for label, k, e in zip(labels, y, exposures)}
        problem = "poisson", matrices, y, exposures
    else:
        settings = ["".join(word) for word in itertools.product("XYZ", repeat=qubits)]
        settings = list(random.choice(settings, int(random.integers(1, len(settings) + 1)), replace=False))
        pairs = {"X": "DA", "Y": "RL", "Z": "HV"}
        shots, data, matrices, y, weights = int(random.integers(20, 2000)), {}, [], [], []
        for setting in settings:
            vectors = kron(np.array([STATES[c] for c in pairs[letter]]).T for letter in setting)
            vectors = vectors / np.linalg.norm(vectors, axis=0)
            p = np.einsum("ji,jk,ki->i", vectors.conj(), rho, vectors).real.clip(0)
            counts = random.multinomial(shots, p / p.sum())
            data[setting] = [int(k) for k in counts]
            matrices += [np.outer(column, column.conj()) for column in vectors.T]
            y += list(counts)
            weights += [shots] * n
        y, weights, loss = np.array(y, float), np.array(weights, float), "poisson"
        if kind == "frequencies":
            words += ["--loss", "least-squares"]
            y, weights, loss = y / shots, np.ones(len(y)), "least-squares"
        problem = loss, np.array(matrices), y, weights
    (folder / "data.json").write_text(json.dumps(data))
    loss, matrices, y, weights = problem
    return loss, False, matrices, y, weights, trace, words


def value(loss, p, y, weights):
    """f, as docs/solve.md has it."""
    if loss == "poisson":
        mean = weights * p
        if np.any(mean[y > 0] <= 0):
            return np.inf
        seen = y > 0
        return mean.sum() - y.sum() + (y[seen] * np.log(y[seen] / mean[seen])).sum()
    if loss == "logistic":
        return np.logaddexp(0, -y * p / weights).sum()
    return 0.5 * (weights * (p - y) ** 2).sum()


def basis(n, real):
    """Of the Hermitian matrices: X = sum_k x_k B_k."""
    for i, j in itertools.combinations_with_replacement(range(n), 2):
        b = np.zeros((n, n), complex)
        b[i, j] = b[j, i] = 1
        yield b
        if i != j and not real:
            b = np.zeros((n, n), complex)
            b[i, j], b[j, i] = 1j, -1j
            yield b


def cone_program(loss, real, matrices, y, weights, trace, upper):
    """P, c, A, b and the sizes of the cones: zeros, inequalities, exponentials, one PSD matrix."""
    members = list(basis(matrices.shape[1], real))
    size, m = len(members), len(y)
    t = np.array([np.einsum("ijk,kj->i", matrices, b).real for b in members]).T
    traces = np.array([np.trace(b).real for b in members])
    rows, offsets = {"zero": [], "below": [], "exp": []}, {"zero": [], "below": [], "exp": []}
    helpers = {"poisson": int((y > 0).sum()), "logistic": 3 * m}.get(loss, 0)
    total = size + helpers

    def row(kind, x, extra, offset):  # offset - x.X - extra is in the cone
        line = np.zeros(total)
        line[:size] = x
        for k, number in extra:
            line[size + k] = number
        rows[kind].append(line)
        offsets[kind].append(offset)

    none, p, c = np.zeros(size), np.zeros((total, total)), np.zeros(total)
    if trace == "sphere":
        row("zero", traces, [], 1)
    elif trace == "ball":
        row("below", traces, [], 1)
    if loss == "poisson":
        c[:size] = weights @ t
        for k, i in enumerate(np.flatnonzero(y > 0)):
            c[size + k] = -y[i]
            row("exp", none, [(k, -1)], 0)
            row("exp", none, [], 1)
            row("exp", -t[i], [], 0)
    elif loss == "logistic":
        for i in range(m):  # f_i >= log(1 + exp(-s)): a + b <= 1, e^(-f) <= a, e^(-s - f) <= b
            f, a, b = 3 * i, 3 * i + 1, 3 * i + 2
            c[size + f] = 1
            row("below", none, [(a, 1), (b, 1)], 1)
            for power, bound in ((none, a), (y[i] * t[i] / weights[i], b)):
                row("exp", power, [(f, 1)], 0)
                row("exp", none, [], 1)
                row("exp", none, [(bound, -1)], 0)
    else:
        p[:size, :size] = t.T @ (weights[:, None] * t)
        c[:size] = -t.T @ (weights * y)
    embedded = [b.real if real else np.block([[b.real, -b.imag], [b.imag, b.real]]) for b in members]
    side = embedded[0].shape[0]
    for column in range(side):
        for line in range(column + 1) if upper else range(column, side):
            scale = 1 if line == column else np.sqrt(2)
            rows.setdefault("psd", []).append(
                np.concatenate([[-scale * b[line, column] for b in embedded], np.zeros(helpers)]))
            offsets.setdefault("psd", []).append(0)
    return p, c, rows, offsets, side, members


def solved(solver, problem):
    loss, real, matrices, y, weights, trace = problem
    p, c, rows, offsets, side, members = cone_program(*problem, upper=solver == "clarabel")
    order = ["zero", "below", "exp", "psd"] if solver == "clarabel" else ["zero", "below", "psd", "exp"]
    a = sparse.csc_matrix(np.array(sum((rows[kind] for kind in order), [])))
    b = np.array(sum((offsets[kind] for kind in order), []), float)
    quadratic = sparse.triu(sparse.csc_matrix(p)).tocsc()
    if solver == "scs":
        cone = {"z": len(rows["zero"]), "l": len(rows["below"]), "s": [side], "ep": len(rows["exp"]) // 3}
        data = {"P": quadratic, "A": a, "b": b, "c": c}
        x = scs.SCS(data, cone, verbose=False, eps_abs=1e-7, eps_rel=1e-7, max_iters=20000).solve()["x"]
    else:
        cones = [clarabel.ZeroConeT(len(rows["zero"]))] if rows["zero"] else []
        cones += [clarabel.NonnegativeConeT(len(rows["below"]))] if rows["below"] else []
        cones += [clarabel.ExponentialConeT()] * (len(rows["exp"]) // 3) + [clarabel.PSDTriangleConeT(side)]
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        x = np.array(clarabel.DefaultSolver(quadratic, c, a, b, cones, settings).solve().x)
    found = sum(number * member for number, member in zip(x, members))
    if not np.all(np.isfinite(found)):
        return np.inf
    values, vectors = np.linalg.eigh(found)
    values = values.clip(0)
    size = values.sum()
    if trace == "sphere" or (trace == "ball" and size > 1):
        values /= size
    inside = (vectors * values) @ vectors.conj().T
    return value(loss, np.einsum("ijk,kj->i", matrices, inside).real, y, weights)


def main(program, problems=100, seed=1):
    kinds = [(matrix_problem, loss, trace)
             for loss in ("least-squares", "weighted-least-squares", "poisson", "logistic")
             for trace in ("none", "ball", "sphere")]
    kinds += [(state_problem, kind, trace) for kind in ("counts", "frequencies", "expectations")
              for trace in ("ball", "sphere")]
    kinds += [(state_problem, "projectors", "none")]
    table = defaultdict(lambda: defaultdict(float))
    for number in range(problems):
        make, kind, trace = kinds[number % len(kinds)]
        random = np.random.default_rng([seed, number])
        with tempfile.TemporaryDirectory() as name:
            *problem, words = make(random, Path(name), kind, trace)
            loss, real, matrices, y, weights, trace = problem
            n = matrices.shape[1]
            words += ["--rank", int(random.integers(1, n + 1)), "--seed", number % 100 + 1, "--max-iterations",
                      int(random.choice([1, 5, 1000])), "--threads", 1, "--out", Path(name) / "out"]
            run = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
            if not (Path(name) / "out" / "summary.json").exists():
                print(f"problem {number} ({kind}, {trace}): {run.stderr.strip()}")
                table[kind, trace]["refused"] += 1
                continue
            summary = json.loads((Path(name) / "out" / "summary.json").read_text())
            f, gap = summary["objective"], summary["optimality_gap"]["value"]
        both = [solved(solver, problem) for solver in ("scs", "clarabel")]
        row = table[kind, trace]
        row["problems"] += 1
        row["certified"] += summary["optimality_gap"]["certified"]
        row["below"] += gap < f - min(both) - ROUNDING * (1 + abs(f))
        row["above f"] += gap > f * (1 + ROUNDING) + 1e-300
        row["solvers apart"] += abs(both[0] - both[1]) > 1e-4 * (1 + min(both))
        row["better than both"] += f < min(both) - ROUNDING * (1 + f)
        row["trivial"] += gap >= f * (1 - ROUNDING)
        if gap < f - min(both) - ROUNDING * (1 + abs(f)):
            print(f"problem {number} ({kind}, {trace}): f {f}, gap {gap}, minimum {min(both)}")
    names = ["problems", "certified", "below", "above f", "trivial", "better than both", "solvers apart",
             "refused"]
    print(f"{'loss, trace':34}" + "".join(f"{name:>18}" for name in names))
    for (kind, trace), row in [*table.items(), (("all", ""), {
            name: sum(row[name] for row in table.values()) for name in names})]:
        print(f"{kind + ' ' + trace:34}" + "".join(f"{row[name]:18.0f}" for name in names))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
