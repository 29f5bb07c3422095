"""Base class of the lesson widgets: answers changed inputs with outputs from the kernel, and renders statically."""

from __future__ import annotations

import base64
import io
from html import escape
from typing import Any, ClassVar

import anywidget
import numpy as np
import traitlets

from autodiff_kit.lessons.tables import Table
from autodiff_kit.platform import DRAWS_STILL_PICTURES
from autodiff_kit.widgets.bundle import load_front_end, load_style_sheet
from autodiff_kit.widgets.json_encoding import encode
from autodiff_kit.widgets.traits import names_by_role

__all__ = ["KernelWidget"]


class KernelWidget(anywidget.AnyWidget):
    """An interactive figure whose numbers the kernel computes.

    A subclass names its front-end module in ``_front_end``, declares its traits as :func:`Input`, :func:`ViewState` or
    :func:`Output`, and computes every output in :meth:`compute_outputs`; :meth:`settle_inputs` may correct inputs
    before that. The front end sets inputs together with a new number in ``asked``; when the outputs are there,
    ``answered`` is that number. Inputs that Python sets are answered as well. However many traits changed together,
    there is one answer; an exception in it stands in ``error``, and the last good outputs stay.

    Attributes
    ----------
    input_names : tuple of str
        Traits that an answer depends on, derived from the declarations.
    asked, answered : int
        Number of the last request, and of the last answer.
    error : str
        What went wrong in the last answer; empty where nothing did.
    trait_roles : dict of str to list of str
        The names of the declared traits by role, "input", "view" and "output"; the front end redraws for them.
    """

    _front_end: ClassVar[str] = ""
    input_names: ClassVar[tuple[str, ...]] = ()
    _names_by_role: ClassVar[dict[str, list[str]]] = {}

    asked = traitlets.Int(0).tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)
    error = traitlets.Unicode("").tag(sync=True)
    trait_roles: Any = traitlets.Dict(read_only=True).tag(sync=True)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "_front_end" in cls.__dict__:
            cls._esm = load_front_end(cls._front_end)
            cls._css = load_style_sheet()
        cls._names_by_role = names_by_role(cls)
        cls.input_names = tuple(cls._names_by_role["input"])
        super().__init_subclass__(**kwargs)

    def __init__(self, **kwargs: Any) -> None:
        self._answered_inputs: dict[str, Any] | None = None
        self._answering = False
        super().__init__(**kwargs)
        self.observe(self._on_change, [*self.input_names, "asked"])
        self._answer()

    @traitlets.default("trait_roles")
    def _default_trait_roles(self) -> dict[str, list[str]]:
        return self._names_by_role

    def settle_inputs(self) -> None:
        """Correct or complete the inputs before an answer.

        A subclass sets inputs here that depend on others: what a preset stands for, a value that the choice of another
        input has put out of range. Inputs that are set here belong to the same answer.
        """

    def compute_outputs(self) -> dict[str, Any]:
        """Compute every output from the inputs.

        Returns
        -------
        dict of str to object
            Trait name -> value; arrays, tensors, nan and infinities are allowed.
        """
        raise NotImplementedError(f"{type(self).__name__} computes nothing; write its compute_outputs()")

    def as_table(self) -> Table:
        """The content of the figure as a table, for static pages and readers without the front end."""
        raise NotImplementedError(f"{type(self).__name__} has no table; write its as_table()")

    def static_figure(self) -> Any:
        """A Matplotlib figure for static pages; None for none."""
        return None

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Take what the front end sends; a value that a trait refuses stands in ``error``, and is put back."""
        try:
            super().set_state(sync_data)
        except traitlets.TraitError as refused:
            with self.hold_sync():
                self.answered = sync_data.get("asked", self.asked)
                self.asked = self.answered  # the question is answered: the front end would wait for it for ever
                self.error = f"{refused}"
            self.send_state([name for name in sync_data if name in self.keys])

    def _on_change(self, _change: Any) -> None:
        if not self._answering:  # an input that settle_inputs sets is part of the answer under way
            self._answer()

    def _answer(self) -> None:
        """Settle the inputs, compute the outputs and send them, unless nothing changed and no request is open."""
        if self._encoded_inputs() == self._answered_inputs and self.asked == self.answered:
            return
        self._answering = True
        try:
            with np.errstate(all="ignore"):  # whatever the notebook's own setting is
                self.settle_inputs()
                outputs, error = self.compute_outputs(), ""
        except Exception as caught:  # noqa: BLE001 - shown to the learner instead of lost in a log
            outputs, error = {}, f"{type(caught).__name__}: {caught}"
        finally:
            self._answering = False
        self._answered_inputs = self._encoded_inputs()
        with self.hold_sync():
            for name, value in outputs.items():
                setattr(self, name, value)
            self.error = error
            self.answered = self.asked

    def _encoded_inputs(self) -> dict[str, Any]:
        return {name: encode(getattr(self, name)) for name in self.input_names}

    def __repr__(self) -> str:
        plain = {name: getattr(self, name) for name in self.input_names}
        shown = ", ".join(f"{k}={v!r}" for k, v in plain.items() if isinstance(v, (str, int, float)) and v != "")
        return f"{type(self).__name__}({shown})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view; beside it text, and HTML with table and figure, for pages that draw no widgets."""
        shown: Any = super()._repr_mimebundle_(**kwargs)
        data, meta = shown if isinstance(shown, tuple) else (shown or {}, {})
        if self.error:  # the outputs, if there are any, do not belong to the inputs
            return {**data, "text/plain": f"{self!r}\n{self.error}", "text/html": f"<p>{escape(self.error)}</p>"}, meta
        table = self.as_table()
        html = (_as_image(self.static_figure()) if DRAWS_STILL_PICTURES else "") + table.html()
        return {**data, "text/plain": f"{self!r}\n{table}", "text/html": html}, meta


def _as_image(figure: Any) -> str:
    """An HTML image of a Matplotlib figure; nothing for None."""
    if figure is None:
        return ""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
    text = base64.b64encode(buffer.getvalue()).decode()
    return f'<img alt="a still picture of the widget; the table says the same" src="data:image/png;base64,{text}">'
