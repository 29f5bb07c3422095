"""What is told of a gradient, by kind: headline, explanation, remedy, and the lesson that shows it at work."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["REASONS", "Reason"]


class Reason(NamedTuple):
    """One kind of explanation, as format strings; ``{target}`` and ``{source}`` are names, other words are the finder's.

    Attributes
    ----------
    gradient : {"flows", "None", "zero", "nan"}
        What becomes of the gradient; empty where an error was raised instead.
    headline, because, fix : str
    lesson : str
        The lesson that explains it, by the name of its notebook.
    """

    gradient: str
    headline: str
    because: str
    fix: str
    lesson: str


_LEFT_THE_GRAPH = "02_unconnected"

REASONS: dict[str, Reason] = {
    "connected": Reason("flows", "They are connected.", "{detail}", "", ""),
    "frozen": Reason(
        "None",
        "The source does not require a gradient.",
        "{detail}",
        "If {source} is to be trained, set its requires_grad to True before the forward pass.",
        _LEFT_THE_GRAPH,
    ),
    "not_leaf": Reason(
        "None",
        "The source is a result, not a leaf.",
        "{detail} Only leaves, tensors that no operation computed, get a .grad.",
        "Make the final tensor first and then call requires_grad_() on it, or wrap it in nn.Parameter. To look at the "
        "gradient of a result, call retain_grad() on it before the backward pass.",
        _LEFT_THE_GRAPH,
    ),
    "replaced": Reason(
        "None",
        "Another tensor has taken the source's place.",
        "{detail}",
        "Change the tensor in place inside of torch.no_grad(), such as w.sub_(lr * w.grad), or convert and replace "
        "modules before the optimizer and the loss use them.",
        _LEFT_THE_GRAPH,
    ),
    "left": Reason(
        "None",
        "The value left the graph.",
        "{detail}",
        "Compute with the tensor itself; call item(), numpy() or float() only on what is printed or stored.",
        _LEFT_THE_GRAPH,
    ),
    "detached": Reason(
        "None",
        "The graph was cut off here.",
        "{detail} The result has the same numbers and no history.",
        "If you want a gradient here, take the detach() or .data away.",
        "10_stop_gradient",
    ),
    "no_grad": Reason(
        "None",
        "It was computed while gradients were off.",
        "{detail}",
        "Compute what the loss depends on outside of no_grad or inference_mode.",
        "10_stop_gradient",
    ),
    "no_slope": Reason(
        "None",
        "{op} has no derivative.",
        "{detail}",
        "Put a function with a slope in its place (a softmax for argmax, a sigmoid for a comparison), or a "
        "straight-through estimator.",
        "06_relaxing_floor",
    ),
    "zero_slope": Reason(
        "zero",
        "The gradient is zero from {op} on.",
        "{detail}",
        "Look at the values that reach this line: a flat function, a mask of zeros, or units that are all off.",
        "06_relaxing_floor",
    ),
    "nan": Reason(
        "nan",
        "The first nan comes from {op}.",
        "{detail}",
        "Keep its argument away from the bad point before the operation, for instance with clamp(min=...), or with a "
        "where on the argument and another on the result.",
        "03_where_cond",
    ),
    "unused": Reason(
        "None",
        "The target does not depend on the source.",
        "{detail}",
        "Compute {target} from {source}, or ask for a parameter that is used.",
        _LEFT_THE_GRAPH,
    ),
    "accumulated": Reason(
        "flows",
        "The stored gradient is the sum of several backward passes.",
        "{detail} backward() adds to .grad.",
        "Call optimizer.zero_grad(), or set .grad to None, before each backward pass.",
        "14_step_is_not_gradient",
    ),
    "optimizer": Reason(
        "flows",
        "The gradient is there, but the optimizer does not move the source by it.",
        "{detail}",
        "{remedy}",
        "15_adam_slots",
    ),
    "custom": Reason(
        "None",
        "The backward of {op} gives no gradient for this input.",
        "{detail}",
        "Let backward return a gradient for each tensor that forward takes, in the order of its arguments.",
        "05_custom_gradients",
    ),
    "inplace_error": Reason(
        "",
        "A value that the backward pass needs was written over.",
        "{detail}",
        "Use the operation that makes a new tensor, such as x = x + 1 in place of x += 1, or clone() before writing.",
        "12_state",
    ),
    "second_backward_error": Reason(
        "",
        "The graph was used a second time after it was freed.",
        "{detail}",
        "Add the losses and call backward() once, compute the loss again before each call, or pass retain_graph=True to "
        "all calls but the last.",
        "13_growing_record",
    ),
    "hook_changes": Reason(
        "flows",
        "A hook changes the gradient.",
        "{detail}",
        "Take the hook away, or let it return None where it should only look.",
        "05_custom_gradients",
    ),
    "loop_state": Reason(
        "flows",
        "The state that a loop carries along decides how far the gradient flows.",
        "{detail}",
        "Detach the state once between two backward passes, not in each step between them.",
        "12_state",
    ),
    "broadcast": Reason(
        "flows",
        "The shapes were broadcast: the loss compares every pair.",
        "{detail} The gradient flows, but it is that of another loss.",
        "Give both the same shape, for instance with squeeze(-1) on the prediction or unsqueeze(-1) on the data.",
        "08_sparse_cross_entropy",
    ),
    "stop_gradient": Reason(
        "zero",
        "stop_gradient ends the path here.",
        "{detail}",
        "If you want a gradient here, take jax.lax.stop_gradient away.",
        "10_stop_gradient",
    ),
    "int_argument": Reason(
        "",
        "An argument that is to be differentiated is no floating-point array.",
        "{detail}",
        "Make it a float, for instance with jnp.asarray(x, float), or keep it out of what argnums names.",
        "06_relaxing_floor",
    ),
    "argnums": Reason(
        "None",
        "This argument was not asked for.",
        "{detail}",
        "{remedy}",
        _LEFT_THE_GRAPH,
    ),
    "closure_constant": Reason(
        "zero",
        "The function reads a captured array in place of its argument.",
        "{detail}",
        "Use the function's argument on this line, and pass it on to every function that needs it.",
        _LEFT_THE_GRAPH,
    ),
    "tracer_error": Reason(
        "",
        "A traced value has no number.",
        "{detail}",
        "{remedy}",
        _LEFT_THE_GRAPH,
    ),
    "custom_vjp": Reason(
        "zero",
        "The custom rule of {op} gives no gradient for this input.",
        "{detail}",
        "Let the rule return a cotangent for each argument of the function, in their order.",
        "05_custom_gradients",
    ),
    "where": Reason(
        "nan",
        "The where hides a value whose gradient is nan.",
        "{detail}",
        "Put another where around the argument: {op} has to get a harmless value in the entries that are left out.",
        "03_where_cond",
    ),
    "while_loop": Reason(
        "",
        "A while loop has no backward pass.",
        "{detail}",
        "Use jax.lax.scan, or jax.lax.fori_loop with bounds that are plain numbers, with a where for an early end.",
        "13_growing_record",
    ),
    "aux": Reason(
        "",
        "The function returns more than its loss.",
        "{detail}",
        "Return (loss, others) and pass has_aux=True to jax.grad; what is to be differentiated belongs into the loss.",
        _LEFT_THE_GRAPH,
    ),
    "pytree_none": Reason(
        "None",
        "There is a None in the arguments where an array was meant.",
        "{detail}",
        "Put an array there, such as zeros, before the function is differentiated.",
        _LEFT_THE_GRAPH,
    ),
    "at_dropped": Reason(
        "zero",
        "The result of .at[...] is dropped.",
        "{detail}",
        "Bind the result: x = x.at[...].set(...).",
        "12_state",
    ),
}
