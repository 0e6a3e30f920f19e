// SPDX-License-Identifier: Apache-2.0
//
// Walks and names the frames of a process whose memory is the input. The first byte selects the
// version; from 3.13 on the layout is part of the input too. Names, files and lines stay within
// their limits.
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "absl/status/status.h"
#include "base/check.h"
#include "record/runtime/python/python_names.h"
#include "record/runtime/python/python_walk.h"

namespace runtime = flarestack::record::runtime;

namespace {

constexpr size_t kFramesMax = 64;
constexpr uint64_t kThreadPointer = 64;

absl::StatusOr<runtime::PythonLayout> LayoutFrom(int minor, std::string_view image) {
  if (minor < runtime::kPythonMinorSelfDescribed)
    return runtime::KnownPythonLayout(minor);
  return runtime::ReadPythonLayout(minor, std::span<const char>(image.data(), image.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  constexpr int kVersions = runtime::kPythonMinorLast - runtime::kPythonMinorFirst + 1;
  const int minor = runtime::kPythonMinorFirst + data[0] % kVersions;
  const std::string_view image(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto read = [&](uint64_t address, std::span<char> out) {
    if (address > image.size() || out.size() > image.size() - address)
      return absl::OutOfRangeError("beyond");
    std::memcpy(out.data(), image.data() + address, out.size());
    return absl::OkStatus();
  };
  const auto layout = LayoutFrom(minor, image);
  if (!layout.ok())
    return 0;
  const auto threads = runtime::ListPythonThreads(*layout, 0, read);
  if (threads.ok())
    FLARE_CHECK(threads->size() <= 256);
  runtime::PythonProcess process = {.layout = *layout, .kernel_side = layout->frames};
  const auto frames = runtime::WalkPython(process.kernel_side, kThreadPointer, read, kFramesMax);
  if (!frames.ok())
    return 0;
  FLARE_CHECK(frames->size() <= kFramesMax);
  runtime::PythonNames names(/*bytes_max=*/4096);
  for (const auto& frame : *frames) {
    const auto named = names.Name(
        process, {.code = frame.code, .instruction = frame.instruction, .cookie = frame.cookie},
        read);
    if (!named.ok())
      continue;
    for (const auto& function : named->functions) {
      FLARE_CHECK(function.name.size() <= runtime::PythonNames::kNameBytesMax);
      FLARE_CHECK(function.file.size() <= runtime::PythonNames::kNameBytesMax);
      FLARE_CHECK(function.line >= 0 && function.column >= 0 && function.start_line >= 0);
    }
  }
  return 0;
}
