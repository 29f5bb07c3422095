"""Transformations of functions: grad, vjp, jvp, Jacobians, Hessians, per-example gradients."""
