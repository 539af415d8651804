"""How far outputs may differ by default: |onnx - paddle| <= atol + rtol * |paddle|."""

# Of one operator.
FLOAT_RTOL, FLOAT_ATOL = 1e-5, 1e-6
# Half precision has 11 bits; results of a few operations agree to about this.
HALF_RTOL, HALF_ATOL = 2e-3, 1e-3
# bfloat16 has 8 bits.
BFLOAT_RTOL, BFLOAT_ATOL = 8 * HALF_RTOL, 8 * HALF_ATOL
# Of a model: errors add up over its layers. Absolute ones are in units of the output's largest magnitude, but at least of 1:
# a small number among large ones is a difference of such, with their errors.
MODEL_RTOL, MODEL_ATOL = 1e-3, 1e-5
# Of a model whose weights are in 16 bits, while Paddle's are not: (rtol, atol).
NARROW_MODEL = {"float16": (1e-2, 1e-2), "bfloat16": (8e-2, 8e-2)}
