"""The gradient is a function like any other: its push along v is H v."""


def hvp(kit, grad, x, v):
    _, tangent = kit.jvp(grad, x, v)
    return tangent
