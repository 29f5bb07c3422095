"""The public names: every promised name exists and is documented, and ``__all__`` is derived from the modules."""

from __future__ import annotations

import ast
import inspect
import re
import types
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import autodiff_kit as ak
from autodiff_kit import errors, ops
from autodiff_kit.core.operation import OPS
from autodiff_kit.ops import aliases

# Copied from the specification's list of names; these names must stay.
VALUES = """
Tensor constant Variable GradientTape ForwardAccumulator stop_gradient custom_gradient register_gradient
gradient_override_map where cond
"""
TRANSFORMS = (
    "grad value_and_grad vjp jvp jacobian hessian hvp check_gradients per_example_gradients hessian_norm RowGradient "
    "compile zero_absorbs detect_anomalies Module record_torch"
)
OPERATIONS = """
exp log log1p expm1 sqrt sin cos tan asin acos atan atan2 sinh cosh tanh abs sign square power maximum minimum clip
floor ceil round sum mean prod max min var std cumsum cumprod logsumexp matmul dot tensordot reshape transpose
permute_dims expand_dims squeeze broadcast_to concat stack split flip roll take take_along_axis sort argsort argmax
norm cast identity xlogy hypot logaddexp sinc diff roll tril triu outer kron einsum solve inv
det cholesky add subtract multiply divide negative mod less greater equal
"""
MEMBERS: dict[str, str] = {
    "Tensor": "numpy shape dtype ndim size T name register_hook",
    "Variable": "assign assign_add assign_sub read_value numpy name",
    "GradientTape": """watch gradient jacobian batch_jacobian stop_recording reset watched_variables nodes nbytes
                       explain table cost""",
    "ForwardAccumulator": "jvp",
    "nn": """relu leaky_relu elu gelu sigmoid softplus softmax log_softmax masked_softmax attention
             sparse_softmax_cross_entropy moments embedding instance_norm layer_norm dropout conv2d max_pool2d
             conv1d conv1d_transpose conv2d_transpose
             avg_pool2d softmax_cross_entropy sigmoid_cross_entropy huber""",
    "segment": """segment_sum segment_mean segment_max segment_min segment_prod dynamic_partition dynamic_stitch
                  class_means ClassMeans ClassMeans.update sparse_matmul""",
    "relax": """soft_floor piecewise_linear_floor filtered_floor straight_through fake_quant soft_ceil soft_round
                soft_sign soft_step piecewise_linear_ceil piecewise_linear_round piecewise_linear_sign
                piecewise_linear_step
                filtered_ceil filtered_round filtered_sign filtered_step""",
    "layers": """Dense Embedding InstanceNorm Attention Sequential GRU GRUCell Conv1D Conv2D Conv1DTranspose
                 Conv2DTranspose""",
    "Module": "trainable_variables named_variables save load",
    "optim": """SGD Adagrad Adadelta RMSProp Adam AdamW LevenbergMarquardt LevenbergMarquardt.minimize
                LevenbergMarquardt.step clip_by_global_norm""",
    "optim.Optimizer": """compute_gradients apply_gradients minimize get_slot set_slot slot_names last_update frozen
                          state_dict load_state_dict""",
    "errors": "AutodiffError ShapeError DtypeError StructureError TapeError UnknownGradientError GradientCheckError",
}
NAMES = [*VALUES.split(), *TRANSFORMS.split(), *OPERATIONS.split(), "AutodiffError", "GradientCheckError"]
PUBLIC = [*NAMES, *(f"{owner}.{name}" for owner, names in MEMBERS.items() for name in names.split())]

SIGNATURES = {
    "constant": "(value, dtype=None, name=None)",
    "Variable": "(value, trainable=True, name=None, dtype=None, constraint=None)",
    "GradientTape": "(persistent=False, watch_accessed_variables=True)",
    "GradientTape.gradient": "(self, target, sources, output_gradients=None, unconnected_gradients='none')",
    "GradientTape.jacobian": "(self, target, sources, unconnected_gradients='none', mode='auto')",
    "ForwardAccumulator": "(primals, tangents)",
    "ForwardAccumulator.jvp": "(self, target, unconnected_gradients='none')",
    "jvp": "(f, primals, tangents, has_aux=False)",
    "vjp": "(f, *primals, has_aux=False)",
    "jacobian": "(f, argnums=0, mode='auto', has_aux=False)",
    "hvp": "(f, primals, tangents)",
    "per_example_gradients": "(loss_fn, variables, *batch, weights=None)",
    "hessian_norm": "(f, x, probes=64, seed=0, method='product', step=None)",
    "nn.masked_softmax": "(scores, mask, mode='renormalize', additive=-1000000000.0, empty='zero')",
    "nn.sparse_softmax_cross_entropy": "(labels, logits)",
    "relax.soft_floor": "(x, temperature, steps=None)",
    "relax.straight_through": "(hard, soft)",
    "relax.fake_quant": "(x, min, max, num_bits=8, narrow_range=False)",
    "optim.SGD": "(learning_rate, momentum=0.0, nesterov=False)",
    "optim.Adagrad": "(learning_rate=0.01, initial_accumulator=0.0, epsilon=1e-10)",
    "optim.Adadelta": "(learning_rate=1.0, decay=0.9, epsilon=1e-06)",
    "optim.RMSProp": "(learning_rate, decay=0.9, momentum=0.0, epsilon=1e-08, initial_accumulator=0.0)",
    "optim.Adam": "(learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, lazy=False)",
    "optim.AdamW": "(learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, lazy=False, weight_decay=0.01)",
    "optim.clip_by_global_norm": "(gradients, max_norm)",
    "RowGradient": "(ids, rows, shape)",
}
SECTIONS = (
    "Parameters",
    "Attributes",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
)
FIELDS = {"Shapes", "Dtypes", "Gradient", "Cost"}


def find(path: str) -> Any:
    thing: Any = ak
    for part in path.split("."):
        thing = inspect.getattr_static(thing, part) if inspect.isclass(thing) else getattr(thing, part)
    return thing


def sections(text: str) -> dict[str, str]:
    """Underlined headings and the text below them."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}$", inspect.cleandoc(text), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def callables() -> Iterator[tuple[str, Any]]:
    for path in PUBLIC:
        thing = find(path)
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and not path.startswith("errors."):
            yield path, thing


CALLABLES = dict(callables())


def each(paths: Iterable[str], check: Callable[[str], None]) -> None:
    """Check names, and say of which one a check fails."""
    for path in paths:
        try:
            check(path)
        except Exception as error:
            error.add_note(path)
            raise


def test_promised_names_are_there_and_documented() -> None:
    each(PUBLIC, assert_it_is_there_and_documented)


def assert_it_is_there_and_documented(path: str) -> None:
    thing = find(path)
    if path in ("Tensor.name", "Tensor.T", "GradientTape.nodes") or not isinstance(thing, property):
        assert thing is not None
    text = inspect.getdoc(thing)
    assert text, f"{path} has no docstring"
    summary = text.split("\n\n")[0].strip()
    assert summary[-1] in ".?:", f"{path}: the summary is a sentence"


def test_docstrings_are_numpydoc() -> None:
    each(CALLABLES, assert_its_docstring_is_numpydoc)


def assert_its_docstring_is_numpydoc(path: str) -> None:
    """Known sections in their order; parameters are those of the signature, in order; fields of Notes are known."""
    thing = CALLABLES[path]
    found = sections(thing.__doc__ or "")
    assert list(found) == [s for s in SECTIONS if s in found], f"{path}: sections {list(found)}"
    lines = re.findall(r"^(\*{0,2}\w[\w, *]*) ?:|^(\*{0,2}\w[\w, ]*)$", found.get("Parameters", ""), re.MULTILINE)
    documented = [name.strip(" *") for typed, bare in lines for name in (typed or bare).split(",")]
    if documented:
        given = [p for p in inspect.signature(thing).parameters if p != "self"]
        assert documented == given, f"{path} documents {documented}, takes {given}"
    for field in re.findall(r"\*\*(\w+)\.\*\*", found.get("Notes", "")):
        assert field in FIELDS, f"{path}: {field}"


def _is_op(path: str) -> bool:
    """Operations with one block may be described in one sentence, because their families describe the rest."""
    return any(op.function is find(path) for op in OPS.values())


def _is_derived(path: str) -> bool:
    return path.startswith("relax.") and "derived from" in (find(path).__doc__ or "")


SMALL = {
    "transpose", "swapaxes", "sort", "flip", "diff", "split", "dot", "outer", "tensordot", "cumprod", "std",
    "take_along_axis",
    "relax.soft_step", "relax.piecewise_linear_step", "relax.filtered_step", "hessian", "grad",
}  # fmt: skip
"""Functions described in one sentence: NumPy's own, or a step whose staircase explains it."""

FULL = [p for p in CALLABLES if "." not in p or p.split(".")[0] in ("nn", "relax", "optim", "segment")]
FULL = [p for p in FULL if not (_is_op(p) or _is_derived(p) or p in SMALL or p.count(".") > 1 or "Error" in p)]


def test_what_a_learner_calls_has_parameters_and_an_example() -> None:
    each(FULL, assert_it_has_parameters_and_an_example)


def assert_it_has_parameters_and_an_example(path: str) -> None:
    found = sections(find(path).__doc__)
    takes = [p for p in inspect.signature(find(path)).parameters if p != "self"]
    assert "Examples" in found or path == "Tensor", f"{path} shows no example"
    if takes:
        assert "Parameters" in found, f"{path} does not say what it takes"
    if inspect.isfunction(find(path)):
        a_block = inspect.isgeneratorfunction(
            inspect.unwrap(find(path))
        )  # used in `with`, without a useful return value
        assert "Returns" in found or a_block, path


def test_signatures() -> None:
    each(SIGNATURES, assert_its_signature_is_as_promised)


def assert_its_signature_is_as_promised(path: str) -> None:
    """Names, order and defaults of arguments, as promised."""
    signature = inspect.signature(find(path))
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    assert str(signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)) == SIGNATURES[path]


def test_nothing_of_numpy_or_typing_leaks_out() -> None:
    """A star import brings names of the kit, but no modules of others and no private names."""
    names = [n for n in vars(ak) if not n.startswith("_") and n != "annotations"]
    for name in names:
        thing = getattr(ak, name)
        module = thing.__name__ if inspect.ismodule(thing) else getattr(thing, "__module__", "autodiff_kit")
        assert module.startswith("autodiff_kit"), f"ak.{name} comes from {module}"


PUBLIC_MODULES = list(ops._MODULES)


@pytest.mark.parametrize("module", PUBLIC_MODULES, ids=lambda module: module.__name__.rpartition(".")[2])
def test_the_functions_of_an_operations_module_are_public(module: types.ModuleType) -> None:
    """Every function with a public name is in ``ak.__all__``, and no second module defines it."""
    defined = {
        node.name
        for node in ast.parse(inspect.getsource(module)).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    }
    assert defined == {name for name in defined if getattr(ak, name) is getattr(module, name)}
    assert defined <= set(ak.__all__)


def test_a_function_that_is_added_to_an_operations_module_becomes_public() -> None:
    """Without an entry in any list, if it is defined there and not imported."""
    module = types.ModuleType("autodiff_kit.ops.of_a_test")
    exec(  # the source of a possible module
        "from autodiff_kit.ops.reductions import sum\n"
        "def double(x): return _helper(x) * 2\n"
        "def _helper(x): return sum(x)\n",
        vars(module),
    )
    assert list(ops._public_functions(module)) == ["double"]


def test_type_checkers_see_the_same_modules() -> None:
    """The star imports under TYPE_CHECKING name the modules that are collected at run time."""
    tree = ast.parse(inspect.getsource(ops))
    stars = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"}
    assert stars == {module.__name__ for module in PUBLIC_MODULES}


def test_all_has_no_alias_and_no_inner_package() -> None:
    assert len(set(ak.__all__)) == len(ak.__all__)
    assert not set(ak.__all__) & {*aliases.__all__, "core", "data", "diagnostics", "kernels", "ops", "transforms"}
    assert set(aliases.__all__) <= set(dir(ak))
    assert {name for name in ak.__all__ if inspect.ismodule(getattr(ak, name))} == {
        "errors", "layers", "nn", "optim", "relax", "segment",
    }  # fmt: skip
    star: dict[str, Any] = {}
    exec("from autodiff_kit import *", star)
    assert set(star) - {"__builtins__"} == set(ak.__all__)


ERRORS = [e for e in vars(errors).values() if inspect.isclass(e) and issubclass(e, Exception)]
BUILT_IN = (
    ValueError, TypeError, RuntimeError, LookupError, KeyError, IndexError, AssertionError, ArithmeticError, OSError,
    ImportError,
)  # fmt: skip


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: e.__name__)
def test_errors(error: type[Exception]) -> None:
    """All derive from one base class and from the built-in that a caller expects; the message is shown unchanged."""
    assert issubclass(error, errors.AutodiffError)
    assert error is errors.AutodiffError or issubclass(error, BUILT_IN)
    assert str(error("a 'quoted' name")) == "a 'quoted' name"
    assert error.__name__ in errors.__all__
    assert error.__name__ in (errors.__doc__ or "")


# Signals that the same package catches.
INSIDE = {
    "shape_manipulation.py": "ValueError",
    "operation.py": "TypeError",
    "forward_over_reverse.py": "NeedsTensorsError",
    "dual.py": "NeedsTensorsError",
    "per_example.py": "_ExpansionTooLargeError",
}


def test_no_error_of_the_core_is_a_bare_builtin() -> None:
    """Every error that the core raises is one of the kit's."""
    allowed = {e.__name__ for e in ERRORS} | {"NotImplementedError"}
    for folder in ("core", "ops", "nn", "optim", "transforms", "diagnostics"):
        root = Path(ak.__file__).parent / folder
        for path in [root] if root.suffix else root.glob("**/*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if (
                    isinstance(node, ast.Raise)
                    and isinstance(node.exc, ast.Call)
                    and isinstance(node.exc.func, ast.Name)
                ):
                    name = node.exc.func.id
                    assert name in allowed | {INSIDE.get(path.name, "")}, f"{path.name}:{node.lineno} raises {name}"


def test_the_version_is_that_of_the_package() -> None:
    from importlib.metadata import version

    assert version("autodiff-kit") == ak.__version__
