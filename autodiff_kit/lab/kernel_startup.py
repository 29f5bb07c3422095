"""What IPython runs when a kernel of a server with panels starts: a NameError says which cell makes the name.

The first cell of a lesson arranges the same; this is for a learner who began with another cell. Nothing of the kit is
imported before an error asks for it, and only notebooks in a learner's folders are looked at.
"""


def _explain_undefined_names():  # type: ignore[no-untyped-def]
    import os
    from pathlib import Path

    shell = globals().get("get_ipython", lambda: None)()
    notebook = Path(os.environ.get("JPY_SESSION_NAME", ""))
    if shell is None or notebook.parent.name not in ("notebooks", "exercises"):
        return

    def explain(shell, kind, error, trace, tb_offset=None):  # type: ignore[no-untyped-def]
        from autodiff_kit.lessons.undefined_names import show_with_hint

        place = f"{notebook.parent.name}/{notebook.name}"
        return show_with_hint(shell, kind, error, trace, tb_offset, place=place)

    shell.set_custom_exc((NameError,), explain)
    shell._autodiff_kit_explains = True  # the first cell may put its own in place of this


_explain_undefined_names()  # type: ignore[no-untyped-call]
del _explain_undefined_names
