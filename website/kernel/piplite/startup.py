"""Run by IPython when the kernel starts (PYTHONSTARTUP): names are completed by looking at the objects, without jedi."""

get_ipython().Completer.use_jedi = False  # noqa: F821 - a name of every notebook
