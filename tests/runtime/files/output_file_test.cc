#include "runtime/files/output_file.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "runtime/support/mapped_file.h"
#include "tests/runtime/temporary_folder.h"

using namespace fluid2onnx;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t kLarge = 3 << 20;

/// A file with something in it, mapped.
std::shared_ptr<const MappedFile> large_file(const std::string& path) {
  std::string bytes(kLarge, ' ');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 31 + i / 251);
  std::ofstream(path, std::ios::binary) << bytes;
  return MappedFile::open(path);
}

/// Runs `work` in a child, which a signal ends.
void end_by_signal(int number, const std::function<void()>& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    ::signal(SIGTERM, [](int) {
      remove_temporaries();
      ::signal(SIGTERM, SIG_DFL);
      ::raise(SIGTERM);
    });
    work();
    ::raise(number);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == number);
}

}  // namespace

TEST_CASE("bytes of mapped files are copied whole") {
  TemporaryFolder folder;
  bool nameless = true;
  SUBCASE("into a file without a name") {}
  SUBCASE("into a temporary file") { nameless = false; }
  const auto from = large_file(folder / "from");
  const std::string bytes = folder.read("from");
  OutputFile file(folder / "to", nameless);
  file.write("head");
  file.copy(*from, 5, 1000);
  file.copy(*from, 7, kLarge - 7);
  file.extend_to(kLarge + 2000);
  std::ofstream(folder / "other") << "the mapped file is another by now";
  fs::rename(folder / "other", folder / "from");
  OutputFile again(folder / "again", nameless);
  again.copy(*from, 1, kLarge - 1);
  again.finish(false);
  again.commit();
  CHECK(folder.read("again") == bytes.substr(1));
  file.finish(true);
  CHECK(folder.files().size() == (nameless ? 2 : 3));
  file.commit();
  const std::string expected = "head" + bytes.substr(5, 1000) + bytes.substr(7);
  CHECK(folder.read("to") == expected + std::string(kLarge + 2000 - expected.size(), '\0'));
  CHECK(folder.files() == std::vector<std::string>{"again", "from", "to"});
}

TEST_CASE("weights go through a pipe") {
  TemporaryFolder folder;
  const auto from = large_file(folder / "from");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  std::string got;
  std::thread reader([&] { got = folder.read("pipe"); });
  {
    OutputFile file(folder / "pipe");
    CHECK_FALSE(file.is_regular());
    file.write("head");
    file.copy(*from, 3, kLarge - 3);
    file.finish(true);
    file.commit();
  }
  reader.join();
  CHECK(got == "head" + folder.read("from").substr(3));
}

TEST_CASE("a process that is ended leaves nothing, and what was there stays") {
  TemporaryFolder folder;
  const auto from = large_file(folder / "from");
  std::ofstream(folder / "to") << "old";
  const auto half = [&](bool nameless) {
    auto* file = new OutputFile(folder / "to", nameless);
    file->copy(*from, 0, kLarge);
    file->finish(false);
  };
  end_by_signal(SIGKILL, [&] { half(true); });
  CHECK(folder.files() == std::vector<std::string>{"from", "to"});
  end_by_signal(SIGTERM, [&] { half(false); });
  CHECK(folder.files() == std::vector<std::string>{"from", "to"});
  CHECK(folder.read("to") == "old");
}
