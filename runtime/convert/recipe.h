// Everything that opgen's C++ uses: the functions that recipes call, and the tables of converters.
#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "runtime/convert/builder.h"
#include "runtime/convert/channels_last.h"
#include "runtime/convert/complex.h"
#include "runtime/convert/lists.h"
#include "runtime/convert/lod.h"
#include "runtime/convert/onnx_converter.h"
