// SPDX-License-Identifier: Apache-2.0
#include <elf.h>

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

#include "elf/loaded_image.h"
#include "record/process/proc/process_maps.h"
#include "record/runtime/python/python_state_place.h"

namespace flarestack::record::runtime {
namespace {

using agent::MappingKind;
using agent::ProcessMapping;

std::optional<uint32_t> ReadNumber(agent::MemoryReader read, uint64_t address) {
  std::array<char, sizeof(uint32_t)> bytes = {};
  if (!read(address, bytes).ok())
    return std::nullopt;
  uint32_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

std::optional<uint64_t> AddressOf(const elf::LoadedImage& image, std::string_view name,
                                  agent::MemoryReader read) {
  const auto symbol = image.FindSymbol(read, name);
  if (!symbol.ok() || !symbol->has_value())
    return std::nullopt;
  return (*symbol)->value + image.bias();
}

// Returns how far below the thread pointer the result of pthread_self is: its code begins with
// mrs x0, tpidr_el0; sub x0, x0, #size.
std::optional<int64_t> DescriptorBytes(const elf::LoadedImage& image, agent::MemoryReader read) {
  const auto address = AddressOf(image, "pthread_self", read);
  if (!address.has_value())
    return std::nullopt;
  constexpr uint64_t kInstructionsMax = 4;
  for (uint64_t i = 0; i < kInstructionsMax; ++i) {
    const auto word = ReadNumber(read, *address + 4 * i);
    if (!word.has_value())
      return std::nullopt;
    if ((*word & 0xff800000) == 0xd1000000)  // sub xd, xn, #imm{, lsl #12}
      return int64_t{*word >> 10 & 0xfff} << ((*word >> 22 & 1) * 12);
  }
  return std::nullopt;
}

bool MayBeThreadLibrary(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("libc") || name.starts_with("libpthread") || name.starts_with("ld-musl-");
}

// Returns false if the image is not the library with threads.
bool TakeImage(const elf::LoadedImage& image, agent::MemoryReader read, ThreadLibrary* library) {
  const auto specific = AddressOf(image, "_thread_db_pthread_specific", read);
  if (!specific.has_value() && !library->is_musl)
    return false;
  if (specific.has_value()) {
    // Size in bits, number of elements, offset in bytes.
    library->specific_offset = ReadNumber(read, *specific + 2 * sizeof(uint32_t)).value_or(0);
  }
  if (image.machine() == EM_AARCH64)
    library->thread_pointer_offset = DescriptorBytes(image, read).value_or(0);
  return true;
}

}  // namespace

ThreadLibrary FindThreadLibrary(pid_t pid, uint16_t elf_machine, agent::MemoryReader read) {
  ThreadLibrary library;
  const auto mappings = agent::ReadMaps(pid, agent::MapsChoice::kAll);
  if (!mappings.ok())
    return library;
  for (const ProcessMapping& mapping : *mappings) {
    if (mapping.kind != MappingKind::kFile || mapping.file_offset != 0 || !mapping.is_readable ||
        !MayBeThreadLibrary(mapping.path))
      continue;
    const auto image = elf::LoadedImage::Read(read, mapping.start);
    if (!image.ok() || image->machine() != elf_machine)
      continue;
    library.is_musl = mapping.path.find("musl") != std::string::npos;
    if (TakeImage(*image, read, &library))
      return library;
  }
  return library;
}

}  // namespace flarestack::record::runtime
