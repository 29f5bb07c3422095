"""Programs of JAX, broken and sound: kind and line of what is wrong, and silence where nothing is."""

from __future__ import annotations

import linecache
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

jax = pytest.importorskip("jax", reason="these programs are JAX's; `make test-all` runs them where it is installed")

sys.path.insert(0, str(Path(__file__).parent))
import corpus  # noqa: E402

import autodiff_kit as ak  # noqa: E402

FOLDER = "jax_programs"
BROKEN = list(corpus.programs_of(corpus.HERE / FOLDER / "broken.py"))
SOUND = list(corpus.functions_of(corpus.HERE / FOLDER / "sound.py"))


def test_there_are_programs_of_every_family() -> None:
    assert len(BROKEN) >= 45
    assert len(SOUND) >= 60
    assert {program.kind for program in BROKEN} == {
        "no_slope", "zero_slope", "nan", "unused", "broadcast", "stop_gradient", "int_argument", "argnums",
        "closure_constant", "tracer_error", "custom_vjp", "where", "while_loop", "aux", "pytree_none", "at_dropped",
    }  # fmt: skip


@pytest.mark.parametrize("program", BROKEN, ids=lambda program: program.name)
def test_a_broken_program_is_told_its_cause_and_its_line(program: corpus.Program) -> None:
    try:
        tape, path = program.run(ak.record_jax)
    except Exception as error:  # noqa: BLE001 - raised as it was, with a note
        told, notes = getattr(error, "explanation", None), getattr(error, "__notes__", [])
    else:
        told, notes = tape.explain(path), [f"line {program.line}"]
    assert told is not None
    assert any(f"line {program.line}" in note for note in notes)
    assert (told.kind, told.line) == (program.kind, program.line), str(told)
    assert told.code, "the line's text"
    assert told.fix
    assert told.link.startswith("https://")
    assert "{" not in told.headline + told.because


@pytest.mark.parametrize(("name", "run"), SOUND, ids=[name for name, _ in SOUND])
def test_a_sound_program_is_told_so(name: str, run: Any) -> None:
    tape, path = run(ak.record_jax)
    told = tape.explain(path)
    for one in told if isinstance(told, tuple) else (told,):
        assert one.kind == "connected", str(one)
        assert not one.also


# --------------------------------------------------------------------------------------------------- generated programs
SOUND_LINES = (
    "h = jnp.sin(h) + 2.0", "h = jnp.tanh(0.3 * h) * x", "h = h * 0.9 + x", "h = (M @ h[:, None])[:, 0]",
    "h = jax.jit(jnp.cosh)(0.1 * h) * h", "h = jnp.where(h > -9.0, h, 0.0)",
    "h = lax.cond(True, jnp.exp, jnp.sin, 0.1 * h)",
    "h = lax.scan(lambda c, _: (0.5 * c + x, c), h, None, length=2)[0]", "h = jax.vmap(lambda a: a + a**2)(h)",
)  # fmt: skip
BREAKING_LINES = (
    ("stop_gradient", "h = lax.stop_gradient(h)"), ("stop_gradient", "h = jax.jit(lax.stop_gradient)(h) * 1.0"),
    ("zero_slope", "h = jnp.floor(h)"), ("zero_slope", "h = jax.nn.relu(h - 1e6)"),
    ("zero_slope", "h = lax.scan(lambda c, _: (jnp.round(c), None), h, None, length=2)[0]"),
    ("no_slope", "h = (h > 0.1).astype(jnp.float32)"), ("no_slope", "h = jnp.argsort(h) * 1.0"),
    ("nan", "h = jnp.sqrt(jnp.abs(h - h))"), ("nan", "h = h / (h - h)"),
    ("while_loop", "h = lax.while_loop(lambda s: jnp.sum(s) > 1e3, lambda s: s * 0.5, h)"),
)  # fmt: skip


@settings(max_examples=10)
@given(st.lists(st.sampled_from(SOUND_LINES), max_size=5), st.integers(0, 5), st.sampled_from((None, *BREAKING_LINES)))
def test_a_line_that_breaks_a_generated_program_is_found(lines: list[str], place: int, breaking: Any) -> None:
    place = min(place, len(lines))
    body = [*lines[:place], *([breaking[1]] if breaking else []), *lines[place:]]
    text = "\n    ".join(["def loss(w, x):", "h = w + x", *body, "return jnp.sum(h * jnp.arange(1.0, 4.0))"])
    file = f"generated_{abs(hash(text))}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"jax": jax, "jnp": jax.numpy, "lax": jax.lax, "M": 0.4 * jax.numpy.eye(3) + 0.1}
    exec(compile(text, file, "exec"), scope)
    args = (jax.numpy.array([0.3, 0.5, 0.7]), jax.numpy.ones(3))
    tape = ak.record_jax(scope["loss"], *args)
    told = tape.explain(0)
    if breaking:
        assert (told.kind, told.line) == (breaking[0], place + 3), f"{text}\n{told}"
    else:
        assert told.kind == "connected", f"{text}\n{told}"
        wanted = jax.grad(scope["loss"])(*args)
        np.testing.assert_allclose(tape.stepper().cotangent(tape.id_of(0)), wanted, rtol=1e-4)


# -------------------------------------------------------------------------------------------------------- the interface
def _loss(params: Any, x: Any) -> Any:
    return jax.numpy.mean((x @ params["w"] - 1.0) ** 2) + jax.numpy.sum(jax.numpy.floor(params["k"]))


def _tape(**options: Any) -> Any:
    params = {"w": jax.numpy.ones((3, 2)), "k": jax.numpy.ones(2)}
    return ak.record_jax(_loss, params, jax.numpy.ones((4, 3)), **options)


def test_table_cost_stepper_and_report_are_those_of_a_tape() -> None:
    tape = _tape()
    assert [node.id for node in tape.nodes] == list(range(len(tape.nodes)))
    assert "dot_general" in str(tape.table())
    product = next(node for node in tape.nodes if node.op == "dot_general")
    assert tape.flops()[product.id] == (2 * 4 * 3 * 2, 4 * 4 * 3 * 2)
    assert "x @ params" in str(tape.cost())
    params, x = tape.arguments.args
    wanted = jax.grad(_loss)(params, x)["w"]
    np.testing.assert_allclose(tape.stepper().cotangent((0, "w")), wanted, rtol=1e-5)
    np.testing.assert_allclose(tape.value(tape.id_of(None)), _loss(params, x), rtol=1e-6)
    report = tape.report()
    assert {row.name: row.state for row in report.rows} == {"params['k']": "zero", "params['w']": "flows"}


def test_a_path_may_lead_to_several_leaves_and_a_wrong_one_is_refused() -> None:
    tape = _tape()
    assert [told.kind for told in tape.explain(0)] == ["zero_slope", "connected"]
    with pytest.raises(ak.errors.ArgumentError, match="leads nowhere at 'v'"):
        tape.explain((0, "v"))
    with pytest.raises(ak.errors.ArgumentError, match="argnums is 2"):
        _tape(argnums=2)


def test_a_program_with_more_equations_than_the_bound_is_told_to_be_so() -> None:
    tape = _tape(max_equations=3)
    assert tape.explain((0, "k")).kind == "connected"
    assert "more than max_equations=3" in tape.explain((0, "k")).because
    with pytest.raises(ak.errors.TapeError, match="at most max_equations=3"):
        tape.stepper()


def test_what_jax_grad_would_refuse_is_the_error_of_the_tape() -> None:
    tape = ak.record_jax(lambda p: jax.numpy.sum(p["w"]), {"w": jax.numpy.ones(2), "step": 3})
    assert tape.error.kind == "int_argument"
    told = tape.explain((0, "w"))
    assert told.connected
    assert told.also == ("int_argument",)
    assert _tape().error is None


def test_recording_changes_nothing_of_jax() -> None:
    calls = []

    @jax.jit
    def compiled(x: Any) -> Any:
        calls.append(x)
        return x * 2

    compiled(jax.numpy.ones(3))
    before = dict(jax.config.values)
    with jax.debug_nans(True):
        tape = ak.record_jax(lambda w: jax.numpy.sum(jax.numpy.log(w - 1.0) * 0.0), jax.numpy.ones(3))
        assert tape.explain(0).kind == "nan"
        assert jax.config.jax_debug_nans
    assert dict(jax.config.values) == before
    compiled(jax.numpy.ones(3))
    assert len(calls) == 1, "what was compiled before stays compiled"
    assert not any(isinstance(value.known, jax.core.Tracer) for value in tape.program.values)
    with jax.checking_leaks():
        _tape().explain((0, "w"))


def test_a_line_is_that_of_this_call_though_a_function_of_jax_was_traced_before() -> None:
    first = ak.record_jax(lambda w: jax.numpy.where(w > 0, jax.numpy.floor(w), 0.0).sum(), jax.numpy.ones(3))
    second = ak.record_jax(lambda w: jax.numpy.where(w > 0, w, jax.numpy.floor(w)).sum(), -jax.numpy.ones(3))
    assert second.explain(0).line == first.explain(0).line + 1
