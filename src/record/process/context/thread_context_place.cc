// SPDX-License-Identifier: Apache-2.0
#include "record/process/context/thread_context_place.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "elf/byte_cursor.h"
#include "record/process/proc/bounded_file.h"
#include "record/process/proc/process_maps.h"

namespace flarestack::record::agent {
namespace {

using bpf::thread_context_place;
using elf::LoadedImage;
using elf::ThreadLocalRelocation;
using elf::ThreadLocalSlot;

constexpr uint16_t kX86 = 62;     // EM_X86_64
constexpr uint16_t kArm64 = 183;  // EM_AARCH64
constexpr uint64_t kModulesMax = 1 << 16;
// Programs and their heaps start above this, and static thread-local memory ends below.
constexpr uint64_t kStaticDistanceMax = 4 << 20;

thread_context_place StaticPlace(int64_t offset) {
  return {.kind = bpf::CONTEXT_STATIC, .offset = offset};
}

// The program's TLS block, relative to the thread pointer (section 5.6 of the ELF TLS ABI: below it
// on x86-64, after a header of two words on arm64).
absl::StatusOr<thread_context_place> PlaceInProgram(const LoadedImage& image, uint64_t value) {
  const elf::Segment* const segment = image.thread_local_segment();
  if (segment == nullptr)
    return absl::UnavailableError("the program has a thread-local variable and no PT_TLS segment");
  constexpr uint64_t kHeadBytes = 16;
  const uint64_t mask = std::max<uint64_t>(segment->alignment, 1) - 1;
  uint64_t offset = 0;
  if (image.machine() == kX86) {
    offset =
        value - (segment->memory_bytes + ((0 - segment->address - segment->memory_bytes) & mask));
  } else if (image.machine() == kArm64) {
    offset = value + kHeadBytes + ((segment->address - kHeadBytes) & mask);
  } else {
    return absl::UnimplementedError(base::StrCat("machine ", image.machine()));
  }
  return StaticPlace(static_cast<int64_t>(offset));
}

thread_context_place DynamicPlace(const LoadedImage& image, CLibrary library, uint64_t module,
                                  uint64_t offset) {
  const bool is_musl = library == CLibrary::kMusl;
  thread_context_place place = {.kind = bpf::CONTEXT_DYNAMIC};
  place.dtv_stride = is_musl ? 8 : 16;
  place.module = static_cast<uint32_t>(module);
  place.dtv_offset = image.machine() == kX86 ? 8 : (is_musl ? -8 : 0);
  place.offset = static_cast<int64_t>(offset);
  return place;
}

class PlaceFinder {
 public:
  PlaceFinder(CLibrary library, MemoryReader read) : library_(library), read_(read) {}

  // Returns nullopt if no word of this module has the place. `symbol` is the variable if it is
  // defined here.
  absl::StatusOr<std::optional<thread_context_place>> Find(
      const LoadedImage& image, const std::optional<elf::DynamicSymbol>& symbol) {
    FLARE_ASSIGN(std::vector<ThreadLocalRelocation> relocations,
                 image.ThreadLocalRelocations(read_));
    // Relocations that contain the offset itself come first.
    std::stable_sort(relocations.begin(), relocations.end(),
                     [](const ThreadLocalRelocation& a, const ThreadLocalRelocation& b) {
                       return a.slot < b.slot;
                     });
    for (const ThreadLocalRelocation& relocation : relocations) {
      FLARE_ASSIGN(const bool is_ours, IsOurs(image, relocation, symbol));
      if (!is_ours)
        continue;
      FLARE_ASSIGN(const std::optional<thread_context_place> place, Follow(image, relocation));
      if (place.has_value())
        return place;
    }
    return std::optional<thread_context_place>();
  }

 private:
  absl::StatusOr<bool> IsOurs(const LoadedImage& image, const ThreadLocalRelocation& relocation,
                              const std::optional<elf::DynamicSymbol>& symbol) {
    if (relocation.symbol != 0)
      return image.IsNamed(read_, relocation.symbol, kThreadContextVariable);
    if (!symbol.has_value())
      return false;
    if (relocation.slot != ThreadLocalSlot::kModule)
      return relocation.addend == static_cast<int64_t>(symbol->value);
    // The linker has written the offset into the next word.
    FLARE_ASSIGN(const uint64_t offset, ReadWord(read_, relocation.address + 8));
    return offset == symbol->value;
  }

  absl::StatusOr<std::optional<thread_context_place>> Follow(
      const LoadedImage& image, const ThreadLocalRelocation& relocation) {
    FLARE_ASSIGN(const uint64_t first, ReadWord(read_, relocation.address));
    FLARE_ASSIGN(const uint64_t second, ReadWord(read_, relocation.address + 8));
    switch (relocation.slot) {
      case ThreadLocalSlot::kThreadOffset:
        if (first == 0)
          return std::optional<thread_context_place>();  // not written yet
        return StaticPlace(static_cast<int64_t>(first));
      case ThreadLocalSlot::kDescriptor:
        return FollowDescriptor(image, second);
      case ThreadLocalSlot::kModule:
        if (first == 0 || first > kModulesMax)
          return std::optional<thread_context_place>();
        return DynamicPlace(image, library_, first, second);
    }
    return std::optional<thread_context_place>();
  }

  absl::StatusOr<std::optional<thread_context_place>> FollowDescriptor(const LoadedImage& image,
                                                                       uint64_t argument) {
    if (argument == 0)
      return std::optional<thread_context_place>();
    if (argument < kStaticDistanceMax || static_cast<int64_t>(argument) < 0)
      return StaticPlace(static_cast<int64_t>(argument));
    FLARE_ASSIGN(const uint64_t module, ReadWord(read_, argument));
    FLARE_ASSIGN(const uint64_t offset, ReadWord(read_, argument + 8));
    // Before the first use, older versions of glibc have the relocation itself here.
    if (module == 0 || module > kModulesMax)
      return std::optional<thread_context_place>();
    return DynamicPlace(image, library_, module, offset);
  }

  CLibrary library_;
  MemoryReader read_;
};

// Returns the address of the program headers, which the kernel passes to each program in its
// auxiliary vector.
uint64_t ProgramHeadersAddress(pid_t pid) {
  constexpr uint64_t kHeaders = 3;  // AT_PHDR
  constexpr size_t kBytesMax = 4096;
  const auto bytes = ReadBegin(base::StrCat("/proc/", pid, "/auxv"), kBytesMax);
  if (!bytes.ok())
    return 0;
  for (elf::ByteCursor in(*bytes); in.ok() && !in.AtEnd();) {
    const uint64_t type = in.U64();
    const uint64_t value = in.U64();
    if (type == kHeaders)
      return value;
  }
  return 0;
}

bool IsMusl(const ProcessMapping& mapping) {
  const std::string_view name = std::string_view(mapping.path).substr(mapping.path.rfind('/') + 1);
  return name.starts_with("ld-musl-") || name.starts_with("libc.musl-");
}

struct LoadedModules {
  std::vector<ThreadLocalModule> modules;
  CLibrary library = CLibrary::kGlibc;
};

// The start of a file is mapped before its code, and next to it.
LoadedModules ReadModules(pid_t pid, std::span<const ProcessMapping> mappings, MemoryReader read) {
  LoadedModules loaded;
  const uint64_t program_headers = ProgramHeadersAddress(pid);
  const ProcessMapping* begin = nullptr;
  for (const ProcessMapping& mapping : mappings) {
    if (mapping.kind != MappingKind::kFile && mapping.kind != MappingKind::kMemfd)
      continue;
    if (mapping.file_offset == 0)
      begin = &mapping;
    if (!mapping.is_executable || begin == nullptr || begin->file != mapping.file)
      continue;
    if (IsMusl(mapping))
      loaded.library = CLibrary::kMusl;
    auto image = LoadedImage::Read(read, begin->start);
    const bool is_program = begin->start <= program_headers && program_headers < begin->end;
    begin = nullptr;  // skip other code of the same file
    if (!image.ok())
      continue;  // executable, but not an ELF image
    const auto at = is_program ? loaded.modules.begin() : loaded.modules.end();
    loaded.modules.insert(at, {.image = *std::move(image), .is_program = is_program});
  }
  return loaded;
}

}  // namespace

absl::StatusOr<thread_context_place> PlaceInModules(std::span<const ThreadLocalModule> modules,
                                                    CLibrary library, MemoryReader read) {
  PlaceFinder finder(library, read);
  bool is_defined = false;
  for (const ThreadLocalModule& module : modules) {
    const auto symbol = module.image.FindSymbol(read, kThreadContextVariable);
    if (!symbol.ok() || !symbol->has_value() || !(*symbol)->is_thread_local())
      continue;  // unreadable memory is not fatal here
    if (module.is_program)
      return PlaceInProgram(module.image, (*symbol)->value);
    is_defined = true;
    FLARE_ASSIGN(const std::optional<thread_context_place> place,
                 finder.Find(module.image, *symbol));
    if (place.has_value())
      return *place;
  }
  if (!is_defined)
    return absl::NotFoundError(base::StrCat("no module has ", kThreadContextVariable));
  // A library may define the variable without using it; another module may use it.
  for (const ThreadLocalModule& module : modules) {
    const auto place = finder.Find(module.image, std::nullopt);
    if (place.ok() && place->has_value())
      return **place;
  }
  return absl::UnavailableError(
      base::StrCat("no module in memory has the place of ", kThreadContextVariable));
}

absl::StatusOr<thread_context_place> FindThreadContextPlace(pid_t pid) {
  const auto read = [&](uint64_t address, std::span<char> out) {
    return ReadMemory(pid, address, out);
  };
  FLARE_ASSIGN(const std::vector<ProcessMapping> mappings, ReadMaps(pid, MapsChoice::kAll));
  const LoadedModules loaded = ReadModules(pid, mappings, read);
  return PlaceInModules(loaded.modules, loaded.library, read);
}

absl::StatusOr<uint64_t> ThreadContextAddress(const thread_context_place& place,
                                              uint64_t thread_pointer, MemoryReader read) {
  if (place.kind == bpf::CONTEXT_STATIC)
    return thread_pointer + static_cast<uint64_t>(place.offset);
  if (place.kind != bpf::CONTEXT_DYNAMIC)
    return absl::NotFoundError("the process has no thread contexts");
  FLARE_ASSIGN(const uint64_t vector,
               ReadWord(read, thread_pointer + static_cast<uint64_t>(place.dtv_offset)));
  FLARE_ASSIGN(const uint64_t block,
               ReadWord(read, vector + uint64_t{place.module} * place.dtv_stride));
  if (block == 0 || block == UINT64_MAX)
    return absl::UnavailableError("the thread has no block of the module yet");
  return block + static_cast<uint64_t>(place.offset);
}

}  // namespace flarestack::record::agent
