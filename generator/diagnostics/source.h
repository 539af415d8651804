// Reading source files and finding places in them.
#pragma once

#include <string>
#include <string_view>

#include "generator/diagnostics/diagnostics.h"

namespace opgen {

/// The file at `path`, shown to people as `shown`. Line ends become \n and a byte order mark is dropped, so that
/// columns mean the same on every system. Null after a diagnostic when it cannot be read or is not UTF-8 text.
Source load_source(const std::string& path, const std::string& shown, Diagnostics& diagnostics);

/// A line without its end; empty when there is no such line.
std::string_view line_of(const SourceFile& file, int line);
/// The byte at which a line (from 1) begins, or the size of the text.
size_t line_start(const SourceFile& file, int line);
/// The run of `length` bytes at byte `offset`, cut at the end of its line; at least one byte long.
Span span_of(const Source& file, size_t offset, size_t length);
/// The byte where a span begins.
size_t offset_of(const Span& span);

}  // namespace opgen
