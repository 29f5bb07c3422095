"""What recording a program of PyTorch costs: forward, and forward with backward, recorded relative to plain.

Run it in the environment of `make bench`: ``.venv-bench/bin/python -m benchmarks.recorded_programs``. Elsewhere it says
that PyTorch is missing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from autodiff_kit.extras import installed

ROUNDS, LOSSES = 11, 10


def programs() -> dict[str, Callable[[], Any]]:
    """Three losses: a perceptron of three layers, a transformer block, a convolutional net."""
    import torch
    from torch import nn

    torch.manual_seed(0)
    torch.set_num_threads(1)
    perceptron = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
    block = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
    convolution = nn.Sequential(
        nn.Conv2d(3, 16, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3),
        nn.ReLU(),
        nn.Flatten(),
        nn.LazyLinear(10),
    )
    rows, words, images = torch.randn(64, 64), torch.randn(8, 32, 64), torch.randn(16, 3, 32, 32)
    convolution(images)
    return {
        "perceptron, 3 layers, 64 rows": lambda: perceptron(rows).square().mean(),
        "transformer block, 8 x 32 x 64": lambda: block(words).square().mean(),
        "convolutional net, 16 images": lambda: convolution(images).square().mean(),
    }


def ratios(loss: Callable[[], Any], backward: bool) -> tuple[float, float]:
    """Milliseconds of one loss, and how many times as long it takes recorded; in turns, the least of each."""
    import autodiff_kit as ak

    def run() -> None:
        for _ in range(LOSSES):
            found = loss()
            if backward:
                found.backward()

    plain, recorded = [], []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        run()
        middle = time.perf_counter()
        with ak.record_torch():
            run()
        plain.append(middle - start)
        recorded.append(time.perf_counter() - middle)
    return min(plain) * 1e3 / LOSSES, min(recorded) / min(plain)


def main() -> None:
    if not installed("torch"):
        print("PyTorch is not installed here; run this in .venv-bench")
        return
    print(f"{'program':<34} {'forward':>10} {'recorded':>9} {'with backward':>14} {'recorded':>9}")
    for name, loss in programs().items():
        (forward, times), (both, times_both) = ratios(loss, False), ratios(loss, True)
        print(f"{name:<34} {forward:>7.2f} ms {times:>8.2f}x {both:>11.2f} ms {times_both:>8.2f}x")


if __name__ == "__main__":
    main()
