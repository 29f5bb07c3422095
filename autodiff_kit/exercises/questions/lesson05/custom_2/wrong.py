"""Wrong answers to custom-2, each with the misconception that it must be told; an empty name asks for the plain message."""

import numpy as np


def clip_and_reverse(x, lam, cap, value=None, pull=None):
    return (x if value is None else value), pull or (lambda g: -lam * np.clip(g, -cap, cap))


WRONG = {
    "forward too": (
        (lambda x, lam, cap: clip_and_reverse(x, lam, cap, -lam * np.clip(x, -cap, cap)),),
        "changes-the-forward",
    ),
    "forward turned": ((lambda x, lam, cap: clip_and_reverse(x, lam, cap, -lam * x),), "changes-the-forward"),
    "scale, then clip": (
        (lambda x, lam, cap: clip_and_reverse(x, lam, cap, pull=lambda g: np.clip(-lam * g, -cap, cap)),),
        "clips-after-scaling",
    ),
    "clip(x)": (
        (lambda x, lam, cap: clip_and_reverse(x, lam, cap, pull=lambda g: -lam * np.clip(x, -cap, cap)),),
        "clips-x-not-g",
    ),
    "gate": (
        (lambda x, lam, cap: clip_and_reverse(x, lam, cap, pull=lambda g: -lam * g * (np.abs(g) <= cap)),),
        "gate-not-clip",
    ),
    "no minus": (
        (lambda x, lam, cap: clip_and_reverse(x, lam, cap, pull=lambda g: lam * np.clip(g, -cap, cap)),),
        "forgets-to-turn",
    ),
    "no clip": ((lambda x, lam, cap: clip_and_reverse(x, lam, cap, pull=lambda g: -lam * g),), "forgets-to-clip"),
    "length clipped": (
        (lambda x, lam, cap: clip_and_reverse(x, lam, cap, pull=lambda g: -lam * g * min(1, cap / np.linalg.norm(g))),),
        "clips-the-length",
    ),
    "+ lam, not clipped": ((lambda x, lam, cap: clip_and_reverse(x, lam, cap, pull=lambda g: lam * g),), ""),
}
