// Files of opspecs/targets: what they hold, and targets/target-*.yaml with the messages of the .txt beside it.
// OPGEN_UPDATE=1 rewrites them.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "generator/diagnostics/source.h"
#include "generator/spec/targets.h"
#include "tests/generator/support.h"

namespace opgen::test {
namespace {

namespace fs = std::filesystem;

std::vector<TargetFile> read(const std::string& text, std::string* errors) {
  Diagnostics diagnostics;
  std::vector<TargetFile> targets;
  read_target(source(text), targets, diagnostics);
  diagnostics.sort();
  *errors = format_text(diagnostics);
  return targets;
}

/// A folder that is removed at the end.
struct Folder {
  fs::path path = fs::temp_directory_path() / "opgen_targets_test";
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  void write(const std::string& name, const std::string& version) const {
    std::ofstream(path / name) << "target: tract\ntitle: tract\nversion: \"" << version
                               << "\"\nsource: measured\nopsets: 7..20\nbest_opset: 17\noperators: {Relu: {}}\n";
  }
};

}  // namespace

TEST_CASE("a target file has operators with their limits") {
  std::string errors;
  const std::vector<TargetFile> targets = read(
      "target: tract\ntitle: tract\nversion: \"0.23\"\nsource: measured\nopsets: 7..20\nbest_opset: 17\n"
      "dynamic: false\ndomains: [com.microsoft]\nunjudged: [Bernoulli]\noperators:\n"
      "  Slice: {constant: [starts, ends], ranks: {data: 1..}, note: fix sizes}\n"
      "  Cast: {opsets: [7..12, 19], dtypes: {T1: [float32]}, attributes: {to: ['1']}, without: [output]}\n",
      &errors);
  CHECK(errors.empty());
  REQUIRE(targets.size() == 1);
  const TargetFile& target = targets.front();
  CHECK(target.best == 17);
  CHECK_FALSE(target.dynamic);
  CHECK(target.domains.at(0).text == "com.microsoft");
  CHECK(target.unjudged.at(0).text == "Bernoulli");
  REQUIRE(target.ops.size() == 2);
  const TargetOperator &cast = target.ops[0], &slice = target.ops[1];
  CHECK(cast.op.text == "Cast");
  CHECK(cast.opsets.at(0).last == 12);
  CHECK(cast.opsets.at(1).first == 19);
  CHECK(cast.dtypes.at(0).values.at(0).text == "float32");
  CHECK(cast.attributes.at(0).values.at(0).text == "1");
  CHECK(cast.without.at(0).text == "output");
  CHECK(slice.constant.size() == 2);
  CHECK(slice.ranks.at(0).range.first == 1);
  CHECK(slice.ranks.at(0).range.last == 31);
  CHECK(slice.note.text == "fix sizes");
}

TEST_CASE("versions are sorted by their numbers, and each has one file") {
  const Folder folder;
  folder.write("a.yaml", "9.1");
  folder.write("b.yaml", "10.2");
  Diagnostics fine;
  const std::vector<TargetFile> targets = read_targets(folder.path.string(), folder.path.string(), fine);
  CHECK_FALSE(fine.has_errors());
  REQUIRE(targets.size() == 2);
  CHECK(targets[0].version.text == "10.2");
  folder.write("c.yaml", "9.1");
  Diagnostics twice;
  read_targets(folder.path.string(), folder.path.string(), twice);
  CHECK(format_text(twice).find("c.yaml:3:11: error: 'tract' has two files for version 9.1 [duplicate-target]") !=
        std::string::npos);
}

TEST_CASE("bad target files give the expected messages") {
  const bool update = std::getenv("OPGEN_UPDATE") != nullptr;
  size_t count = 0;
  for (const auto& entry : fs::directory_iterator(repository("tests/generator/spec/targets"))) {
    const fs::path& path = entry.path();
    if (path.extension() != ".yaml" || path.filename().string().rfind("target-", 0) != 0) continue;
    ++count;
    CAPTURE(path.filename().string());
    Diagnostics diagnostics;
    std::vector<TargetFile> targets;
    if (const Source file = load_source(path.string(), path.filename().string(), diagnostics))
      read_target(file, targets, diagnostics);
    diagnostics.sort();
    const std::string found = format_text(diagnostics);
    CHECK(found.find(": error: ") != std::string::npos);
    const fs::path expected = fs::path(path).replace_extension(".txt");
    if (update) std::ofstream(expected, std::ios::binary) << found;
    else CHECK(found == read_all(expected.string()));
  }
  CHECK(count >= 3);
}

}  // namespace opgen::test
