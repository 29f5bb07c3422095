"""Programs of JAX: recorded from the jaxpr, equation by equation, with the user's lines."""
