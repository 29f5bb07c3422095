"""What every widget of the kit does: hear inputs, answer once, show the same without a front end."""

from __future__ import annotations

import base64
import io
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import anywidget
import traitlets

from autodiff_kit.lessons.tables import Table
from autodiff_kit.widgets.bundle import bundle
from autodiff_kit.widgets.json_encoding import encode

__all__ = ["KernelWidget"]

_JS = Path(__file__).parent / "js"


@cache
def _module(name: str) -> str:
    return bundle(_JS / name)


@cache
def _style() -> str:
    return (_JS / "kit" / "kit.css").read_text(encoding="utf-8")


class KernelWidget(anywidget.AnyWidget):
    """A picture whose numbers come from the kernel.

    A subclass names its front-end module in ``_module``, its input traits in ``inputs``, and computes every output in
    :meth:`answer`. The front end sets inputs together with a new number in ``asked``; when the outputs are there,
    ``answered`` is that number. Inputs that Python sets are answered as well. However many traits changed together,
    there is one answer; an exception in it stands in ``error``, and the last good outputs stay.

    Attributes
    ----------
    inputs : tuple of str
        Traits that an answer depends on.
    asked, answered : int
        Number of the last question, and of the last answer.
    error : str
        What went wrong in the last answer; empty where nothing did.
    """

    _module: ClassVar[str] = ""
    inputs: ClassVar[tuple[str, ...]] = ()

    asked = traitlets.Int(0).tag(sync=True)
    answered = traitlets.Int(0).tag(sync=True)
    error = traitlets.Unicode("").tag(sync=True)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "_module" in cls.__dict__:
            cls._esm = _module(cls._module)
            cls._css = _style()
        super().__init_subclass__(**kwargs)

    def __init__(self, **kwargs: Any) -> None:
        self._seen: dict[str, Any] | None = None
        super().__init__(**kwargs)
        self.observe(self._heard, [*self.inputs, "asked"])
        self._settle()

    def answer(self) -> dict[str, Any]:
        """Compute every output from the inputs.

        Returns
        -------
        dict of str to object
            Trait name -> value; arrays, tensors, nan and infinities are allowed.
        """
        raise NotImplementedError(f"{type(self).__name__} computes nothing; write its answer()")

    def twin(self) -> Table:
        """The same content as a table, for static pages and readers without the front end."""
        raise NotImplementedError(f"{type(self).__name__} has no text twin; write its twin()")

    def still(self) -> Any:
        """A still figure for static pages; None for none."""
        return None

    def _heard(self, _change: Any) -> None:
        self._settle()

    def _settle(self) -> None:
        """Answer, unless the inputs are those of the last answer and nobody waits."""
        if self._asked() == self._seen and self.asked == self.answered:
            return
        try:
            outputs, error = self.answer(), ""
        except Exception as caught:  # noqa: BLE001 - shown to the learner instead of lost in a log
            outputs, error = {}, f"{type(caught).__name__}: {caught}"
        self._seen = self._asked()  # an answer may have set inputs of its own: a sentence its mask, a preset its strips
        with self.hold_sync():
            for name, value in outputs.items():
                setattr(self, name, value)
            self.error = error
            self.answered = self.asked

    def _asked(self) -> dict[str, Any]:
        return {name: encode(getattr(self, name)) for name in self.inputs}

    def __repr__(self) -> str:
        plain = {name: getattr(self, name) for name in self.inputs}
        shown = ", ".join(f"{k}={v!r}" for k, v in plain.items() if isinstance(v, (str, int, float)) and v != "")
        return f"{type(self).__name__}({shown})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view; beside it text, and HTML with still figure and twin, for pages that draw no widgets."""
        shown: Any = super()._repr_mimebundle_(**kwargs)
        data, meta = shown if isinstance(shown, tuple) else (shown or {}, {})
        twin = self.twin()
        return {**data, "text/plain": f"{self!r}\n{twin}", "text/html": _picture(self.still()) + twin.html()}, meta


def _picture(figure: Any) -> str:
    if figure is None:
        return ""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, bbox_inches="tight")
    text = base64.b64encode(buffer.getvalue()).decode()
    return f'<img alt="a still picture of the widget; the table says the same" src="data:image/png;base64,{text}">'
