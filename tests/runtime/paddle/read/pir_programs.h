// Builders of programs of Paddle 3 (PIR JSON).
#pragma once

#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/paddle/program/program.h"
#include "runtime/paddle/read/open_model.h"
#include "runtime/support/error.h"
#include "tests/runtime/error_of.h"
#include "tests/runtime/temporary_folder.h"

namespace fluid2onnx::test::pir {

using nlohmann::json;

using Ints = std::vector<std::int64_t>;
using Names = std::vector<std::string>;

/// In braces, one item would be ambiguous for json.
using List = std::vector<json>;

inline json tensor(const Ints& dims = {2, 3}, const char* element = "0.t_f32") {
  return {{"#", "0.t_dtensor"}, {"D", List{{{"#", element}}, dims, "NCHW", json::array(), 0}}};
}
inline json attr(const char* name, const char* kind, const json& value) {
  return {{"N", name}, {"AT", {{"#", kind}, {"D", value}}}};
}
inline json ints(const Ints& values) {
  json list = json::array();
  for (const std::int64_t value : values) list.push_back({{"#", "0.a_i64"}, {"D", value}});
  return list;
}
inline json ids(const Ints& values) {
  json list = json::array();
  for (const std::int64_t value : values) list.push_back({{"%", value}});
  return list;
}
inline json op(const char* name, const Ints& operands, const std::map<std::int64_t, json>& results,
               const List& attrs = {}) {
  json list = json::array();
  for (const auto& [id, type] : results) list.push_back({{"%", id}, {"TT", type}});
  return {{"#", name}, {"I", ids(operands)}, {"O", list}, {"A", attrs}};
}
inline json data(const char* name, std::int64_t id, const json& type = tensor()) {
  return op("1.data", {}, {{id, type}}, {attr("name", "0.a_str", name)});
}
inline json fetch(std::int64_t value, const char* name = "y", int column = 0) {
  return op("1.fetch", {value}, {}, {attr("name", "0.a_str", name), attr("col", "0.a_i32", column)});
}
inline json region(const List& ops) {
  const json block{{"#", "block"}, {"args", json::array()}, {"ops", ops}};
  return {{"#", "region"}, {"blocks", List{block}}};
}
inline json file(const List& ops) {
  return {{"base_code", {{"magic", "pir"}, {"trainable", true}, {"version", 4}}},
          {"program", {{"regions", List{region(ops)}}}}};
}

inline Program read_text(const std::string& text) {
  const TemporaryFolder scratch;
  OpenOptions options;
  options.load_parameters = false;
  return open_model(scratch.write("m.json", text), options);
}
inline Program read(const List& ops) { return read_text(file(ops).dump()); }
inline Error read_error(const List& ops) {
  return error_of([&] { read(ops); });
}

inline const Op& only(const Program& program, const std::string& type, std::size_t block = 0) {
  const Op* found = nullptr;
  for (const Op& candidate : program.blocks[block].ops) {
    if (candidate.type != type) continue;
    REQUIRE_MESSAGE(!found, type);
    found = &candidate;
  }
  REQUIRE_MESSAGE(found, type);
  return *found;
}

/// The program is invalid at this place.
inline void expect_bad(const List& ops, const std::string& place, const std::string& message) {
  const Error error = read_error(ops);
  CHECK(error.code() == E_BAD_PROGRAM);
  CHECK(error.message() == message);
  CHECK_MESSAGE(error.place().ends_with("m.json: " + place), error.place());
  CHECK_FALSE(error.hint().empty());
}

}  // namespace fluid2onnx::test::pir
