"""`fluid2onnx inspect --html`: a model as one page that needs nothing else."""
