"""What runs: NumPy calls at first, then kernels in a row; where their memory is bound; the short way in."""
