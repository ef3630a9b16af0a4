"""The best split of a nominal feature, found in the table of its symbols and the classes: one branch for each symbol,
or two sets of symbols.

Sets are enumerated by size, then lexicographically, or taken as the beginnings of an order of the symbols: by the share
of the first class (exact for two classes and convex measures), or by a direction that separates the classes.
"""

from __future__ import annotations

import numpy as np

from intemi.machines.interfaces import Codes, Floats
from intemi.machines.trees.kernels.compiling import (
    CODES,
    FLOATS,
    address_of,
    boolean,
    call_measure,
    float64,
    helper,
    int64,
    kernel,
    unowned,
    void,
    wide,
)
from intemi.machines.trees.kernels.found import GAIN, POSITION, QUALITY, SLACK, TIE, TIES, is_better
from intemi.machines.trees.kernels.settings import (
    ENUMERATED,
    EVERY_SYMBOL,
    FILTERED,
    LEAST_BRANCH,
    MULTIWAY,
    ORDER_OF_MANY,
    ORDER_OF_TWO,
    TWO_HEAVY,
    WANTED,
)

UNKNOWN = 0
"""Where in its context a measure finds the weight of the rows whose value is missing."""
BY_SHARE, BY_COORDINATE, BY_PROFILE = 1, 2, 3
"""Orders of symbols: share of the first class, correspondence analysis, principal component of the class profiles."""


@helper
def leading_vector(matrix: Floats, vector: Floats) -> None:
    """The eigenvector of the largest eigenvalue of a symmetric matrix (which is destroyed), by Jacobi rotations.

    Its largest component is positive.
    """
    k = len(matrix)
    vectors = np.zeros((k, k))
    for p in range(k):
        vectors[p, p] = 1.0
    for _ in range(60):
        off = 0.0
        for p in range(k):
            for q in range(p + 1, k):
                off += matrix[p, q] ** 2
        if off < 1e-30:
            break
        for p in range(k):
            for q in range(p + 1, k):
                if abs(matrix[p, q]) < 1e-300:
                    continue
                theta = (matrix[q, q] - matrix[p, p]) / (2.0 * matrix[p, q])
                sign = 1.0 if theta >= 0.0 else -1.0
                t = sign / (abs(theta) + np.sqrt(theta * theta + 1.0))
                cosine = 1.0 / np.sqrt(t * t + 1.0)
                sine = t * cosine
                for i in range(k):
                    a, b = matrix[i, p], matrix[i, q]
                    matrix[i, p], matrix[i, q] = cosine * a - sine * b, sine * a + cosine * b
                for i in range(k):
                    a, b = matrix[p, i], matrix[q, i]
                    matrix[p, i], matrix[q, i] = cosine * a - sine * b, sine * a + cosine * b
                for i in range(k):
                    a, b = vectors[i, p], vectors[i, q]
                    vectors[i, p], vectors[i, q] = cosine * a - sine * b, sine * a + cosine * b
    top = 0
    for p in range(1, k):
        if matrix[p, p] > matrix[top, top]:
            top = p
    largest = 0
    for i in range(k):
        if abs(vectors[i, top]) > abs(vectors[largest, top]) + 1e-12:
            largest = i
    sign = 1.0 if vectors[largest, top] >= 0.0 else -1.0
    for i in range(k):
        vector[i] = sign * vectors[i, top]


@helper
def score(table: Floats, k: int, present: Codes, count: int, order: int, out: Floats) -> None:
    """A number for each of the `count` symbols in `present`, to order them by."""
    if order == BY_SHARE:
        # Of the classes that occur the first counts, so that a node with two of many classes is ordered exactly.
        first = 0
        for c in range(k - 1, -1, -1):
            for i in range(count):
                if table[present[i] * k + c] > 0.0:
                    first = c
        for i in range(count):
            weight = 0.0
            for c in range(k):
                weight += table[present[i] * k + c]
            out[i] = table[present[i] * k + first] / weight
        return
    weights, mean, total = np.zeros(count), np.zeros(k), 0.0
    for i in range(count):
        for c in range(k):
            weights[i] += table[present[i] * k + c]
            mean[c] += table[present[i] * k + c]
        total += weights[i]
    scatter, vector, scale = np.zeros((k, k)), np.zeros(k), np.zeros(k)
    for c in range(k):
        mean[c] /= total
        scale[c] = 1.0
        if order == BY_COORDINATE:
            scale[c] = 1.0 / np.sqrt(mean[c]) if mean[c] > 0.0 else 0.0
    for i in range(count):
        for c in range(k):
            for d in range(k):
                u = (table[present[i] * k + c] / weights[i] - mean[c]) * scale[c]
                v = (table[present[i] * k + d] / weights[i] - mean[d]) * scale[d]
                scatter[c, d] += weights[i] * u * v
    leading_vector(scatter, vector)
    for i in range(count):
        out[i] = 0.0
        for c in range(k):
            out[i] += vector[c] * scale[c] * table[present[i] * k + c] / weights[i]


@kernel(void(FLOATS, int64, CODES, int64, int64, FLOATS))
def scores(table: Floats, k: int, present: Codes, count: int, order: int, out: Floats) -> None:
    """The same, for Python."""
    score(unowned(table), k, unowned(present), count, order, out)


@helper
def split_information(table: Floats, branches: int, classes: int, unknown: float) -> float:
    """The entropy of the branches themselves; the rows whose value is missing are one more part."""
    weight, information = unknown, 0.0
    for b in range(branches):
        part = 0.0
        for c in range(classes):
            part += table[b * classes + c]
        weight += part
        if part > 0.0:
            information -= part * np.log2(part)
    if unknown > 0.0:
        information -= unknown * np.log2(unknown)
    return float(information / weight + np.log2(weight))


@kernel(int64(int64, boolean, float64))
def largest_set(symbols: int, everything: bool, wanted: float) -> int:
    """The size up to which sets are enumerated, so that their number is closest to what is wanted."""
    half = symbols // 2
    if everything:
        return half
    total, best, nearest = 0.0, 1, np.inf
    chosen = 1.0
    for size in range(1, half + 1):
        chosen = chosen * (symbols - size + 1) / size
        total += chosen / 2 if 2 * size == symbols else chosen
        if abs(total - wanted) < nearest:
            nearest, best = abs(total - wanted), size
    return best


@helper
def best_sets(
    measure: int,
    table: Floats,
    k: int,
    present: Codes,
    count: int,
    order: int,
    everything: bool,
    wanted: float,
    least_branch: float,
    is_relative: bool,
    sides: Floats,
    context: Floats,
    branch: Codes,
) -> tuple[float, float]:
    """The best split of `count` symbols into two sets, found in the table of symbols × classes; `branch` gets sides.

    `order` 0 enumerates sets: all, or about as many as are wanted. If it `is_relative` the quality is divided by the
    split information. Returns quality and tie-breaker, the quality -inf if no split is legal.
    """
    totals, weight = np.zeros(k), 0.0
    for i in range(count):
        for c in range(k):
            totals[c] += table[present[i] * k + c]
    for c in range(k):
        weight += totals[c]
    least = least_branch - SLACK
    sides_at, context_at = address_of(sides), address_of(context)
    best, best_tie = -np.inf, -np.inf
    chosen = np.empty(count, np.int64)
    best_chosen = np.empty(count, np.int64)
    best_size = 0
    ordered = np.empty(count, np.int64)
    for i in range(count):
        ordered[i] = i
    sizes = largest_set(count, everything, wanted)
    if order != 0:
        values = np.empty(count)
        score(table, k, present, count, order, values)
        for i in range(count):
            j = i
            while j > 0 and values[ordered[j - 1]] > values[i]:
                ordered[j] = ordered[j - 1]
                j -= 1
            ordered[j] = i
        sizes = count - 1
    # Class weights of the first of the chosen symbols, of the first two and so on: most sets differ from the one before
    # in the last symbol only.
    sums = np.zeros((sizes + 1, k))
    for size in range(1, sizes + 1):
        changed = size - 1 if order != 0 else 0
        for i in range(size):
            chosen[i] = ordered[i]
        while True:
            if order == 0 and 2 * size == count and chosen[0] != 0:
                break
            for i in range(changed, size):
                for c in range(k):
                    sums[i + 1, c] = sums[i, c] + table[present[chosen[i]] * k + c]
            left = 0.0
            for c in range(k):
                sides[c] = sums[size, c]
                left += sides[c]
                rest = totals[c] - sides[c]
                sides[k + c] = rest if rest > 1e-12 * totals[c] else 0.0
            if left >= least and weight - left >= least:
                quality = call_measure(measure, sides_at, 2, k, context_at)
                if is_relative:
                    information = split_information(sides, 2, k, context[UNKNOWN])
                    quality = quality / information if information > 1e-3 else -np.inf
                if is_better(quality, context[TIE], best, best_tie):
                    best, best_tie, best_size = quality, context[TIE], size
                    for i in range(size):
                        best_chosen[i] = chosen[i]
            if order != 0:
                break
            # The next set of this size in lexicographic order.
            i = size - 1
            while i >= 0 and chosen[i] == count - size + i:
                i -= 1
            if i < 0:
                break
            chosen[i] += 1
            changed = i
            for j in range(i + 1, size):
                chosen[j] = chosen[j - 1] + 1
    for i in range(count):
        branch[present[i]] = 1
    for i in range(best_size):
        branch[present[best_chosen[i]]] = 0
    return best, best_tie


@helper
def best_of_symbols(
    measure: int,
    counted: Floats,
    symbols: int,
    k: int,
    known: Floats,
    settings: Floats,
    share: float,
    average_cuts: float,
    context: Floats,
    table: Floats,
    present: Codes,
    branch: Codes,
    found: Floats,
    f: int,
) -> None:
    """The best split of a nominal feature, whose rows are counted by symbol and class; `branch` gets the sides."""
    least = settings[LEAST_BRANCH] - SLACK
    count, heavy = wide(0), 0
    for s in range(symbols):
        branch[s] = -1
        part = 0.0
        for c in range(k):
            part += counted[s * k + c]
        if part > 0.0:
            present[count] = s
            count += 1
            if part >= least:
                heavy += 1
    if count < 2:
        return
    if settings[MULTIWAY]:
        if heavy < 2 or (heavy < count and not settings[TWO_HEAVY]):
            return
        for i in range(count):
            branch[present[i]] = i
            for c in range(k):
                table[i * k + c] = counted[present[i] * k + c]
        branches = count
        if settings[EVERY_SYMBOL]:
            branches = symbols
            for s in range(symbols):
                branch[s] = s
    else:
        order = int(settings[ORDER_OF_TWO])
        classes = 0
        for c in range(k):
            if known[c] > 0.0:
                classes += 1
        # The order is exact if any beginning of it may be a branch, and that is so if no symbol is too light for one.
        is_bound = heavy < count and count <= settings[ENUMERATED]
        if classes > 2 or order == 0 or is_bound:
            order = int(settings[ORDER_OF_MANY]) if count > settings[ENUMERATED] else 0
        wanted = settings[WANTED] if settings[WANTED] != 0.0 else average_cuts
        best, _ = best_sets(
            measure, counted, k, present, count, order, wanted < 0.0, wanted, settings[LEAST_BRANCH],
            settings[FILTERED] > 0.0, table, context, branch,
        )  # fmt: skip
        if best == -np.inf:
            return
        branches, count = 2, 2
        for c in range(k):
            table[c], table[k + c] = 0.0, 0.0
            for s in range(symbols):
                if branch[s] >= 0:
                    table[branch[s] * k + c] += counted[s * k + c]
    context[TIE] = 0.0
    gain = share * call_measure(measure, address_of(table), count, k, address_of(context))
    quality = gain
    if settings[FILTERED]:
        information = split_information(table, count, k, context[UNKNOWN])
        quality = gain / information if information > 1e-3 else -np.inf
    found[f, QUALITY], found[f, TIES], found[f, GAIN], found[f, POSITION] = quality, context[TIE], gain, branches
