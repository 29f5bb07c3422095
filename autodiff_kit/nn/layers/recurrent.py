"""Recurrent layers: the gated recurrent unit, step by step and over whole sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from autodiff_kit.core.tensor import Tensor, as_tensor
from autodiff_kit.core.validation import check_flag
from autodiff_kit.core.variable import Variable
from autodiff_kit.errors import ShapeError
from autodiff_kit.nn.functional import sigmoid
from autodiff_kit.nn.layers.arguments import (
    check_input_width,
    floating_dtype,
    input_width,
    layer_name,
    random_generator,
    row_vectors,
    size_argument,
)
from autodiff_kit.nn.layers.initializers import glorot_uniform, layer_variable
from autodiff_kit.nn.module import Module
from autodiff_kit.ops.elementary_functions import tanh
from autodiff_kit.ops.joining import stack
from autodiff_kit.ops.splitting import split, unstack

__all__ = ["GRU", "GRUCell"]


class GRUCell(Module):
    """One step of a gated recurrent unit: the next hidden state from an input and the state before.

    Parameters
    ----------
    units : int
        Width of the hidden state.
    use_bias : bool, optional
        Whether both products get a bias.
    inputs : int, optional
        Width of the input; by default taken from the first call.
    seed : int or numpy.random.Generator, optional
        Seed of the initial kernels; None gives different values each time.
    name : str, optional
        Name in errors and tables; "gru_cell" by default.
    dtype : dtype, optional
        Of the variables and of the first state; float64 by default.

    Attributes
    ----------
    kernel : Variable or None
        ``(inputs, 3 * units)``: reset gate, update gate, candidate; None until it is created.
    recurrent_kernel : Variable
        ``(units, 3 * units)``, in the same order.
    bias, recurrent_bias : Variable or None
        ``(3 * units,)``; initially 0.

    Raises
    ------
    StructureError
        If an argument is out of its range.
    ShapeError
        When it is called on vectors or states of another width.

    Notes
    -----
    **Shapes.** ``x (..., inputs)`` and ``state (..., units)`` give ``(..., units)``.

    With W and U for kernels, b and c for biases, and the index of a part:
    ``r = σ(x·W_r + b_r + h·U_r + c_r)``, ``z = σ(x·W_z + b_z + h·U_z + c_z)``,
    ``n = tanh(x·W_n + b_n + r·(h·U_n + c_n))``, and the next state is ``(1 - z)·n + z·h``. The reset gate acts after
    the product with the state, as in the first version of [1]_, in PyTorch's ``GRUCell`` [2]_ (whose weights are the
    transposes, in the same order) and in Keras with ``reset_after=True``.

    Each part of a kernel is initialized as the kernel of :class:`Dense` (Glorot uniform).

    References
    ----------
    .. [1] Cho et al., *Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine Translation*,
       arXiv:1406.1078v1, 2014.
    .. [2] PyTorch documentation, ``torch.nn.GRUCell``.

    Examples
    --------
    >>> cell = ak.layers.GRUCell(4, inputs=3, seed=0)
    >>> state = None
    >>> for x in np.ones((5, 2, 3)):
    ...     state = cell(x, state)
    >>> state.shape
    (2, 4)
    """

    def __init__(
        self,
        units: int,
        use_bias: bool = True,
        inputs: int | None = None,
        seed: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        self.name = layer_name(name, "gru_cell")
        self.units = size_argument("units", units)
        self.dtype = floating_dtype(dtype)
        self.seed = random_generator(seed)
        self.kernel: Variable | None = None
        self.recurrent_kernel = layer_variable(self, "recurrent_kernel", self._three_kernels(self.units))
        biased = check_flag("use_bias", use_bias)
        self.bias, self.recurrent_bias = (
            layer_variable(self, part, np.zeros(3 * self.units)) if biased else None
            for part in ("bias", "recurrent_bias")
        )
        if inputs is not None:
            self._build(size_argument("inputs", inputs, least=0))

    def _three_kernels(self, inputs: int) -> Any:
        return np.concatenate([glorot_uniform((inputs, self.units), self.seed) for _ in range(3)], axis=1)

    def _build(self, inputs: int) -> Variable:
        self.kernel = layer_variable(self, "kernel", self._three_kernels(inputs))
        return self.kernel

    def _unbuilt_variable(self) -> str | None:
        return "kernel" if self.kernel is None else None

    def __call__(self, x: Any, state: Any = None) -> Tensor:
        """The next state; the state before is 0 if none is given."""
        x = as_tensor(x)
        inputs = input_width(self, x)
        kernel = self.kernel if self.kernel is not None else self._build(inputs)
        check_input_width(self, x, kernel.shape[0])
        h = self._checked_state(np.zeros((*x.shape[:-1], self.units), self.dtype) if state is None else state)
        from_input, from_state = x @ kernel, h @ self.recurrent_kernel
        if self.bias is not None:
            from_input, from_state = from_input + self.bias, from_state + self.recurrent_bias
        both = 2 * self.units
        reset, update = split(sigmoid(from_input[..., :both] + from_state[..., :both]), 2, -1)
        candidate = tanh(from_input[..., both:] + reset * from_state[..., both:])
        out: Tensor = candidate + update * (h - candidate)
        return out

    def _checked_state(self, state: Any) -> Tensor:
        h = as_tensor(state)
        if h.shape[-1:] != (self.units,):
            raise ShapeError(f"{self.name}: a state has {self.units} entries along its last axis, got shape {h.shape}")
        return h


class GRU(Module):
    """Gated recurrent unit over sequences: a :class:`GRUCell` goes through the steps, and all its states are returned.

    Parameters
    ----------
    units, use_bias, inputs, seed
        As in :class:`GRUCell`.
    name : str, optional
        Name in errors and tables; "gru" by default.
    dtype : dtype, optional
        As in :class:`GRUCell`.

    Attributes
    ----------
    cell : GRUCell
        Also for single steps, for example where each output becomes the next input.

    Raises
    ------
    StructureError, ShapeError
        As :class:`GRUCell`; also if the input is not a sequence of vectors.

    Notes
    -----
    **Shapes.** ``x (..., steps, inputs)`` gives ``(..., steps, units)``; the last state is ``layer(x)[..., -1, :]``.
    The first state, ``(..., units)``, is 0 unless it is given.
    **Cost.** The steps depend on each other and run one after the other; :func:`autodiff_kit.compile` records them all.

    Examples
    --------
    >>> layer = ak.layers.GRU(4, seed=0)
    >>> layer(np.ones((2, 5, 3))).shape
    (2, 5, 4)
    >>> layer
    GRU: 108 parameters in 4 variables
      cell/kernel            (3, 12)  float64  36
      cell/recurrent_kernel  (4, 12)  float64  48
      cell/bias              (12,)    float64  12
      cell/recurrent_bias    (12,)    float64  12
    """

    def __init__(
        self,
        units: int,
        use_bias: bool = True,
        inputs: int | None = None,
        seed: Any = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        self.name = layer_name(name, "gru")
        self.cell = GRUCell(units, use_bias, inputs, seed, f"{self.name}/cell", dtype)

    def __call__(self, x: Any, state: Any = None) -> Tensor:
        """The states after each step."""
        x = row_vectors(self, x)
        states = []
        for entry in unstack(x, -2):
            state = self.cell(entry, state)
            states.append(state)
        return stack(states, -2) if states else as_tensor(np.zeros((*x.shape[:-1], self.cell.units), self.cell.dtype))
