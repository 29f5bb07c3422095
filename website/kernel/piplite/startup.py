"""Run by IPython when the kernel starts (PYTHONSTARTUP)."""

__import__("piplite.ipython_settings").ipython_settings.apply(get_ipython())  # noqa: F821 - a name of every notebook
