// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/python/python_state_place.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/status.h"
#include "record/runtime/python/python_process.h"

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kKeysMax = 1024;          // PTHREAD_KEYS_MAX of glibc; musl has 128
constexpr uint64_t kKeysPerBlock = 32;       // glibc
constexpr uint64_t kKeyBytes = 16;           // glibc: a sequence number and the value
constexpr uint64_t kDescriptorBytes = 2304;  // of a thread descriptor, as far as we search it
constexpr uint64_t kModulesMax = 1 << 16;
constexpr int64_t kStaticDistanceMax = 4 << 20;
constexpr size_t kThreadsChecked = 32;

std::optional<int32_t> ToOffset(int64_t offset) {
  if (offset < INT32_MIN || offset > INT32_MAX)
    return std::nullopt;
  return static_cast<int32_t>(offset);
}

class StatePlaceFinder {
 public:
  StatePlaceFinder(const PythonStateSearch& search, agent::MemoryReader read)
      : search_(search), read_(read) {}

  absl::StatusOr<PythonStatePlace> Find() {
    if (search_.layout.runtime_key == 0)
      return FindVariable();
    FLARE_ASSIGN(const uint64_t key, ReadKey());
    if (const auto place = PlaceOfKey(key); place.has_value() && IsRight(*place))
      return Flattened(*place, key);
    for (const PythonThread& thread : search_.threads.first(ThreadsChecked())) {
      if (const auto place = SearchDescriptor(thread, key); place.has_value())
        return *place;
    }
    return absl::UnavailableError(base::StrCat(
        "the thread states of CPython 3.", search_.file.minor, " are not under pthread key ", key,
        " of any of ", search_.threads.size(), " threads"));
  }

 private:
  size_t ThreadsChecked() const { return std::min(search_.threads.size(), kThreadsChecked); }

  absl::StatusOr<uint64_t> ReadKey() {
    const uint64_t address =
        search_.file.runtime_address + search_.bias + search_.layout.runtime_key;
    FLARE_ASSIGN(const uint64_t word, agent::ReadWord(read_, address));
    const uint64_t key = word >> 32;
    if (static_cast<uint32_t>(word) == 0 || key >= kKeysMax)
      return absl::UnavailableError("the interpreter has not created its pthread key yet");
    return key;
  }

  // Returns the value that a thread has at a place, with the same steps as in BPF.
  std::optional<uint64_t> ValueAt(const PythonStatePlace& place, const PythonThread& thread) {
    uint64_t address = thread.thread_id +
                       static_cast<uint64_t>(search_.library.thread_pointer_offset) +
                       static_cast<uint64_t>(place.offsets[0]);
    for (size_t level = 0; level <= place.levels; ++level) {
      const auto word = agent::ReadWord(read_, address);
      if (!word.ok())
        return std::nullopt;
      if (level == place.levels)
        return *word;
      address = *word + static_cast<uint64_t>(place.offsets[level + 1]);
    }
    return std::nullopt;
  }

  // Threads of subinterpreters and ended threads may have another state there.
  bool IsRight(const PythonStatePlace& place) {
    const auto threads = search_.threads.first(ThreadsChecked());
    return std::any_of(threads.begin(), threads.end(), [&](const PythonThread& thread) {
      return ValueAt(place, thread) == thread.state;
    });
  }

  // Where glibc has the value of a key: its second level.
  std::optional<PythonStatePlace> PlaceOfKey(uint64_t key) const {
    if (search_.library.specific_offset == 0)
      return std::nullopt;
    const auto first = ToOffset(static_cast<int64_t>(search_.library.specific_offset +
                                                     key / kKeysPerBlock * sizeof(uint64_t)) -
                                search_.library.thread_pointer_offset);
    if (!first.has_value())
      return std::nullopt;
    const auto second = static_cast<int32_t>(key % kKeysPerBlock * kKeyBytes + kKeyBytes / 2);
    return PythonStatePlace{.levels = 1, .offsets = {*first, second}};
  }

  // The first block of keys is inside the thread descriptor, which saves a read per walk.
  PythonStatePlace Flattened(const PythonStatePlace& place, uint64_t key) {
    if (key >= kKeysPerBlock)
      return place;
    for (const PythonThread& thread : search_.threads.first(ThreadsChecked())) {
      const auto block = agent::ReadWord(read_, thread.thread_id + search_.library.specific_offset);
      if (!block.ok() || *block - thread.thread_id >= kDescriptorBytes)
        continue;
      const auto offset = ToOffset(static_cast<int64_t>(*block - thread.thread_id) +
                                   place.offsets[1] - search_.library.thread_pointer_offset);
      const PythonStatePlace flat = {.levels = 0, .offsets = {offset.value_or(0)}};
      if (offset.has_value() && IsRight(flat))
        return flat;
    }
    return place;
  }

  // Without a description of the thread descriptor: the value itself is in the descriptor (glibc),
  // or the descriptor points to an array with all values (musl).
  std::optional<PythonStatePlace> SearchDescriptor(const PythonThread& thread, uint64_t key) {
    const bool is_arm64 = search_.file.machine == EM_AARCH64;
    if (is_arm64 && search_.library.thread_pointer_offset == 0)
      return std::nullopt;
    for (uint64_t at = 0; at < kDescriptorBytes; at += sizeof(uint64_t)) {
      const auto word = agent::ReadWord(read_, thread.thread_id + at);
      if (!word.ok())
        return std::nullopt;
      const auto offset =
          static_cast<int32_t>(static_cast<int64_t>(at) - search_.library.thread_pointer_offset);
      if (*word == thread.state)
        return PythonStatePlace{.levels = 0, .offsets = {offset}};
      if (!search_.library.is_musl)
        continue;
      const auto value = agent::ReadWord(read_, *word + key * sizeof(uint64_t));
      if (value.ok() && *value == thread.state)
        return PythonStatePlace{.levels = 1,
                                .offsets = {offset, static_cast<int32_t>(key * sizeof(uint64_t))}};
    }
    return std::nullopt;
  }

  absl::StatusOr<PythonStatePlace> FindVariable() {
    if (!search_.file.state.has_value())
      return absl::UnimplementedError(
          base::StrCat("CPython 3.", search_.file.minor,
                       ": the code of PyGILState_GetThisThreadState is not known"));
    FLARE_ASSIGN(const std::optional<PythonStatePlace> place, PlaceOfVariable(*search_.file.state));
    if (!place.has_value() || !IsRight(*place))
      return absl::UnavailableError(base::StrCat("the thread states of CPython 3.",
                                                 search_.file.minor,
                                                 " are not in its thread-local variable"));
    return *place;
  }

  static std::optional<PythonStatePlace> StaticPlace(int64_t offset) {
    if (offset < -kStaticDistanceMax || offset > kStaticDistanceMax)
      return std::nullopt;
    return PythonStatePlace{.levels = 0, .offsets = {static_cast<int32_t>(offset)}};
  }

  // In the block of a module, which the thread's vector of blocks (DTV) leads to.
  std::optional<PythonStatePlace> ModulePlace(uint64_t module, int64_t offset) const {
    const bool is_musl = search_.library.is_musl;
    const bool is_x86 = search_.file.machine == EM_X86_64;
    const auto in_block = ToOffset(offset);
    if (module == 0 || module > kModulesMax || !in_block.has_value())
      return std::nullopt;
    const int32_t vector = is_x86 ? 8 : (is_musl ? -8 : 0);
    const auto entry = static_cast<int32_t>(module * (is_musl ? 8 : 16));
    return PythonStatePlace{.levels = 2, .offsets = {vector, entry, *in_block}};
  }

  absl::StatusOr<std::optional<PythonStatePlace>> PlaceOfVariable(const ThreadVariable& variable) {
    using Kind = ThreadVariable::Kind;
    if (variable.kind == Kind::kOffset) {
      // On arm64 the program's block follows two words after the thread pointer; the code's offset
      // includes them.
      return StaticPlace(variable.offset);
    }
    FLARE_ASSIGN(const uint64_t first, agent::ReadWord(read_, variable.address + search_.bias));
    FLARE_ASSIGN(const uint64_t second,
                 agent::ReadWord(read_, variable.address + search_.bias + sizeof(uint64_t)));
    if (variable.kind == Kind::kWord)
      return StaticPlace(static_cast<int64_t>(first) + variable.offset);
    if (variable.kind == Kind::kModulePair)
      return ModulePlace(first, static_cast<int64_t>(second) + variable.offset);
    const auto argument = static_cast<int64_t>(second);
    if (argument < kStaticDistanceMax)  // a distance, mostly a negative one
      return StaticPlace(argument + variable.offset);
    FLARE_ASSIGN(const uint64_t module, agent::ReadWord(read_, second));
    FLARE_ASSIGN(const uint64_t offset, agent::ReadWord(read_, second + sizeof(uint64_t)));
    return ModulePlace(module, static_cast<int64_t>(offset) + variable.offset);
  }

  const PythonStateSearch& search_;
  agent::MemoryReader read_;
};

}  // namespace

absl::StatusOr<PythonStatePlace> FindStatePlace(const PythonStateSearch& search,
                                                agent::MemoryReader read) {
  return StatePlaceFinder(search, read).Find();
}

}  // namespace flarestack::record::runtime
