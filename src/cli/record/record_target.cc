// SPDX-License-Identifier: Apache-2.0
#include "cli/record/record_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/status.h"
#include "cli/command/failure.h"
#include "record/kernel/online_cpus.h"

namespace flarestack::cli {
namespace {

// /proc/TID exists for threads too, although it is not listed.
bool Runs(int id) { return std::filesystem::exists(fmt::format("/proc/{}", id)); }

}  // namespace

void RecordTarget::Define(CLI::App* app) {
  app->add_option("COMMAND", words_, "the command to run and record, after --");
  app->add_option("-p,--pid", pids_, "process to record, with its child processes; repeatable")
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber);
  app->add_option("-t,--tid", tids_, "thread to record; repeatable")
      ->allow_extra_args(false)
      ->check(CLI::PositiveNumber);
  app->add_flag("-a,--all", whole_host_,
                "every process on this host, or those matching the filters");
  flags_.Define(app);
  app->add_option("-C,--cpu", processor_list_, "only on these CPUs, such as 0,2-3");
}

int RecordTarget::CheckThereIsOne() const {
  const int modes = (words_.empty() ? 0 : 1) + (pids_.empty() ? 0 : 1) + (whole_host_ ? 1 : 0);
  const bool has_filter = !flags_.empty() || !tids_.empty();
  if (modes > 1 || (modes == 0 && !has_filter)) {
    return Report({modes == 0 ? "nothing to record" : "more than one target to record",
                   "give a command, processes (-p), threads (-t), filters (--command, --user, "
                   "--cgroup), or the whole host (-a)",
                   "flarestack record -- COMMAND"},
                  kUsage);
  }
  return kSuccess;
}

int RecordTarget::CheckProcessors() {
  if (processor_list_.empty())
    return kSuccess;
  auto processors = record::agent::ParseCpuList(processor_list_);
  const std::vector<int> online = record::agent::OnlineCpus();
  const auto fails = [&](const std::string& why) {
    return Report({fmt::format("invalid --cpu \"{}\"", processor_list_), why,
                   fmt::format("--cpu with some of {}", fmt::join(online, ","))},
                  kUsage);
  };
  if (!processors.ok())
    return fails(std::string(base::Message(processors.status())));
  for (const int processor : *processors) {
    if (std::ranges::find(online, processor) == online.end())
      return fails(fmt::format("CPU {} is not online", processor));
  }
  if (processors->empty())
    return fails("the list is empty");
  processors_ = *std::move(processors);
  return kSuccess;
}

int RecordTarget::CheckTheyRun() const {
  for (const int pid : pids_) {
    if (!Runs(pid)) {
      return Report({fmt::format("no process {}", pid), "it may have ended", "pgrep -a NAME"},
                    kNothingFound);
    }
  }
  for (const int tid : tids_) {
    if (!Runs(tid)) {
      return Report({fmt::format("no thread {}", tid), "it may have ended", "ps -eLf | grep NAME"},
                    kNothingFound);
    }
  }
  return kSuccess;
}

int RecordTarget::Check() {
  if (const int code = CheckThereIsOne(); code != kSuccess)
    return code;
  if (const int code = CheckProcessors(); code != kSuccess)
    return code;
  auto choice = flags_.Read();
  if (!choice.ok()) {
    return Report({"invalid recording target", std::string(base::Message(choice.status())),
                   "flarestack help record"},
                  kUsage);
  }
  choice_ = *std::move(choice);
  choice_.processes.assign(pids_.begin(), pids_.end());
  choice_.threads.assign(tids_.begin(), tids_.end());
  return CheckTheyRun();
}

bool RecordTarget::MayStillRun() const {
  const bool is_by_number = !pids_.empty() || !tids_.empty();
  if (!is_by_number || !words_.empty() || !flags_.empty())
    return true;
  return std::ranges::any_of(pids_, Runs) || std::ranges::any_of(tids_, Runs);
}

std::string RecordTarget::Text() const {
  std::vector<std::string> parts;
  if (!words_.empty())
    parts.push_back(words_[0]);
  if (!pids_.empty())
    parts.push_back(fmt::format("process {}", fmt::join(pids_, ", ")));
  if (!tids_.empty())
    parts.push_back(fmt::format("thread {}", fmt::join(tids_, ", ")));
  for (std::string& word : flags_.Words())
    parts.push_back(std::move(word));
  return parts.empty() ? "this host" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string RecordTarget::DefaultName() const {
  if (!words_.empty())
    return std::filesystem::path(words_[0]).filename().string();
  if (!pids_.empty())
    return fmt::format("{}", pids_[0]);
  return tids_.empty() || !flags_.empty() ? "host" : fmt::format("{}", tids_[0]);
}

}  // namespace flarestack::cli
