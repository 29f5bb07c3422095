"""Functions of known Jacobian, and what counts the sweeps through them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from autodiff_kit.exercises.protocol import Callback, CallbackNamespace
from autodiff_kit.lessons.translation import translate

if TYPE_CHECKING:
    from collections.abc import Callable

Array = np.ndarray[Any, Any]


@dataclass
class CountedTransforms:
    """The kit's vjp and jvp with their calls counted; ``pulls`` counts the calls of every vjp function."""

    pulls: int = 0
    pushes: int = field(init=False, default=0)

    def vjp(self, f: Callable[..., Any], x: Any) -> tuple[Any, Callback]:
        """Value of f, and the function that computes its vjp."""
        from autodiff_kit.transforms.reverse_mode import vjp

        y, back = vjp(f, x)

        def pull(u: Any) -> Any:
            self.pulls += 1
            return back(u)

        return y, Callback(pull, "pull", raw=True)

    def jvp(self, f: Callable[..., Any], x: Any, v: Any) -> tuple[Any, Any]:
        """Value of f, and its tangent."""
        from autodiff_kit.transforms.forward_mode import jvp

        self.pushes += 1
        y, tangent = jvp(f, (x,), (v,))
        return y, tangent

    @property
    def callback(self) -> CallbackNamespace:
        """The argument ``kit`` of the learner's function."""
        return CallbackNamespace(
            "kit", {"vjp": Callback(self.vjp, "vjp", raw=True), "jvp": Callback(self.jvp, "jvp", raw=True)}
        )


@dataclass
class CountedFunction:
    """A function that counts the sweeps through it, whoever runs them: the kit of the question or any other.

    Attributes
    ----------
    pulls, pushes : int
        Pulls of cotangents and pushes of tangents that reached the function.
    """

    f: Callable[..., Any]
    pulls: int = field(init=False, default=0)
    pushes: int = field(init=False, default=0)

    def __call__(self, x: Any) -> Any:
        """The value of f; its derivatives are f's, and counted."""
        from autodiff_kit.ops.custom_gradient import custom_gradient

        def pull(g: Any) -> Any:
            self.pulls += 1
            return g

        def push(tangent: Any) -> Any:
            self.pushes += 1
            return tangent

        return custom_gradient(lambda y: (y, pull, push))(self.f(x))


@dataclass(frozen=True, repr=False)
class QuadraticPlusSines:
    """A quadratic plus sines of high frequency, (Ax)(Bx) + sin(30 Cx): f: Rⁿ → Rᵐ."""

    a: Array
    b: Array
    c: Array

    @classmethod
    def draw(cls, rng: np.random.Generator, n: int, m: int) -> QuadraticPlusSines:
        """Draw one at random."""
        return cls(*rng.normal(size=(3, m, n)))

    def __call__(self, x: Any) -> Any:
        """The value, in kit ops, so that a tape sees it."""
        import autodiff_kit as ak

        return ak.matmul(self.a, x) * ak.matmul(self.b, x) + ak.sin(30.0 * ak.matmul(self.c, x))

    def __repr__(self) -> str:
        return f"<a function from {self.a.shape[1]} numbers to {self.a.shape[0]}>"

    def jacobian(self, x: Array) -> Array:
        """The Jacobian, from its formula."""
        ax, bx, cx = self.a @ x, self.b @ x, self.c @ x
        rows: Array = bx[:, None] * self.a + ax[:, None] * self.b + 30 * np.cos(30 * cx)[:, None] * self.c
        return rows


def matrix_product_callback(name: str, matrix: Array) -> Callback:
    """A jvp or vjp as a product with a matrix, as a callback that checks the shape of its argument."""

    def product(vector: Any) -> Array:
        if np.shape(vector) != matrix.shape[1:]:
            text = translate("{name} takes an array of shape {wanted}; got {got}.", "lesson01")
            raise ValueError(text.format(name=name, wanted=matrix.shape[1:], got=np.shape(vector)))
        answer: Array = matrix @ np.asarray(vector, matrix.dtype)
        return answer

    return Callback(product, name)
