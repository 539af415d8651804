#include "runtime/cli/help_texts.h"

namespace fluid2onnx::cli {

const char kAbout[] = "Converts PaddlePaddle models to ONNX, and ONNX models to PaddlePaddle.";
const char kFooter[] = R"(Examples:
  fluid2onnx convert resnet18.pdmodel -o resnet18.onnx
  fluid2onnx convert old_model/ --opset 11 --input-shape image=batch,3,224,224
  fluid2onnx convert resnet18.onnx -o resnet18.pdmodel
  fluid2onnx inspect resnet18.pdmodel
  fluid2onnx ops conv2d
  fluid2onnx lint resnet18.onnx --target tract
  fluid2onnx validate resnet18.pdmodel resnet18.onnx

Exit status: 0 done, 1 the model cannot be converted, 2 wrong usage, 3 a file cannot be read or written.
Run 'fluid2onnx COMMAND --help' for the options of a command.)";

const char kConvertFooter[] =
    R"(MODEL is X.pdmodel, X.json, __model__, a folder with one of these, or the prefix X. An ONNX file X.onnx becomes
X.pdmodel and X.pdiparams, or, with '-o X.json', a program in Paddle 3's format. These options do not apply to an
ONNX file: --target, --opset, --ir-version, --params, --weights, --dim-names, --lod, --structure, --fp16, --bf16,
--no-fuse, --custom-op and --continue-on-error.

Examples:
  fluid2onnx convert resnet18.pdmodel -o resnet18.onnx
  fluid2onnx convert old_model/__model__ --params old_model/__params__ --opset 11
  fluid2onnx convert det.pdmodel --input-shape image=1,3,640,640 --input-shape scale=1,2
  fluid2onnx convert net.pdmodel --outputs relu_3.tmp_0 --rename relu_3.tmp_0=features
  fluid2onnx convert net.pdmodel -o net.onnx --json > report.json
  fluid2onnx convert net.pdmodel --validate
  fluid2onnx convert net.pdmodel --inputs good.inputs.npz --expected good.npz
  fluid2onnx convert net.onnx -o net.pdmodel --input-shape image=batch,3,224,224
  fluid2onnx convert net.onnx -o net.json
  fluid2onnx convert -r models/ -o onnx/ --jobs 8 --resume

Exit status: 0 done, 1 the model cannot be converted, 2 wrong usage, 3 a file cannot be read or written.
After an error, an existing output file is unchanged: new files replace it only when they are complete and checked.)";

const char kInspectFooter[] = R"(Examples:
  fluid2onnx inspect resnet18.pdmodel --opset 11
  fluid2onnx inspect old_model/ --ops
  fluid2onnx inspect resnet18.pdmodel --json > model.json
  fluid2onnx inspect resnet18.onnx
  fluid2onnx inspect resnet18.pdmodel --html resnet18.html

Exit status: 0 the model can be converted, 1 it cannot, 2 wrong usage, 3 the file cannot be read.)";

const char kOpsFooter[] = R"(Examples:
  fluid2onnx ops
  fluid2onnx ops conv2d
  fluid2onnx ops --json

Exit status: 0 done, 1 unknown operator, 2 wrong usage.)";

const char kLintFooter[] = R"(Examples:
  fluid2onnx lint resnet18.onnx --target openvino
  fluid2onnx lint resnet18.onnx --target opencv@5 --json
  fluid2onnx lint resnet18.onnx --target all

Exit status: 0 the target runs all nodes, 1 it refuses some, 2 wrong usage, 3 the file cannot be read.)";

const char kSpecAbout[] = "Check and run spec files of operators for 'convert --spec'.";
const char kSpecFooter[] =
    R"(A spec defines how an operator becomes ONNX nodes. It has the operator's signature, which 'fluid2onnx inspect MODEL
--ops' prints, and a recipe: expressions of ONNX operators.

  op: snake_relu
  inputs: {X: tensor}
  outputs: {Out: tensor}
  attrs: {alpha: "float = 1.0"}
  nodes:
    - s = Sin(X * alpha)
    - Out = X + s * s / alpha

If Paddle defines the operator, omit the types, as in 'inputs: [X]': fluid2onnx has its signature.

Exit status: 0 done, 1 errors or differences, 2 wrong usage.
Run 'fluid2onnx spec COMMAND --help' for the options of a command.)";

}  // namespace fluid2onnx::cli
