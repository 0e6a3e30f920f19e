// SPDX-License-Identifier: Apache-2.0
#include "elf/testing/own_files.h"

#include <array>
#include <cstdio>
#include <fstream>

#include "base/check.h"
#include "base/file/file.h"

namespace flarestack::elf::testing {

std::string OwnProgramBytes() {
  auto bytes = base::ReadFile("/proc/self/exe", uint64_t{4} << 30);
  FLARE_CHECK(bytes.ok(), bytes.status().ToString());
  return *std::move(bytes);
}

std::string CLibraryPath() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t path = line.find('/');
    if (path != std::string::npos && line.find("/libc.so.6", path) != std::string::npos)
      return line.substr(path);
  }
  return {};
}

std::string OutputOf(const std::string& command) {
  FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
  if (pipe == nullptr)
    return {};
  std::string output;
  std::array<char, 1 << 16> buffer;
  for (size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), count);
  return pclose(pipe) == 0 ? output : std::string();
}

}  // namespace flarestack::elf::testing
