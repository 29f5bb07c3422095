"""Lesson 01, Jacobian-vector products: push, pull, and what each of them costs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..closeness import close, number
from ..marking import Attempt, pair
from ..models import lesson01 as models
from ..models import liars as lies
from ..protocol import Call, Handle, Slip
from ..protocol import Rng as Random
from ..spec import Lesson, Question, worked

if TYPE_CHECKING:
    from ..protocol import Reply, Script

__all__ = ["LESSON"]

Rng = np.random.Generator
Array = np.ndarray[Any, Any]
OPS = ("add", "mul", "square", "sin", "sub")


# ---------------------------------------------------------------- jvp-1
def program_of(rng: Rng) -> tuple[int, models.Program, list[int]]:
    """Number of inputs, lines and outputs: with fan-out, mul(a, a), an input as an output, one output twice."""
    n = int(rng.integers(2, 5))
    program: models.Program = [("mul", 0, 1), ("square", n), ("mul", n, n + 1), ("sin", 0), ("mul", 1, 1)]
    for _ in range(int(rng.integers(2, 6))):
        op = OPS[rng.integers(5)]
        ins = rng.integers(0, n + len(program), 1 if op in ("square", "sin") else 2)
        program.append((op, *ins.tolist()))
    return n, program, [n + 2, n + 3, 0, n + len(program) - 1, n + 2, n + 4]


def check_1(a: Attempt, rng: Rng) -> Script:
    answer = worked("jvp-1")
    for _ in range(4):
        n, program, outputs = program_of(rng)
        x, v, u = rng.uniform(0.4, 1.6, n), rng.uniform(0.3, 1.2, n), rng.normal(size=len(outputs))
        reply = yield Call("push", (program, outputs, x, v))
        if not a.warned(reply):
            y, dy = pair(reply, "push", ("y", "dy"))
            right, moved = answer.push(program, outputs, x, v)
            rules = {
                "product-of-tangents": models.product_of_tangents,
                "slope-at-the-tangent": models.slope_at_the_tangent,
                "finite-step": models.finite_step,
            }
            mistaken = {name: partial(models.push_by, rule, program, outputs, x, v) for name, rule in rules.items()}
            a.case(y, right, of="y from push")
            a.case(dy, moved, mistaken, of="dy from push")
        reply = yield Call("pull", (program, outputs, x, u))
        if not a.warned(reply):
            back = partial(models.pull_by, program, outputs, x, u)
            mistaken = {
                "overwrites-at-fan-out": partial(back, overwrite=True),
                "runs-downwards": partial(back, downwards=True),
                "repeated-output-lost": partial(back, seed_once=True),
            }
            facts = {"k": busiest(program), "out": n + 2}
            a.case(reply.value, answer.pull(program, outputs, x, u), mistaken, of="dx from pull", facts=facts)


def busiest(program: models.Program) -> int:
    """The first value that feeds two lines."""
    fed = [{i for i in ins if isinstance(i, int)} for _, *ins in program]
    return next(i for i in range(len(program)) if sum(i in line for line in fed) > 1)


def example_1(rng: Rng) -> dict[str, object]:
    n, program, outputs = program_of(rng)
    x, v, u = rng.uniform(0.4, 1.6, n).round(2), rng.uniform(0.3, 1.2, n).round(2), rng.normal(size=len(outputs)).round(2)
    return {"program": program, "outputs": outputs, "x": x, "v": v, "u": u}


JVP_1 = Question(
    id="jvp-1",
    points=3,
    title="Both columns of the table",
    text="""A program is a list of lines such as `("mul", 0, 1)`: an op and the numbers of the values that it reads. Values 0 … n−1 are the inputs x,
and each line adds one. The ops are `add`, `sub`, `mul` (two inputs), `square`, `sin` (one). `outputs` lists the values that are the result; an input
may be among them, and a value may be listed twice.

`push` gives the outputs and how they move when x moves along v. `pull` gives what the weights u on the outputs send back to x.""",
    writes=("push", "pull"),
    starter='''def push(program, outputs, x, v):
    """Values and tangents of the outputs: two arrays (y, dy)."""
    ...


def pull(program, outputs, x, u):
    """The cotangent of x, an array, for cotangents u of the outputs."""
    ...
''',
    check=check_1,
    messages={
        "product-of-tangents": "You multiplied the two tangents. Wiggle only a: how much does a·b move?",
        "slope-at-the-tangent": "The slope belongs to the point, the tangent only multiplies it: 2a·da.",
        "finite-step": "You moved by all of v. A tangent is the straight-line part only, however long v is.",
        "overwrites-at-fan-out": "Value {k} feeds two lines, and one of its cotangents was lost. Contributions add.",
        "runs-downwards": "A cotangent was used before all its contributions had come in. Which line is finished first?",
        "repeated-output-lost": "Output {out} is listed twice; its two weights add.",
    },
    hints=(
        "One line at a time: keep a list of values and a list of tangents.",
        "For the way back, start with zeros, add the weights of the outputs, walk the lines from last to first.",
        "`for k, (op, *ins) in reversed(list(enumerate(program, n))): for i, s in zip(ins, slopes): bar[i] += bar[k]*s`",
    ),
    example=example_1,
)


# ---------------------------------------------------------------- jvp-2
def check_2(a: Attempt, rng: Rng) -> Script:
    for n, m in ((3, 5), (5, 3), (4, 4)):
        f, x = models.Waves.draw(rng, n, m), rng.normal(size=n)
        J, i = f.jacobian(x), int(rng.integers(m))
        j = (i + 1) % n if n == m else int(rng.integers(n))
        whole = {"gives-the-jacobian": J}
        asked: tuple[tuple[str, tuple[int, ...], Array, dict[str, Array]], ...] = (
            ("row", (i,), J[i], {"row-is-column": J[:, min(i, n - 1)], **whole}),
            ("column", (j,), J[:, j], {"row-is-column": J[min(j, m - 1)], **whole}),
            ("gradient", (), J.sum(0), {"sums-the-rows": J.sum(1), "mean-not-sum": J.mean(0), **whole}),
        )
        for name, place, want, mistaken in asked:
            kit = models.CountedKit()
            reply = yield Call(name, (kit.handle, Handle(f, "f", raw=True), x, *place))
            if not a.warned(reply) and a.case(reply.value, want, mistaken, tol=1e-10, facts={"n": n, "m": m}):
                sweeps = kit.pulls + kit.pushes
                a.behave(sweeps <= 1, "jacobian-first", f"{name} took {sweeps} sweeps.", k=sweeps)


JVP_2 = Question(
    id="jvp-2",
    points=2,
    title="A row, a column, and what a vector target gives",
    text="""J is the Jacobian of f at x. Write `row` (row i of J), `column` (column j of J) and `gradient` (what a tape answers when it is asked for the
gradient of the whole vector f(x)), each with a single sweep. You are given `kit` with `y, pull = kit.vjp(f, x)` and `y, dy = kit.jvp(f, x, v)`; every pull and every push is counted.""",
    writes=("row", "column", "gradient"),
    starter='''def row(kit, f, x, i):
    """Row i of the Jacobian of f at x."""
    ...


def column(kit, f, x, j):
    """Column j of the Jacobian of f at x."""
    ...


def gradient(kit, f, x):
    """What a tape gives as the gradient of the vector f(x)."""
    ...
''',
    check=check_2,
    messages={
        "gives-the-jacobian": "That is all of J. The tape seeds every output with 1 and gives the sum of the rows, shape ({n},).",
        "sums-the-rows": "You pushed ones through the inputs. The tape pulls ones back from the outputs.",
        "row-is-column": "Row i answers for output i: it comes back from a pull. Yours is a column (and your column a row, or the other way round).",
        "jacobian-first": "Right, but you built {k} rows or columns to use one. One seed is enough.",
        "mean-not-sum": "A vector target means the sum; dividing by {m} is a choice the loss must make itself.",
    },
    hints=(
        "A pull gives u·J. Which u picks row i?",
        "A push gives J·v. Which v picks column j?",
        "`gradient` is the pull of `ones_like(y)`.",
    ),
    example=lambda rng: {"f": models.Waves.draw(rng, 3, 2), "x": rng.normal(size=3).round(2), "i": int(rng.integers(2)), "j": int(rng.integers(3))},
)


# ---------------------------------------------------------------- jvp-3
def check_3(a: Attempt, rng: Rng) -> Script:
    for n, m in ((4, 7), (7, 4), (5, 5), (40, 3)):
        waves, x, v = models.Waves.draw(rng, n, m), rng.normal(size=n), rng.normal(size=n)
        kit, f, J = models.CountedKit(), Handle(waves, "f", raw=True), waves.jacobian(x)
        reply = yield Call("jvp_by_pulls", (kit.handle, f, x, v))
        if a.warned(reply):
            continue
        want = J @ v
        got = number(reply.value, "jvp_by_pulls")
        estimate = close(got, want, 1e-2) and not close(got, want, 1e-10)
        if f.calls > 2 or estimate:
            err = float(np.abs(got - want).max()) if got.shape == want.shape else float("nan")
            a.fail({"finite-difference"}, f"jvp_by_pulls called f {f.calls} times.", err=err)
            continue
        u = np.zeros(m)
        u[: min(n, m)] = v[: min(n, m)]
        mistaken = {"pulled-not-pushed": u @ J, "column-sums-times-v": np.full(m, J.sum(0) @ v)}
        facts = {"m": m, "k": kit.pulls}
        if a.case(reply.value, want, mistaken, tol=1e-10, facts=facts, of=f"jvp_by_pulls for n = {n}, m = {m}"):
            a.behave(kit.pushes == 0, "used-a-push", "A push was used.")
            a.behave(kit.pulls <= 2, "jacobian-first", f"{kit.pulls} pulls were used.", **facts)


JVP_3 = Question(
    id="jvp-3",
    points=3,
    title="Push with pulls only",
    text="""Compute J·v without forward mode and without differences of f: only `y, pull = kit.vjp(f, x)` is allowed, at most two pulls, whatever the
number of outputs. (`kit.vjp` takes any function, a pull among them.)""",
    writes=("jvp_by_pulls",),
    starter='''def jvp_by_pulls(kit, f, x, v):
    """J v, by kit.vjp alone and in two pulls."""
    ...
''',
    check=check_3,
    messages={
        "jacobian-first": "Right, with {k} pulls. u ↦ u·J is linear: pull through it once.",
        "finite-difference": "Close ({err}), but it is a difference. No step size is needed here.",
        "pulled-not-pushed": "You computed v·J. For n ≠ m the shapes would have told you; where m = n, or with zeros filled in, nothing does.",
        "column-sums-times-v": "(1·J)·v is the sum of what you want: all {m} components fell into one number.",
        "used-a-push": "Correct, but the point is to do without forward mode.",
    },
    hints=(
        "What sort of function is u ↦ u·J?",
        "Its own pull at v is J·v.",
        "`_, pull = kit.vjp(f, x); _, again = kit.vjp(pull, zeros_like(y)); return again(v)`: the zeros do not matter, why?",
    ),
    example=lambda rng: {"f": models.Waves.draw(rng, 3, 2), "x": rng.normal(size=3).round(2), "v": rng.normal(size=3).round(2)},
)


# ---------------------------------------------------------------- jvp-4
def sweep(name: str, matrix: Array) -> Handle:
    """A push or a pull as a product with a matrix; the wrong shape is told kindly."""

    def product(vector: Any) -> Array:
        if np.shape(vector) != matrix.shape[1:]:
            raise ValueError(f"{name} takes an array of shape {matrix.shape[1:]}; got {np.shape(vector)}.")
        answer: Array = matrix @ np.asarray(vector, matrix.dtype)
        return answer

    return Handle(product, name)


def check_4(a: Attempt, rng: Rng) -> Script:
    for n, m in ((3, 7), (7, 3), (64, 2), (2, 64), (5, 5), (1, 6), (6, 1)):
        for dtype, tol in ((np.float64, 1e-10), (np.float32, 1e-4)):
            J = (rng.normal(size=(m, 8)) @ rng.normal(size=(8, n))).astype(dtype)
            push, pull = sweep("push", J), sweep("pull", J.T.copy())
            reply = yield Call("jacobian", (n, m, push, pull))
            if a.warned(reply) or not a.case(reply.value, J, {"transposed": J.T}, tol=tol, dtype=dtype):
                continue
            used, fewest = push.calls + pull.calls, min(n, m)
            one_way = "always-reverse" if pull.calls == m and not push.calls else "always-forward"
            name = "too-many-sweeps" if push.calls and pull.calls else one_way
            known = name == "too-many-sweeps" or used == max(n, m)
            facts = {"k": used, "min": fewest, "n": n, "m": m}
            words = f"{used} sweeps where {fewest} were enough: n = {n} inputs, m = {m} outputs."
            a.behave(used <= fewest, name if known else "", words, **facts)


JVP_4 = Question(
    id="jvp-4",
    points=2,
    title="The cheaper way to the whole matrix",
    text="""f has n inputs and m outputs; `push(v)` gives J·v and `pull(u)` gives u·J. Give the whole Jacobian, of shape (m, n) and of the dtype that the
sweeps give, in as few sweeps as it takes.""",
    writes=("jacobian",),
    starter='''def jacobian(n, m, push, pull):
    """The (m, n) Jacobian in min(n, m) sweeps."""
    ...
''',
    check=check_4,
    messages={
        "always-reverse": "{k} sweeps where {min} were enough: n = {n} inputs, m = {m} outputs.",
        "always-forward": "{k} sweeps where {min} were enough: n = {n} inputs, m = {m} outputs.",
        "transposed": "Each push gives a column. You laid the columns down as rows.",
        "too-many-sweeps": "You ran both modes and kept one.",
    },
    hints=(
        "A push costs one column, a pull one row.",
        "Compare n with m before starting.",
        "`stack([push(e) for e in eye(n)], axis=1) if n <= m else stack([pull(e) for e in eye(m)])`",
    ),
    example=lambda rng: _example_4(rng.integers(-3, 4, (2, 3)).astype(float)),
)


def _example_4(J: Array) -> dict[str, object]:
    return {"n": 3, "m": 2, "push": lambda v: J @ np.asarray(v), "pull": lambda u: np.asarray(u) @ J, "J": J}


# ---------------------------------------------------------------- jvp-5
def handed(ops: dict[str, tuple[Any, Any, Array]]) -> dict[str, tuple[object, ...]]:
    """The ops as a learner is given them: (push, pull, x, m)."""
    return {
        name: (Handle(push, f"{name}'s push"), Handle(pull, f"{name}'s pull"), x, lies.N)
        for name, (push, pull, x) in ops.items()
    }


def check_5(a: Attempt, rng: Rng) -> Script:
    for _ in range(3):
        ops, lying = lies.ops(rng)
        reply = yield Call("liars", (handed(ops), Random(int(rng.integers(2**32)))))
        if a.warned(reply):
            continue
        accused = named_5(reply)
        missed, wronged = lying - accused, accused - lying
        if missed or wronged:
            a.fail(_names_5(missed, wronged), _words_5(missed, wronged), **gap(rng, ops, wronged))


def named_5(reply: Reply) -> set[str]:
    """The names that were given back."""
    value = reply.value
    if type(value) is not set or not all(type(name) is str for name in value):
        raise Slip("liars is to give back a set of names, such as {'sin', 'roll'}; set() makes an empty one.")
    return value


def _names_5(missed: set[str], wronged: set[str]) -> set[str]:
    if wronged and not missed:
        return {"asks-the-identity-for-truth"} if wronged == {"square"} else {"tolerance-without-scale"}
    if wronged:
        return set()
    return {"probe-of-ones"} if "roll" in missed else {"tolerance-too-loose"} if "sin" in missed else set()


def _words_5(missed: set[str], wronged: set[str]) -> str:
    parts = [f"{', '.join(sorted(missed))} went free"] if missed else []
    parts += [f"{', '.join(sorted(wronged))} told the truth"] if wronged else []
    return f"Not all of it is right: {'; '.join(parts)}."


def gap(rng: Rng, ops: dict[str, tuple[Any, Any, Array]], wronged: set[str]) -> dict[str, object]:
    """Of the honest ops that were accused, the one whose two numbers are furthest apart, and how large they are."""
    found = []
    for name in sorted(wronged):
        push, pull, x = ops[name]
        v, u = rng.normal(size=x.shape).astype(x.dtype), rng.normal(size=lies.N).astype(x.dtype)
        moved, back = np.asarray(push(x, v), float), np.asarray(pull(x, u), float)
        size = float(np.abs(u) @ np.abs(moved) + np.abs(back) @ np.abs(v))
        found.append((float(abs(u @ moved - back @ v)), size, name))
    return dict(zip(("gap", "size", "op"), max(found), strict=True)) if found else {}


JVP_5 = Question(
    id="jvp-5",
    points=3,
    title="Find the liars",
    text="""`ops` holds, by name, `(push, pull, x, m)`: `push(x, v)` gives J·v, with v like x, and `pull(x, u)` is meant to give u·J, with u of length m. Some pulls are not the
transpose of their push. Give the set of their names. f itself is not given, so there is nothing to difference. Some ops are large, and some compute in float32 (x tells the
dtype): rounding is no lie. `rng` is a NumPy generator for your probes.""",
    writes=("liars",),
    starter='''def liars(ops, rng):
    """The set of names of the ops whose pull is not the transpose of their push."""
    ...
''',
    check=check_5,
    messages={
        "probe-of-ones": "roll went free. With u = v = 1 a roll and its opposite look alike. Ask with random directions.",
        "tolerance-without-scale": "{op} differs by {gap} out of {size}: that is rounding. Measure the gap against the sum of |u||Jv| and against eps.",
        "tolerance-too-loose": "One op is off by a thousandth, and your limit lets it through.",
        "asks-the-identity-for-truth": "Both rules of square are wrong in the same way, and the identity holds. It tests that two rules fit each other, not that they fit f.",
    },
    hints=(
        "u·(Jv) and (uJ)·v are one number.",
        "One random probe can be lucky; use three.",
        "Compare with `50*eps(dtype)*(|u|·|Jv| + |uJ|·|v|)`.",
    ),
    example=lambda rng: {"ops": {name: (*op, lies.N) for name, op in lies.ops(rng)[0].items()}, "rng": rng},
)


# ---------------------------------------------------------------- jvp-6
def check_6(a: Attempt, rng: Rng) -> Script:
    for n, k in ((100, 1), (17, 2), (2, 1), (9, 3), (4, 3), (6, 0)):
        J = np.triu(np.tril(rng.normal(size=(n, n)), k), -k)
        push, far = sweep("push", J), 2 * k + 1
        reply = yield Call("band_jacobian", (push, n, k))
        if a.warned(reply):
            continue
        mistaken: dict[str, object] = {"transposed": J.T}
        if k:
            mistaken["neighbours-share-a-push"] = models.band_by(J.__matmul__, n, k, models.neighbours(n, k))
            mistaken["stride-too-short"] = models.band_by(J.__matmul__, n, k, models.strided(n, k + 1))
        facts = {"n": n, "far": far, "j": 0, "next": 1}
        if a.case(reply.value, J, mistaken, tol=1e-12, facts=facts, of=f"band_jacobian(push, {n}, {k})"):
            words = f"{push.calls} pushes were used for n = {n}, k = {k}; {min(n, far)} are enough."
            a.behave(push.calls <= min(n, far), "a-push-per-column" if push.calls == n else "", words, **facts)


JVP_6 = Question(
    id="jvp-6",
    points=3,
    title="Three pushes for a hundred columns",
    text="""Row i of an n × n Jacobian depends on x[i−k … i+k] only, so J is a band of 2k+1 diagonals. Give J from `push(v)` = J·v, in at most 2k+1 pushes
(or n, where n is less).""",
    writes=("band_jacobian",),
    starter='''def band_jacobian(push, n, k):
    """The (n, n) Jacobian with entries on 2k+1 diagonals only, in min(n, 2k+1) pushes."""
    ...
''',
    check=check_6,
    messages={
        "a-push-per-column": "Right, with {n} pushes. Columns {j} and {far} never touch the same row: push them together.",
        "neighbours-share-a-push": "Columns {j} and {next} were pushed together, and they share rows; their sum cannot be taken apart.",
        "stride-too-short": "Columns k+1 apart still meet in a row. How far apart must two columns be?",
        "transposed": "Each answer holds columns, and you wrote rows.",
    },
    hints=(
        "Draw the band for n = 7, k = 1 and colour columns that never meet.",
        "Column j lives in rows j−k … j+k.",
        "Seeds `v[s::2*k+1] = 1`; entry (i, j) is read from the answer at i.",
    ),
    example=lambda rng: _example_6(np.triu(np.tril(rng.integers(1, 9, (5, 5)).astype(float), 1), -1)),
)


def _example_6(J: Array) -> dict[str, object]:
    return {"n": 5, "k": 1, "push": lambda v: J @ np.asarray(v), "J": J}


LESSON = Lesson(
    no="01",
    slug="01_jacobian_vector_products",
    title="Jacobian-vector products: exercises",
    goal="Write both sweeps by hand, and get rows, columns and whole Jacobians for as few sweeps as they cost.",
    minutes=60,
    reminders=(
        "A tangent v has the shape of the inputs and travels *with* the program (push, J·v); a cotangent u has the shape of the outputs and travels *against* it (pull, u·J).",
        "Where no path leads back, a tape answers `None` (lesson 02); in these exercises every output is connected.",
    ),
    questions=(JVP_1, JVP_2, JVP_3, JVP_4, JVP_5, JVP_6),
    keywords=("Jacobian", "forward mode", "reverse mode", "tangent", "cotangent"),
)
