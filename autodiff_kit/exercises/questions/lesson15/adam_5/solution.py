"""After b1*m + (1 - b1)*g = 0 there is no motion left, now or later."""


def brake(slots, last_gradient, b1):
    return -b1 * slots["m"] / (1 - b1)
