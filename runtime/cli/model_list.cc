#include "runtime/cli/model_list.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "runtime/api/either_way.h"
#include "runtime/paddle/read/sniff.h"
#include "runtime/support/error.h"
#include "runtime/support/limits.h"
#include "runtime/support/platform.h"

namespace fluid2onnx::cli {

namespace fs = std::filesystem;

fs::path normalized_path(const std::string& path) {
  fs::path absolute = fs::absolute(path).lexically_normal();
  return absolute.has_filename() ? absolute : absolute.parent_path();
}

namespace {

bool is_model(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name == "__model__" || name.ends_with(".pdmodel")) return true;
  // ONNX files are recognised by name, because other formats, such as TensorFlow's, begin like ONNX.
  if (name.ends_with(".onnx")) return true;
  const FileKind kind = sniff_file(path.string());
  return kind == FileKind::program_desc || kind == FileKind::pir_json;
}

/// The folder that holds them all.
fs::path common_folder(const std::vector<fs::path>& models) {
  fs::path common = models.front().parent_path();
  for (const fs::path& model : models) {
    fs::path shared;
    for (auto a = common.begin(), b = model.begin(); a != common.end() && b != model.end() && *a == *b; ++a, ++b) {
      shared /= *a;
    }
    common = shared;
  }
  return common;
}

/// Sets outputs that are not given: in `folder`, with the same subfolders as the models have in `root`. If several
/// models would have the same output (x.pdmodel and x.json), all but the first keep their suffix.
void place_outputs(const fs::path& root, const std::string& folder, std::vector<Job>* jobs) {
  std::set<std::string> taken;
  for (const Job& job : *jobs) {
    if (!job.request.output.empty()) taken.insert(normalized_path(job.request.output).string());
  }
  for (Job& job : *jobs) {
    if (!job.error.empty() || !job.request.output.empty()) continue;
    const fs::path model = normalized_path(job.request.model);
    fs::path below = model.parent_path().lexically_relative(root);
    // The output of a/__model__ is beside the folder, with its name.
    if (model.filename() == "__model__" || model.filename() == "__model__.json") below = below.parent_path();
    std::string name = default_result(job.request.model);
    fs::path output = (folder / below / name).lexically_normal();
    if (!taken.insert(normalized_path(output.string()).string()).second) {
      name = model.filename().string() + fs::path(name).extension().string();
      output = (folder / below / name).lexically_normal();
      taken.insert(normalized_path(output.string()).string());
    }
    job.request.output = output.string();
  }
}

/// The outputs of the programs among `jobs`, if `folder` is the folder for the results.
std::set<std::string> onnx_files_of(const fs::path& root, const std::string& folder, std::vector<Job> jobs) {
  place_outputs(root, folder, &jobs);
  std::set<std::string> files;
  for (const Job& job : jobs) {
    if (!is_onnx_file(job.request.model)) files.insert(normalized_path(job.request.output).string());
  }
  return files;
}

/// Results of conversions are not converted back: programs that earlier runs into `folder` made, and ONNX files with
/// the name that a program beside them would be converted to. Otherwise the second run over a folder would overwrite
/// the models that the first has read.
void leave_results_out(const fs::path& root, const std::string& folder, const std::set<std::string>& earlier,
                       std::vector<Job>* jobs) {
  std::erase_if(*jobs, [&](const Job& job) { return earlier.contains(normalized_path(job.request.model).string()); });
  std::set<std::string> results = onnx_files_of(root, folder, *jobs);
  results.merge(onnx_files_of(root, root.string(), *jobs));
  std::erase_if(*jobs, [&](const Job& job) { return results.contains(normalized_path(job.request.model).string()); });
}

/// Two conversions into one file would leave one of them.
void refuse_same_outputs(std::vector<Job>* jobs) {
  std::map<std::string, const Job*> first;
  for (Job& job : *jobs) {
    if (!job.error.empty()) continue;
    const auto [known, added] = first.emplace(normalized_path(job.request.output).string(), &job);
    if (!added) job.error = "its output '" + job.request.output + "' is that of '" + known->second->name + "', too";
  }
}

Job read_line(const std::string& line, const Request& common) {
  Job job;
  job.request = common;
  job.name = line;
  if (line.front() != '{') {
    job.request.model = line;
    return job;
  }
  try {
    const nlohmann::json members = nlohmann::json::parse(line, nullptr, false);
    if (members.is_discarded()) throw Error(E_USAGE, "the line starts with '{' but is not a JSON object");
    job.request = read_request(members, common);
    job.line = line;
    if (job.request.model.empty()) throw Error(E_USAGE, "the request needs 'model'");
    job.name = job.request.model;
  } catch (const Error& error) {
    job.error = (error.place().empty() ? "" : error.place() + ": ") + error.message();
  }
  return job;
}

}  // namespace

std::vector<Job> find_models(const std::string& folder, const std::string& output, const Request& common,
                             const std::set<std::string>& earlier) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) throw Error(E_NOT_FOUND, "no such folder").at(folder);
  std::vector<std::string> found;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (entry->is_regular_file(gone) && is_model(entry->path())) found.push_back(entry->path().string());
  }
  if (error) throw Error(E_IO, "cannot list the folder: " + error.message()).at(folder);
  if (found.empty()) {
    throw Error(E_NO_MODEL, "no model in or below this folder; expected X.pdmodel, X.json, __model__ or X.onnx")
        .at(folder);
  }
  std::sort(found.begin(), found.end());
  std::vector<Job> jobs;
  for (const std::string& model : found) {
    Job& job = jobs.emplace_back();
    job.request = common;
    job.request.model = model;
    job.name = fs::path(model).lexically_relative(fs::path(folder).lexically_normal()).string();
    if (job.name.empty() || job.name == ".") job.name = fs::path(model).filename().string();
  }
  leave_results_out(normalized_path(folder), output, earlier, &jobs);
  if (jobs.empty()) {
    throw Error(E_NO_MODEL, "no model in or below this folder, except those that an earlier run has written")
        .at(folder);
  }
  place_outputs(normalized_path(folder), output, &jobs);
  return jobs;
}

namespace {

/// A list, also from a pipe. Devices have no end.
std::string read_all(const std::string& list) {
  // A pipe without a writer is empty.
  const bool standard = list == "-";
  const int fd = standard ? STDIN_FILENO : platform::open_for_reading(list);
  const auto failure = [&](int number) {
    return Error(number == ENOENT ? E_NOT_FOUND : E_IO, std::string("cannot be read: ") + std::strerror(number))
        .at(list)
        .hint("pass a text file with one model per line");
  };
  if (fd < 0) throw failure(errno);
  std::string text;
  char block[1 << 16];
  int number = 0;
  while (text.size() <= limits::kListBytes) {
    const auto n = ::read(fd, block, sizeof block);
    if (n > 0) {
      text.append(block, static_cast<size_t>(n));
    } else if (n == 0) {
      break;
    } else if (errno == EAGAIN) {
      platform::wait_for_input(fd);
    } else if (errno != EINTR) {
      number = errno;
      break;
    }
  }
  if (!standard) ::close(fd);
  if (number != 0) throw failure(number);
  if (text.size() > limits::kListBytes) {
    throw Error(E_IO, "the list has more than " + std::to_string(limits::kListBytes) + " bytes")
        .at(list)
        .hint("pass a text file with one model per line");
  }
  return text;
}

}  // namespace

std::vector<Job> read_list(const std::string& list, const std::string& output, const Request& common) {
  std::istringstream lines(read_all(list));
  std::vector<Job> jobs;
  for (std::string line; std::getline(lines, line);) {
    const size_t start = line.find_first_not_of(" \t\r"), end = line.find_last_not_of(" \t\r");
    if (start == std::string::npos || line[start] == '#') continue;
    jobs.push_back(read_line(line.substr(start, end - start + 1), common));
  }
  if (jobs.empty()) throw Error(E_NO_MODEL, "the list names no model").at(list == "-" ? "stdin" : list);
  std::vector<fs::path> models;
  for (const Job& job : jobs) {
    if (job.error.empty()) models.push_back(normalized_path(job.request.model));
  }
  if (!models.empty()) place_outputs(common_folder(models), output, &jobs);
  refuse_same_outputs(&jobs);
  return jobs;
}

}  // namespace fluid2onnx::cli
