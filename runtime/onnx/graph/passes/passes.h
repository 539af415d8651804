// Optimisations of a finished graph. Results stay bit-identical, except for rounding in biases, weights and the sums of
// products. A fusion that rounds otherwise belongs in a recipe.
#pragma once

#include "runtime/onnx/graph/graph.h"

namespace fluid2onnx {

/// Which passes may change the rounding of results.
enum class Fusions : uint8_t {
  none,            ///< none of them: fuse_biases, fuse_..._batch_norms, quantise_activations, add_biases_last
  all_but_biases,  ///< all but add_biases_last
  all,
};

/// Repeats the structural passes until nothing changes, then runs the others once. Call it when the main graph is
/// complete and no other graph is open.
void run_passes(Model& model, Fusions fusions = Fusions::all);

/// Makes the sum of parallel convolutions of one tensor a single convolution, whose filter is not in the program. Call
/// run_passes before and after. Returns the number of sums.
int merge_branches(Model& model);

/// Folds a BatchNormalization into the weights of the Gemm or MatMul before it: runtimes fold only those behind
/// convolutions. Call run_passes before and after. Returns the number of BatchNormalization nodes.
int fuse_batch_norms_of_matrices(Model& model);

// Each pass returns the number of its changes.

/// Removes nodes whose results are unused, and unused optional results.
int remove_dead_nodes(Model& model);
/// Removes Identity nodes, and Cast nodes that revert a lossless Cast.
int remove_identities(Model& model);
/// Merges consecutive Transpose nodes, also with elementwise nodes between them.
int merge_transposes(Model& model);
/// Moves the Squeeze of a convolution or pooling behind normalizations, activations and sums, up to an Unsqueeze, which
/// it cancels.
int move_squeezes(Model& model);
/// Replaces a tensor of rank 5 that packs queries, keys and values by Split and tensors of rank 4.
int split_packed_projections(Model& model);
/// Merges consecutive reshapes, and removes those that restore the original dims.
int merge_reshapes(Model& model);
/// In a Reshape with a dynamic dimension, replaces -1 by its size if that is known, or uses Flatten if -1 represents
/// all axes except the first. For empty tensors, -1 is ambiguous and ONNX Runtime reports an error.
int replace_minus_one(Model& model);
/// Eliminates common subexpressions.
int merge_common_subexpressions(Model& model);
/// Moves an Add of a constant per channel into the bias of the convolution; merges MatMul and Add of rank 2 into Gemm.
int fuse_biases(Model& model);
/// Replaces a Slice after a convolution by less padding in the convolution.
int merge_slices(Model& model);
/// Folds a BatchNormalization into the weights of the convolution before it. Runs only for --fp16 and --bf16: runtimes
/// fold it when they load a model, but weights in 16 bits are too inexact for that.
int fuse_batch_norms(Model& model);
/// Folds a BatchNormalization into the int8 weights of a quantised convolution: runtimes do not fold it, and their
/// integer kernels need it.
int fuse_quantised_batch_norms(Model& model);
/// Stores integer weights of operators with quantised activations as int8.
int quantise_weights(Model& model);
/// Also quantises results of quantised convolutions before their activation, because integer kernels need it.
int quantise_activations(Model& model);
/// Stores the int8 weights of a Gemm as [out, in] if they have one step for each column.
int transpose_quantised_weights(Model& model);
/// Rewrites patterns that ONNX Runtime's optimiser breaks.
int avoid_wrong_fusions(Model& model);
/// Adds the bias of a product after the residual connection, if a layer normalization follows: ONNX Runtime's kernel
/// for both together is slower.
int add_biases_last(Model& model);
/// Merges equal constants. Large constants are equal if they have the same location in the same file, or are computed
/// equally from such constants.
int merge_constants(Model& model);
int remove_unused_constants(Model& model);
/// Writes a large weight and its transpose once: a Transpose node computes the other.
int share_transposed(Model& model);

}  // namespace fluid2onnx
