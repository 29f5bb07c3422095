"""Programs of PyTorch: what a block computes, and why its gradients are what they are."""
