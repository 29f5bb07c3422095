"""The models of NIST's problems, as given in their files' headers, and further published problems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import autodiff_kit as ak
from autodiff_kit.data import problem

Model = Callable[[Any, Any], Any]


def rational(degree: int) -> Model:
    """A polynomial of b1, b2, ... divided by one with the constant term 1."""

    def model(b: Any, x: Any) -> Any:
        above = sum(b[k] * x**k for k in range(degree + 1))
        return above / (1.0 + sum(b[degree + k] * x**k for k in range(1, degree + 1)))

    return model


def exponentials(b: Any, x: Any) -> Any:
    return b[0] * ak.exp(-b[1] * x) + b[2] * ak.exp(-b[3] * x) + b[4] * ak.exp(-b[5] * x)


def two_bells(b: Any, x: Any) -> Any:
    first = b[2] * ak.exp(-((x - b[3]) ** 2) / b[4] ** 2)
    return b[0] * ak.exp(-b[1] * x) + first + b[5] * ak.exp(-((x - b[6]) ** 2) / b[7] ** 2)


def waves(b: Any, x: Any) -> Any:
    year, second, third = 2 * np.pi * x / 12.0, 2 * np.pi * x / b[3], 2 * np.pi * x / b[6]
    out = b[0] + b[1] * np.cos(year) + b[2] * np.sin(year) + b[4] * ak.cos(second) + b[5] * ak.sin(second)
    return out + b[7] * ak.cos(third) + b[8] * ak.sin(third)


MODELS: dict[str, Model] = {
    "Misra1a": lambda b, x: b[0] * (1.0 - ak.exp(-b[1] * x)),
    "BoxBOD": lambda b, x: b[0] * (1.0 - ak.exp(-b[1] * x)),
    "Chwirut2": lambda b, x: ak.exp(-b[0] * x) / (b[1] + b[2] * x),
    "DanWood": lambda b, x: b[0] * x ** b[1],
    "ENSO": waves,
    "Gauss1": two_bells,
    "Hahn1": rational(3),
    "Kirby2": rational(2),
    "Lanczos3": exponentials,
    "MGH17": lambda b, x: b[0] + b[1] * ak.exp(-x * b[3]) + b[2] * ak.exp(-x * b[4]),
    "Rat43": lambda b, x: b[0] / (1.0 + ak.exp(b[1] - b[2] * x)) ** (1.0 / b[3]),
    "Thurber": rational(3),
}


@dataclass(frozen=True)
class Case:
    name: str
    number: int
    model: Model
    x: Any
    y: Any
    start: Any
    best: Any
    iterations: int = 200


def cases(name: str, model: Model, x: Any, y: Any, starts: Any, best: Any, iterations: int = 200) -> list[Case]:
    return [Case(name, k + 1, model, x, y, s, np.array(best), iterations) for k, s in enumerate(starts)]


# Meyer's thermistor, Kowalik and Osborne's enzyme (both in Moré, Garbow and Hillstrom, 1981), Ratkowsky's pasture
# (1983), the pressures of Misra1a under three other models, and Lanczos's sum of exponentials to more digits.
MEYER = [34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427, 3820, 3307, 2872]
KOWALIK_X = np.array([4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625])
KOWALIK_Y = np.array([0.1957, 0.1947, 0.1735, 0.16, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246])
PASTURE_X = np.array([9.0, 14, 21, 28, 42, 57, 63, 70, 79])
PASTURE_Y = np.array([8.93, 10.80, 18.59, 22.33, 39.35, 56.11, 61.73, 64.62, 67.08])
LANCZOS = (problem("Lanczos3").x, problem("Lanczos3").starts)
PRESSURE = (problem("Misra1a").x, problem("Misra1a").y)


def lanczos(decimals: int) -> Any:
    x = LANCZOS[0]
    return np.array(
        [float(f"{y:.{decimals}e}") for y in 0.0951 * np.exp(-x) + 0.8607 * np.exp(-3 * x) + 1.5576 * np.exp(-5 * x)]
    )


PUBLISHED = [
    *cases(
        "MGH10",
        lambda b, x: b[0] * ak.exp(b[1] / (x + b[2])),
        50.0 + 5.0 * np.arange(16),
        np.array(MEYER, float),
        [[2.0, 400000.0, 25000.0], [0.02, 4000.0, 250.0]],
        [5.6096364710e-03, 6.1813463463e03, 3.4522363462e02],
        1500,  # the first start is at the far end of a long curved valley
    ),
    *cases(
        "MGH09",
        lambda b, x: b[0] * (x**2 + x * b[1]) / (x**2 + x * b[2] + b[3]),
        KOWALIK_X,
        KOWALIK_Y,
        [[25.0, 39.0, 41.5, 39.0], [0.25, 0.39, 0.415, 0.39]],
        [1.9280693458e-01, 1.9128232873e-01, 1.2305650693e-01, 1.3606233068e-01],
    ),
    *cases(
        "Rat42",
        lambda b, x: b[0] / (1.0 + ak.exp(b[1] - b[2] * x)),
        PASTURE_X,
        PASTURE_Y,
        [[100.0, 1.0, 0.1], [75.0, 2.5, 0.07]],
        [7.2462237576e01, 2.6180768402e00, 6.7359200066e-02],
    ),
    *cases(
        "Misra1b",
        lambda b, x: b[0] * (1.0 - (1.0 + b[1] * x / 2.0) ** -2.0),
        *PRESSURE,
        [[500.0, 0.0001], [300.0, 0.0002]],
        [3.3799746163e02, 3.9039091287e-04],
    ),
    *cases(
        "Misra1c",
        lambda b, x: b[0] * (1.0 - (1.0 + 2.0 * b[1] * x) ** -0.5),
        *PRESSURE,
        [[500.0, 0.0001], [600.0, 0.0002]],
        [6.3642725809e02, 2.0813627256e-04],
    ),
    *cases(
        "Misra1d",
        lambda b, x: b[0] * b[1] * x / (1.0 + b[1] * x),
        *PRESSURE,
        [[500.0, 0.0001], [450.0, 0.0003]],
        [4.3736970754e02, 3.0227324449e-04],
    ),
    *cases("Lanczos1", exponentials, LANCZOS[0], lanczos(13), LANCZOS[1], [0.0951, 1.0, 0.8607, 3.0, 1.5576, 5.0]),
    *cases(
        "Lanczos2",
        exponentials,
        LANCZOS[0],
        lanczos(5),
        LANCZOS[1],
        [9.6251029939e-02, 1.0057332849e00, 8.6424689056e-01, 3.0078283915e00, 1.5529016879e00, 5.0028798100e00],
    ),
]


def freudenstein_roth(b: Any, x: Any) -> Any:
    first = -13.0 + b[0] + ((5.0 - b[1]) * b[1] - 2.0) * b[1]
    return ak.stack([first, -29.0 + b[0] + ((b[1] + 1.0) * b[1] - 14.0) * b[1]])


def powell_singular(b: Any, x: Any) -> Any:
    ends = [(b[1] - 2.0 * b[2]) ** 2, 10.0**0.5 * (b[0] - b[3]) ** 2]
    return ak.stack([b[0] + 10.0 * b[1], 5.0**0.5 * (b[2] - b[3]), *ends])


CLASSICS = [
    *cases(
        "Rosenbrock",
        lambda b, x: ak.stack([10.0 * (b[1] - b[0] ** 2), 1.0 - b[0]]),
        0.0,
        0.0,
        [[-1.2, 1.0], [-120.0, 100.0]],
        [1.0, 1.0],
    ),
    *cases("Powell singular", powell_singular, 0.0, 0.0, [[3.0, -1.0, 0.0, 1.0]], [0.0, 0.0, 0.0, 0.0]),
    *cases(
        "Brown badly scaled",
        lambda b, x: ak.stack([b[0] - 1e6, b[1] - 2e-6, b[0] * b[1] - 2.0]),
        0.0,
        0.0,
        [[1.0, 1.0]],
        [1e6, 2e-6],
    ),
    *cases("Freudenstein and Roth", freudenstein_roth, 0.0, 0.0, [[0.5, -2.0]], [11.4127789, -0.8968053]),
    *cases(
        "Box",
        lambda b, x: ak.exp(-x * b[0]) - ak.exp(-x * b[1]) - b[2] * (np.exp(-x) - np.exp(-10.0 * x)),
        0.1 * np.arange(1, 11),
        0.0,
        [[0.0, 10.0, 20.0]],
        [1.0, 10.0, 1.0],
    ),
]


# The forms of the remaining problems of the collection, with their published starts. Their data are not part of the
# kit: they are drawn here, from parameters like the certified ones, with errors of the published size.
def drawn(name: str, model: Model, x: Any, truth: list[float], spread: float, starts: list[list[float]]) -> list[Case]:
    clean = np.asarray(model(ak.constant(truth), x))
    errors = spread * np.random.default_rng(len(name)).normal(size=clean.shape)
    return cases(name, model, x, clean + errors, starts, truth)


def bell(b: Any, x: Any) -> Any:
    return b[0] / b[1] * ak.exp(-0.5 * ((x - b[2]) / b[1]) ** 2)


def voltages(b: Any, x: Any) -> Any:
    return b[0] - b[1] * x[0] * ak.exp(-b[2] * x[1])


def transition(b: Any, x: Any) -> Any:
    return b[0] - b[1] * x - ak.atan(b[2] / (x - b[3])) / np.pi


BELLS = problem("Gauss1").x
WEEKS = np.repeat([1.0, 2, 4, 8, 16, 32, 48, 64], 16)
HEAT = np.tile(np.repeat([180.0, 225, 250, 275], 4), 8)
FORMS = [
    *drawn(
        "Chwirut1",
        MODELS["Chwirut2"],
        np.tile(problem("Chwirut2").x, 4),
        [0.19027818370, 0.0061314004477, 0.010530908399],
        3.4,
        [[0.1, 0.01, 0.02], [0.15, 0.008, 0.01]],
    ),
    *drawn(
        "Gauss2",
        two_bells,
        BELLS,
        [
            99.018328406,
            0.010994945399,
            101.88022528,
            107.03095519,
            23.578584029,
            72.045589471,
            153.27010194,
            19.525972636,
        ],
        2.3,
        [[96.0, 0.009, 103.0, 106.0, 18.0, 72.0, 151.0, 18.0], [98.0, 0.0105, 103.0, 105.0, 20.0, 73.0, 150.0, 20.0]],
    ),
    *drawn(
        "Gauss3",
        two_bells,
        BELLS,
        [
            98.940368970,
            0.010945879335,
            100.69553078,
            111.63619459,
            23.300500029,
            73.705031418,
            147.76164251,
            19.668221230,
        ],
        2.3,
        [[94.9, 0.009, 90.1, 113.0, 20.0, 73.8, 140.0, 20.0], [96.0, 0.0096, 80.0, 110.0, 25.0, 74.0, 139.0, 25.0]],
    ),
    *drawn(
        "Eckerle4",
        bell,
        np.concatenate([np.arange(400.0, 436, 5), 436.5 + 1.5 * np.arange(19), np.arange(465.0, 501, 5)]),
        [1.5543827178, 4.0888321754, 451.54121844],
        5e-5,  # in the tails, where the first start is
        [[1.0, 10.0, 500.0], [1.5, 5.0, 450.0]],
    ),
    *drawn(
        "Bennett5",
        lambda b, x: b[0] * (b[1] + x) ** (-1.0 / b[2]),
        np.geomspace(7.4, 140.0, 154),
        [-2523.5058043, 46.736564644, 0.93218483193],
        1.8e-3,
        [[-2000.0, 50.0, 0.8], [-1500.0, 45.0, 0.85]],
    ),
    *drawn(
        "Roszman1",
        transition,
        np.linspace(-4868.0, -40.0, 25),
        [0.20196866396, -6.1953516256e-06, 1204.4556708, -181.34269537],
        4.8e-3,
        [[0.1, -0.00001, 1000.0, -100.0], [0.2, -0.000005, 1200.0, -150.0]],
    ),
    *drawn(
        "Nelson",
        voltages,
        np.stack([WEEKS, HEAT]),
        [2.5906836021, 5.6177717026e-09, -5.7701013174e-02],
        0.17,
        [[2.0, 0.0001, -0.01], [2.5, 5e-9, -0.05]],
    ),
]
