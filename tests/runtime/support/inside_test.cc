#include "runtime/support/inside.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

using namespace fluid2onnx;
namespace fs = std::filesystem;

namespace {

class Tree {
 public:
  Tree() : root_(fs::temp_directory_path() / "inside_test") { fs::remove_all(root_); }
  ~Tree() { fs::remove_all(root_); }

  void file(const fs::path& path) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << "content";
  }
  void link(const fs::path& path, const fs::path& target) const {
    fs::create_directories((root_ / path).parent_path());
    fs::create_symlink(root_ / target, root_ / path);
  }
  bool leads_inside(const fs::path& path, const fs::path& model) const {
    return fluid2onnx::leads_inside((root_ / path).string(), (root_ / path).parent_path().string(),
                                    (root_ / model).string());
  }

 private:
  fs::path root_;
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

TEST_CASE("a store has each file in another folder") {
  for (const std::string store : {"repo/.git/annex/objects", "repo/.dvc/cache", "shared/files/md5"}) {
    CAPTURE(store);
    const Tree tree;
    tree.file(store + "/ab/model");
    tree.file(store + "/cd/weight");
    tree.link("repo/m/model", store + "/ab/model");
    tree.link("repo/m/weight", store + "/cd/weight");
    tree.file("repo/m/plain");
    CHECK(tree.leads_inside("repo/m/weight", "repo/m/model"));
    // A repository often has small files itself, and only large ones in the store.
    CHECK(tree.leads_inside("repo/m/weight", "repo/m/plain") == store.starts_with("repo"));
    tree.link("elsewhere/weight", store + "/cd/weight");
    tree.file("elsewhere/model");
    CHECK_FALSE(tree.leads_inside("elsewhere/weight", "elsewhere/model"));
  }
}
