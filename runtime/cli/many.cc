// convert --recursive and --list.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "runtime/api/either_way.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/journal.h"
#include "runtime/cli/model_list.h"
#include "runtime/cli/output.h"
#include "runtime/cli/progress.h"
#include "runtime/cli/workers.h"
#include "runtime/paddle/program/inspect.h"
#include "runtime/report/problems_text.h"
#include "runtime/report/report_json.h"
#include "runtime/report/target_report.h"
#include "runtime/support/error.h"
#include "runtime/support/json_text.h"
#include "runtime/support/text.h"

namespace fluid2onnx::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr char kJournal[] = "convert.jsonl";
constexpr size_t kMostReasons = 20;

json error_answer(const Error& error) {
  return {{"code", exit_code(error)}, {"text", error.what()}, {"report", error_json(error)}};
}

json convert_job(const Request& request) {
  try {
    const fs::path folder = fs::path(request.output).parent_path();
    std::error_code error;
    if (!folder.empty()) fs::create_directories(folder, error);
    if (error) throw Error(E_WRITE, "cannot make the folder: " + error.message()).at(folder.string());
    const Report report =
        convert_either(request.model, request.output, request.options, request.files, InapplicableOptions::ignored);
    const std::string text = !report.ok      ? problems_text(report.problems, report.opset, report.working_opset)
                             : report.target ? target_text(*report.target)
                                             : "";
    return {{"code", exit_code(report)}, {"text", text}, {"report", report_json(report)}};
  } catch (const Error& e) {
    return error_answer(e);
  } catch (const std::exception& e) {
    Error error = error_of(e);
    return error_answer(error.place().empty() ? error.at(request.model) : error);
  }
}

/// The result of one model.
struct Result {
  enum class Status { none, converted, done_before, failed };
  Status status = Status::none;
  int code = kDone;
  json report;  ///< null if it was done before
};

const char* status_name(Result::Status status) {
  switch (status) {
    case Result::Status::none: return "none";
    case Result::Status::converted: return "converted";
    case Result::Status::done_before: return "done_before";
    case Result::Status::failed: return "failed";
  }
  return "";
}

Result read_answer(const Outcome& outcome) {
  Result result;
  json given = json::parse(outcome.text, nullptr, false);
  if (!given.is_object() || !outcome.failure.empty()) {
    Error error(E_INTERNAL, "the converting process " + (outcome.failure.empty() ? "gave no answer" : outcome.failure));
    error.hint("convert this model alone for details");
    given = error_answer(error);
  }
  result.code = given["code"];
  result.status = result.code == kDone ? Result::Status::converted : Result::Status::failed;
  result.report = std::move(given["report"]);
  result.report["text"] = std::move(given["text"]);
  return result;
}

/// The name, and the first few errors of a model that failed.
std::string failure_text(const Job& job, const Result& result) {
  std::string text = result.report["text"];
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::string lines = job.name + ":\n  ";
  for (const char c : text) {
    lines += c;
    if (c == '\n') lines += "  ";
  }
  return lines + "\n";
}

/// Common reasons of failures, "E_UNSUPPORTED_OP deform_conv", with the number of models.
std::map<std::string, size_t> reasons(const std::vector<Result>& results) {
  std::map<std::string, size_t> models;
  for (const Result& result : results) {
    if (result.status != Result::Status::failed) continue;
    std::set<std::string> own;
    for (const json& error : result.report["errors"]) {
      if (error.value("behind", false)) continue;
      const json op = error.value("op", json());
      own.insert(error.value("code", std::string()) + (op.is_string() ? " " + op.get<std::string>() : ""));
    }
    for (const std::string& reason : own) ++models[reason];
  }
  return models;
}

std::string padded(const std::string& text, size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string counts_text(const std::vector<Result>& results) {
  std::map<Result::Status, size_t> counts;
  for (const Result& result : results) ++counts[result.status];
  std::string text =
      count_of(results.size(), "model") + ": " + std::to_string(counts[Result::Status::converted]) + " converted";
  if (counts[Result::Status::done_before])
    text += ", " + std::to_string(counts[Result::Status::done_before]) + " done before";
  return text + ", " + std::to_string(counts[Result::Status::failed]) + " failed";
}

void print_table(const std::vector<Job>& jobs, const std::vector<Result>& results) {
  size_t width = 5;
  for (const Job& job : jobs) width = std::max(width, job.name.size());
  width = std::min<size_t>(width, 60);
  std::cout << padded("model", width) << "  nodes  size      seconds  result\n";
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Result& result = results[i];
    std::string nodes, size, seconds, outcome = jobs[i].request.output;
    if (result.status == Result::Status::converted) {
      int64_t n = 0;
      for (const json& count : result.report["nodes"]) n += count.get<int64_t>();
      nodes = std::to_string(n);
      size = bytes_text(result.report["model_bytes"].get<uint64_t>() + result.report["data_bytes"].get<uint64_t>());
      char digits[32];
      std::snprintf(digits, sizeof digits, "%.2f", result.report["seconds"].get<double>());
      seconds = digits;
    } else if (result.status == Result::Status::done_before) {
      outcome += " (done before)";
    } else {
      const json& errors = result.report["errors"];
      const bool refused = errors.empty() && result.report.contains("target");
      outcome = refused ? outcome + " (the target refuses nodes)"
                        : "failed: " + (errors.empty() ? "" : errors[0].value("code", std::string()));
      if (errors.size() > 1) outcome += " and " + std::to_string(errors.size() - 1) + " more";
    }
    std::cout << padded(jobs[i].name, width) << "  " << padded(nodes, 5) << "  " << padded(size, 8) << "  "
              << padded(seconds, 7) << "  " << outcome << "\n";
  }
  std::vector<std::pair<size_t, std::string>> common;
  for (const auto& [reason, models] : reasons(results)) common.emplace_back(models, reason);
  std::stable_sort(common.begin(), common.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (!common.empty()) std::cout << "\nmodels  reason\n";
  for (size_t i = 0; i < std::min(common.size(), kMostReasons); ++i) {
    std::cout << padded(std::to_string(common[i].first), 6) << "  " << common[i].second << "\n";
  }
  if (common.size() > kMostReasons)
    std::cout << "and " << count_of(common.size() - kMostReasons, "other reason") << "\n";
  std::cout << "\n" << counts_text(results) << "\n";
}

json summary_json(const std::vector<Job>& jobs, const std::vector<Result>& results, int code) {
  json models = json::array(), counts = {{"converted", 0}, {"done_before", 0}, {"failed", 0}};
  for (size_t i = 0; i < jobs.size(); ++i) {
    json report = results[i].report;
    if (report.is_object()) report.erase("text");
    const char* status = status_name(results[i].status);
    counts[status] = counts[status].get<int>() + 1;
    models.push_back({{"model", jobs[i].request.model},
                      {"output", jobs[i].request.output},
                      {"status", status},
                      {"exit_code", results[i].code},
                      {"report", std::move(report)}});
  }
  return {{"ok", code == kDone}, {"exit_code", code}, {"counts", counts}, {"models", std::move(models)}};
}

size_t processors() { return std::max(1u, std::thread::hardware_concurrency()); }

}  // namespace

int convert_many(const Arguments& a) {
  Request common;
  common.options = a.options;
  common.files = a.files;
  const std::string folder = a.output.empty() ? "." : a.output;
  const std::string journal_path = (fs::path(folder) / kJournal).lexically_normal().string();
  const std::vector<Job> jobs = a.list.empty() ? find_models(a.model, folder, common, Journal::results(journal_path))
                                               : read_list(a.list, folder, common);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw Error(E_WRITE, "cannot make the folder: " + error.message()).at(folder);
  Journal journal(journal_path, a.many_key, a.resume);

  std::vector<Result> results(jobs.size());
  std::vector<size_t> wanted;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!jobs[i].error.empty()) {
      const Error mistake(E_USAGE, jobs[i].error);
      results[i] = read_answer({json_line(error_answer(mistake)), ""});
      std::cerr << failure_text(jobs[i], results[i]);
    } else if (a.resume && journal.done(jobs[i])) {
      results[i].status = Result::Status::done_before;
    } else {
      wanted.push_back(i);
    }
  }
  {
    ProgressLine line(!a.quiet);
    size_t finished = 0;
    run_workers(
        wanted.size(), a.jobs > 0 ? static_cast<size_t>(a.jobs) : processors(),
        [&](size_t n) { return json_line(convert_job(jobs[wanted[n]].request)); },
        [&](size_t n, const Outcome& outcome) {
          const size_t i = wanted[n];
          results[i] = read_answer(outcome);
          if (results[i].status == Result::Status::converted) {
            journal.add(jobs[i], results[i].report);
          } else {
            line.clear();
            std::cerr << failure_text(jobs[i], results[i]);
          }
          if (line.active()) line.show("converting", ++finished, wanted.size());
        });
  }
  int code = kDone;
  for (const Result& result : results) code = std::max(code, result.code);
  if (a.json.wanted) print_json(summary_json(jobs, results, code), a.json);
  if (!a.quiet && !a.json.to_stdout()) print_table(jobs, results);
  return code;
}

}  // namespace fluid2onnx::cli
