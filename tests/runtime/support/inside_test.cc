#include "runtime/support/inside.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/runtime/paddle/read/scratch.h"

using namespace fluid2onnx;
namespace fs = std::filesystem;

namespace {

class Tree {
 public:
  void file(const fs::path& path) const { root_.write(path.string(), "content"); }
  void link(const fs::path& path, const fs::path& target) const {
    fs::create_directories(at(path).parent_path());
    fs::create_symlink(at(target), at(path));
  }
  bool leads_inside(const fs::path& path, const fs::path& model) const {
    return fluid2onnx::leads_inside(at(path).string(), at(path).parent_path().string(), at(model).string());
  }

 private:
  fs::path at(const fs::path& path) const { return root_.path(path.string()); }

  fluid2onnx::testing::Scratch root_;
};

}  // namespace

TEST_CASE("names inside a folder") {
  CHECK(is_name_inside("a/b.w_0"));
  CHECK(is_name_inside("..."));
  for (const char* name : {"", "..", "a/../b", "/a"}) CHECK_FALSE(is_name_inside(name));
}

TEST_CASE("a link must lead to the folder of the model, or of what the model is a link to") {
  const Tree tree;
  tree.file("blobs/model");
  tree.file("blobs/weight");
  tree.file("other/weight");
  tree.link("m/model", "blobs/model");
  tree.link("m/weight", "blobs/weight");
  tree.link("m/foreign", "other/weight");
  tree.file("m/plain");
  CHECK(tree.leads_inside("m/plain", "m/model"));
  CHECK(tree.leads_inside("m/weight", "m/model"));
  CHECK_FALSE(tree.leads_inside("m/weight", "m/plain"));
  CHECK_FALSE(tree.leads_inside("m/foreign", "m/model"));
}

TEST_CASE("a store has each file in another folder, named by a hash") {
  const std::string digits = "0123456789abcdef0123456789abcd";
  const std::string key = "/SHA256E-s9--ab" + digits + ".w/SHA256E-s9--ab" + digits + ".w";
  const std::pair<std::string, std::string> stores[] = {
      {"repo/.git/annex/objects", "/v1/66" + key},
      {"repo/.dvc/cache", "/ab/" + digits},
      {"repo/.dvc/cache", "/files/md5/ab/" + digits},
      {"shared/files/md5", "/ab/" + digits},
  };
  for (const auto& [store, weight] : stores) {
    CAPTURE(store);
    CAPTURE(weight);
    const Tree tree;
    tree.file(store + "/cd/model");
    tree.file(store + weight);
    tree.link("repo/m/model", store + "/cd/model");
    tree.link("repo/m/weight", store + weight);
    tree.file("repo/m/plain");
    CHECK(tree.leads_inside("repo/m/weight", "repo/m/model"));
    // A repository often has small files itself, and only large ones in the store.
    CHECK(tree.leads_inside("repo/m/weight", "repo/m/plain") == store.starts_with("repo"));
    tree.link("elsewhere/weight", store + weight);
    tree.file("elsewhere/model");
    CHECK_FALSE(tree.leads_inside("elsewhere/weight", "elsewhere/model"));
  }
}

TEST_CASE("names that a foreign model can guess are outside, in a store, too") {
  for (const std::string secret : {"repo/.git/annex/objects/g2/kV/WORM-s9-m1--secret/WORM-s9-m1--secret",
                                   "repo/.dvc/cache/tmp/secret", "repo/files/md5/ab/secret"}) {
    CAPTURE(secret);
    const Tree tree;
    tree.file(secret);
    tree.file("repo/files/md5/m/model");
    tree.link("repo/files/md5/m/weight", secret);
    CHECK_FALSE(tree.leads_inside("repo/files/md5/m/weight", "repo/files/md5/m/model"));
  }
}
