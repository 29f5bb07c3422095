"""Wrong answers to loop-1, each with the misconception that it must be told; an empty name asks for the plain message."""

import math


def looped(x, limit, factor, runs=lambda x, limit: abs(x) < limit):
    slope = 1.0
    while runs(x, limit):
        x, slope = x * factor, slope * factor
    return x, slope


def too_late(x, limit, factor):
    return looped(x, limit, factor, lambda x, limit: abs(x) <= limit)


def too_late_below(x, limit, factor):
    return looped(x, limit, factor, lambda x, limit: -limit <= x < limit)


def too_early(x, limit, factor):
    return looped(x, limit, factor, lambda x, limit: abs(x * factor) < limit)


def difference(x, limit, factor, h=1e-3, left=1, right=1):
    y, up, down = (looped(one, limit, factor)[0] for one in (x, x + right * h, x - left * h))
    return y, (up - down) / ((left + right) * h)


def counted(x, limit, factor, missing=1.0):
    y, slope = looped(x, limit, factor)
    turn = -1 / (x * math.log(factor)) if abs(x) < limit else 0.0
    return y, slope + y * math.log(factor) * turn / missing


def with_the_sign(x, limit, factor):
    y, slope = looped(x, limit, factor)
    return y, math.copysign(slope, x)


def turns_times_factor(x, limit, factor):
    y, slope = looped(x, limit, factor)
    return y, round(math.log(slope, factor)) * factor


def zero_beyond(x, limit, factor):
    y, slope = looped(x, limit, factor)
    return y, slope if abs(x) < limit else 0.0


def without_abs(x, limit, factor):
    return looped(x, limit, factor, lambda x, limit: x < limit)


def logarithm_of_x(x, limit, factor):
    math.log(limit / x)
    return looped(x, limit, factor)


def part_of_a_turn(x, limit, factor, size=lambda x: x):
    n = math.log(limit / size(x)) / math.log(factor)
    return x * factor**n, factor**n


WRONG = {
    "<=": ((too_late,), "stops-one-too-late"),
    "<= below": ((too_late_below,), "stops-one-too-late"),
    "central difference": ((difference,), "steps-over-the-jump"),
    "small step": ((lambda x, limit, f: difference(x, limit, f, h=1e-7),), "steps-over-the-jump"),
    "forward": ((lambda x, limit, f: difference(x, limit, f, h=1e-6, left=0),), "steps-over-the-jump"),
    "backward": ((lambda x, limit, f: difference(x, limit, f, h=1e-6, right=0),), "steps-over-the-jump"),
    "trip count": ((counted,), "differentiates-the-trip-count"),
    "trip count, no logarithm": (
        (lambda x, limit, f: counted(x, limit, f, math.log(f)),),
        "differentiates-the-trip-count",
    ),
    "y for the slope": ((lambda x, limit, f: (looped(x, limit, f)[0],) * 2,), "gives-the-value"),
    "one too early": ((too_early,), "stops-one-too-early"),
    "sign of x": ((with_the_sign,), "takes-the-sign-of-x"),
    "slope of one turn": ((lambda x, limit, f: (looped(x, limit, f)[0], f),), "one-turn-only"),
    "number of turns times the factor": ((turns_times_factor,), "adds-the-turns"),
    "0 beyond the limit": ((zero_beyond,), "zero-without-a-turn"),
    "without abs": ((without_abs,), "forgets-abs"),
    "only from 0 on": ((lambda x, limit, f: looped(x, limit, f, lambda x, limit: 0 <= x < limit),), "forgets-abs"),
    "logarithm of x": ((logarithm_of_x,), "forgets-abs"),
    "a part of a turn": ((part_of_a_turn,), "turns-not-whole"),
    "a part of a turn, with abs": ((lambda x, limit, f: part_of_a_turn(x, limit, f, size=abs),), "turns-not-whole"),
    "slope 1": ((lambda x, limit, f: (looped(x, limit, f)[0], 1.0),), ""),
}
