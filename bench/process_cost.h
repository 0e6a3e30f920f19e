// SPDX-License-Identifier: Apache-2.0
//
// What a running process costs, as the kernel accounts it.
#pragma once

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <system_error>

namespace flarestack::bench {

inline std::string ReadProc(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// User and system time of all its threads so far. 0 if it is gone.
inline double CpuSecondsOf(pid_t pid) {
  const std::string stat = ReadProc(pid, "stat");
  if (stat.empty())
    return 0;
  std::istringstream fields(stat.substr(stat.rfind(')') + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i)  // skip to utime and stime, fields 14 and 15
    fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

inline uint64_t ResidentBytesOf(pid_t pid) {
  std::istringstream statm(ReadProc(pid, "statm"));
  uint64_t total = 0;
  uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

// Makes the kernel account the run time of BPF programs, until it is closed. Negative if it cannot.
inline int AccountPrograms() {
  bpf_attr attributes = {};
  attributes.enable_stats.type = BPF_STATS_RUN_TIME;
  return static_cast<int>(syscall(SYS_bpf, BPF_ENABLE_STATS, &attributes, sizeof(attributes)));
}

// Run time of all BPF programs that the process has open. A tail call counts for its caller.
inline double ProgramSecondsOf(pid_t pid) {
  std::map<std::string, double> run_ns;  // by program id: one may be open several times
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fdinfo", error)) {
    std::ifstream lines(entry.path());
    std::string id;
    for (std::string line; std::getline(lines, line);) {
      if (line.rfind("prog_id:", 0) == 0)
        id = line;
      else if (line.rfind("run_time_ns:", 0) == 0)
        run_ns[id] = std::atof(line.c_str() + std::strlen("run_time_ns:"));
    }
  }
  double sum = 0;
  for (const auto& [id, ns] : run_ns)
    sum += ns / 1e9;
  return sum;
}

}  // namespace flarestack::bench
