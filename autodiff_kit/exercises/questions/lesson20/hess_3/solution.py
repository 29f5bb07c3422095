"""Two gradients at points that lie 2h apart along v."""


def hv_by_moving(grad, x, v, h):
    return (grad(x + h * v) - grad(x - h * v)) / (2 * h)
