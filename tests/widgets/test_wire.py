"""What crosses to the front end is JSON: nan and the infinities are words, and None stays None."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import autodiff_kit as ak
from autodiff_kit.widgets.json_encoding import encode

NAN, INF = math.nan, math.inf


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        (NAN, "nan"),
        (INF, "inf"),
        (-INF, "-inf"),
        (1.5, 1.5),
        (3, 3),
        (True, True),
        (None, None),
        ("nan", "nan"),
        ([1.0, NAN, None, [INF]], [1.0, "nan", None, ["inf"]]),
        ((1, (2.0, -INF)), [1, [2.0, "-inf"]]),
        ({"a": NAN, 1: (None,)}, {"a": "nan", "1": [None]}),
        (np.array([[1.0, NAN], [INF, -INF]]), [[1.0, "nan"], ["inf", "-inf"]]),
        (np.array([[0.5, 2.0]]), [[0.5, 2.0]]),
        (np.array([1, 2]), [1, 2]),
        (np.array([True, False]), [True, False]),
        (np.array(["kept", "pad"]), ["kept", "pad"]),
        (np.array(NAN), "nan"),
        (np.float64(INF), "inf"),
        (np.float32(0.5), 0.5),
        (np.float16(NAN), "nan"),
        (np.int8(-3), -3),
        (np.zeros((0, 2)), []),
        (ak.constant([1.0, NAN]), [1.0, "nan"]),
        (ak.constant(2.5), 2.5),
        (ak.Variable(-INF), "-inf"),
        ({"rows": [{"w": ak.constant(NAN)}]}, {"rows": [{"w": "nan"}]}),
    ],
    ids=repr,
)
def test_values_travel_as_json(value: Any, sent: Any) -> None:
    found = encode(value)
    assert found == sent
    assert str(found) == str(sent)  # True is not 1, and 1 is not 1.0
    json.dumps(found, allow_nan=False)
