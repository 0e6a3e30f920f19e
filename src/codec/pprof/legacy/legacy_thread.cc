// SPDX-License-Identifier: Apache-2.0
//
// The stacks of all threads of a C++ server, with or without symbols:
//
//   --- threadz 1 ---
//
//   --- Thread 7f794ab90940 (name: main/14748) stack: ---
//     PC:  0x00bc8f1c: Wait(int)
//     0x0040be31: main
//         creator: 0xa45b96 0xa460b4
//   --- Thread 7f7948978700 (name: idle/14759) stack: ---
//     [same as previous thread]
//   --- Memory map: ---
#include <array>
#include <optional>
#include <vector>

#include "base/status.h"
#include "codec/pprof/legacy/legacy_mappings.h"
#include "codec/pprof/legacy/legacy_readers.h"
#include "codec/pprof/legacy/legacy_text.h"

namespace flarestack::codec::pprof::legacy {
namespace {

constexpr std::string_view kListStart = "--- threadz ";
constexpr std::string_view kThreadStart = "--- Thread ";
constexpr std::string_view kNoStacks = "---- no stack trace for";

bool IsThreadStart(std::string_view line) {
  return line.starts_with(kThreadStart) && line.ends_with("stack: ---");
}

// The frames of the current thread.
class Thread {
 public:
  // Reads the addresses of a line, at any position. "0xADDRESS:" is followed by a function, in
  // which google/pprof searches for further addresses instead of keeping it. The creator's stack is
  // part of the thread's stack: it shows the purpose of the thread.
  absl::Status TakeFrames(std::string_view line) {
    Cursor in(line);
    for (in.EatBlanks(); !in.AtEnd(); in.EatBlanks()) {
      if (!in.Eat("0x")) {
        in.Word();
        continue;
      }
      const std::optional<uint64_t> address = in.Hex();
      if (!address) {
        return absl::InvalidArgumentError("an address that is not a 64-bit hexadecimal number");
      }
      const bool has_function = in.Eat(":");
      if (*address != 0 || addresses_.empty()) {
        addresses_.push_back(*address);
        functions_.push_back(has_function ? Trim(in.rest()) : std::string_view());
      }
      if (has_function) {
        return absl::OkStatus();
      }
    }
    return absl::OkStatus();
  }

  void SetSameAsPrevious() { is_same_as_previous_ = true; }

  // Adds the thread to the profile and starts the next one. A thread without a stack counts with an
  // empty stack, while google/pprof adds it to the count of the previous thread.
  void Finish(Builder& builder) {
    Profile& profile = builder.profile();
    if (is_same_as_previous_ && !profile.samples.empty()) {
      ++profile.sample_values.back();
    } else {
      MoveIntoCalls(Leaf::kExact, addresses_);
      builder.AddSample(addresses_, std::array<int64_t, 1>{1});
      NameLocations(builder);
    }
    addresses_.clear();
    functions_.clear();
    is_same_as_previous_ = false;
  }

 private:
  void NameLocations(Builder& builder) {
    for (size_t i = 0; i < addresses_.size(); ++i) {
      const std::optional<uint32_t> location = builder.FindLocation(addresses_[i]);
      if (!functions_[i].empty() && builder.profile().locations[*location].lines.empty()) {
        const Line line = {.function = builder.InternFunction(functions_[i], {})};
        builder.SetLines(*location, std::span(&line, 1));
      }
    }
  }

  std::vector<uint64_t> addresses_;
  std::vector<std::string_view> functions_;  // of each address; empty if there is none
  bool is_same_as_previous_ = false;
};

// Reads all threads. Stops at the line that starts the memory map, at the note that some threads
// have no stack, or at the end.
absl::Status ReadThreads(Lines& lines, Builder& builder) {
  Thread thread;
  bool is_in_thread = false;
  do {
    const std::string_view line = lines.line();
    if (StartsMemoryMap(line) || line.starts_with(kNoStacks)) {
      break;
    }
    if (line.starts_with("---")) {
      if (is_in_thread) {
        thread.Finish(builder);
      }
      is_in_thread = IsThreadStart(line);
      if (!is_in_thread && !line.starts_with(kListStart)) {
        return lines.Error("neither a thread nor a memory map");
      }
    } else if (is_in_thread && line.find("same as previous thread") != std::string_view::npos) {
      thread.SetSameAsPrevious();
    } else if (is_in_thread) {
      if (absl::Status taken = thread.TakeFrames(line); !taken.ok()) {
        return lines.Error(base::Message(taken));
      }
    }
  } while (lines.Next());
  if (is_in_thread) {
    thread.Finish(builder);
  }
  return absl::OkStatus();
}

}  // namespace

bool IsThreadHeader(std::string_view line) {
  return line.starts_with(kListStart) || IsThreadStart(line);
}

absl::Status ReadThreadProfile(std::string_view bytes, Builder& builder) {
  Profile& profile = builder.profile();
  profile.sample_types = {{"thread", "count"}};
  profile.period_type = {"thread", "count"};
  profile.period = 1;
  Lines lines(bytes);
  lines.NextMeaningful();
  FLARE_RETURN_IF_ERROR(ReadThreads(lines, builder));
  builder.DropDuplicatedLeaves();
  if (lines.SkipToMemoryMap()) {
    ReadMemoryMap(lines, &profile, &builder.warnings());
  }
  return absl::OkStatus();
}

}  // namespace flarestack::codec::pprof::legacy
