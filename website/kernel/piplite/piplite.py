"""The names that JupyterLite's kernel sets; nothing here reads them."""

_PIPLITE_DISABLE_PYPI = True
_PIPLITE_URLS: list[str] = []
