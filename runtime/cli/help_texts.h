// The texts of --help. Their options are in arguments.cc.
#pragma once

namespace fluid2onnx::cli {

extern const char kAbout[];
extern const char kFooter[];
extern const char kConvertFooter[];
extern const char kInspectFooter[];
extern const char kOpsFooter[];
extern const char kLintFooter[];
extern const char kSpecAbout[];
extern const char kSpecFooter[];

}  // namespace fluid2onnx::cli
