"""Operators on functions of one argument, for functions of many."""

from functools import wraps


def subvals(values, pairs):
    values = list(values)
    for k, value in pairs:
        values[k] = value
    return tuple(values)


def get_name(f):
    return getattr(f, "__name__", "[unknown name]")


def unary_to_nary(operator):
    @wraps(operator)
    def many(f, argnum=0, *rest, **options):
        def run(*args, **kwargs):
            def one(x):
                pairs = [(argnum, x)] if isinstance(argnum, int) else zip(argnum, x, strict=True)
                return f(*subvals(args, pairs), **kwargs)

            one.__name__ = get_name(f)
            x = args[argnum] if isinstance(argnum, int) else tuple(args[k] for k in argnum)
            return operator(one, x, *rest, **options)

        run.__name__ = f"{operator.__name__}_of_{get_name(f)}_wrt_argnum_{argnum}"
        run.__doc__ = f"    {operator.__name__} of function {get_name(f)} with respect to argument {argnum}."
        return run

    return many
