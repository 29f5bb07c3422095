"""Two products backward for each one forward; the first layer's input needs no gradient unless it is asked for."""

from itertools import pairwise


def cost(dims, batch, x_grad):
    products = [2 * batch * p * q for p, q in pairwise(dims)]
    backward = 2 * sum(products)
    return sum(products), backward if x_grad else backward - products[0]
