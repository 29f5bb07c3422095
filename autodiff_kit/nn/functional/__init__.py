"""Functions for neural networks: activations, softmax, attention, convolution, normalisation, losses."""
