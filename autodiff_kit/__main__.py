"""``python -m autodiff_kit`` is ``autodiff-kit``."""

from __future__ import annotations

import sys

from autodiff_kit.cli import main

if __name__ == "__main__":
    sys.exit(main())
