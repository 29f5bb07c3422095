"""Another right answer to hess-1."""


def product_by_symmetry(kit, grad, x, v):
    _, pull = kit.vjp(grad, x)
    return pull(v)


OTHER = (product_by_symmetry,)
