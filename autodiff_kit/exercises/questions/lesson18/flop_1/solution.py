"""Two products back for each one forward; nobody needs the first layer's input's, unless it is asked for."""

from itertools import pairwise


def cost(dims, batch, x_grad):
    products = [2 * batch * p * q for p, q in pairwise(dims)]
    backward = 2 * sum(products)
    return sum(products), backward if x_grad else backward - products[0]
