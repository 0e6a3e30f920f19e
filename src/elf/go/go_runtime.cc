// SPDX-License-Identifier: Apache-2.0
#include "elf/go/go_runtime.h"

#include <elf.h>

#include <algorithm>

#include "base/status.h"
#include "base/text/text.h"
#include "elf/byte_cursor.h"
#include "elf/go/go_image.h"
#include "elf/go/go_module_data.h"
#include "elf/go/go_pclntab_layout.h"
#include "elf/go/go_version.h"

namespace flarestack::elf {
namespace {

constexpr uint64_t kScanBytesMax = uint64_t{64} << 20;
constexpr int64_t kOffsetMax = 1 << 20;  // of static thread-local memory
constexpr size_t kWordBytes = 8;

// The first versions with a layout, newest first. From the debug information of the last release of
// each minor version.
struct VersionFields {
  uint32_t minor_from;
  GoFields fields;
};
constexpr uint32_t kMinorVersionMax = 26;
constexpr VersionFields kVersions[] = {
    {.minor_from = 26,
     .fields = {.g_m = 48, .g_goid = 152, .g_labels = 352, .m_curg = 184, .has_label_list = true}},
    {.minor_from = 25,
     .fields = {.g_m = 48, .g_goid = 152, .g_labels = 344, .m_curg = 184, .has_label_list = true}},
    {.minor_from = 24,
     .fields = {.g_m = 48, .g_goid = 160, .g_labels = 352, .m_curg = 192, .has_label_list = true}},
    {.minor_from = 23,
     .fields = {.g_m = 48, .g_goid = 160, .g_labels = 352, .m_curg = 192, .has_label_list = false}},
    {.minor_from = 21,
     .fields = {.g_m = 48, .g_goid = 152, .g_labels = 344, .m_curg = 192, .has_label_list = false}},
    {.minor_from = 18,
     .fields = {.g_m = 48, .g_goid = 152, .g_labels = 360, .m_curg = 192, .has_label_list = false}},
};

// Returns the code of a function, from its start to the end of its segment.
absl::StatusOr<std::pair<uint64_t, std::string_view>> FindCode(const ElfFile& file,
                                                               std::string_view name,
                                                               const GoLimits& limits) {
  FLARE_ASSIGN(const GoImage image, GoImage::Open(file, limits));
  FLARE_ASSIGN(const GoTablePlace place, FindGoTable(image, limits));
  FLARE_ASSIGN(const GoTable table, ReadGoTable(place.bytes, limits));
  if (!table.has_relative_entries())
    return absl::UnimplementedError("a Go program from before 1.18");
  const auto module = FindGoModuleData(image, place, table, limits);
  const uint64_t text =
      module ? module->text_start : image.PointerAt(place.address + kGoTextStartOffset).value_or(0);
  ByteCursor in(table.bytes, table.functab_offset);
  for (uint64_t i = 0; i < table.function_count; ++i) {
    const uint64_t entry = in.U32();
    const uint64_t record = in.U32();
    const auto function = ReadGoFunction(table, record);
    if (!function.ok())
      continue;
    std::string_view found = GoName(table, function->name_offset);
    if (found.ends_with(".abi0"))
      found.remove_suffix(5);
    if (found == name)
      return std::pair(text + entry, file.BytesFromAddress(text + entry));
  }
  return absl::NotFoundError(base::StrCat("the program has no ", name));
}

absl::StatusOr<GoThreadPlace> PlaceAtOffset(int64_t offset) {
  if (offset == 0 || offset < -kOffsetMax || offset > kOffsetMax || offset % 8 != 0)
    return absl::InvalidArgumentError(base::StrCat("g is at offset ", offset));
  return GoThreadPlace{.kind = GoThreadPlace::Kind::kThreadOffset, .offset = offset};
}

// The function begins with one of
//
//   64 4c 8b 34 25 OFFSET            mov %fs:OFFSET,%r14
//   49 c7 c6 OFFSET  64 4d 8b 36     mov $OFFSET,%r14; mov %fs:(%r14),%r14
absl::StatusOr<GoThreadPlace> X86PlaceOf(std::string_view code) {
  constexpr std::string_view kDirect = "\x64\x4c\x8b\x34\x25";
  constexpr std::string_view kConstant = "\x49\xc7\xc6";
  constexpr std::string_view kIndirect = "\x64\x4d\x8b\x36";
  size_t at = 0;
  if (code.starts_with(kDirect))
    at = kDirect.size();
  else if (code.starts_with(kConstant) &&
           code.substr(std::min(code.size(), kConstant.size() + 4)).starts_with(kIndirect))
    at = kConstant.size();
  else
    return absl::UnimplementedError("g is not at a fixed distance from the thread pointer");
  ByteCursor in(code, at);
  const auto offset = static_cast<int32_t>(in.U32());
  if (!in.ok())
    return absl::InvalidArgumentError("truncated code");
  return PlaceAtOffset(offset);
}

// runtime.load_g:
//
//   adrp x27, PAGE; ldrsb x0, [x27, #LOW]; cbz x0, ...   runtime.iscgo
//   mrs x0, tpidr_el0
//   movz x27, #OFFSET                  or  movz x27, #HIGH, lsl #16; movk x27, #LOW
//   ldr x28, [x0, x27]
//
// Without cgo, g is only in x28. The linker has initialized iscgo.
absl::StatusOr<GoThreadPlace> Arm64PlaceOf(const ElfFile& file, uint64_t address,
                                           std::string_view code) {
  constexpr uint64_t kPageMask = 0xfff;
  ByteCursor in(code);
  const uint32_t page = in.U32();
  const uint32_t load = in.U32();
  in.U32();  // cbz
  const uint32_t base = in.U32();
  const uint32_t first = in.U32();
  const uint32_t second = in.U32();
  const bool is_known = in.ok() && (page & 0x9f00001f) == 0x9000001b &&
                        ((load & 0xffc003ff) == 0x39800360 || (load & 0xffc003ff) == 0x39400360) &&
                        base == 0xd53bd040;
  if (!is_known)
    return absl::UnimplementedError("unknown instructions load g");
  const uint64_t pages = ((page >> 29) & 3) | (((page >> 5) & 0x7ffff) << 2);
  const uint64_t distance = ((pages ^ (1 << 20)) - (1 << 20)) << 12;
  const uint64_t is_cgo = (address & ~kPageMask) + distance + ((load >> 10) & kPageMask);
  const std::string_view data = file.BytesFromAddress(is_cgo);
  if (data.empty() || data[0] == 0)
    return GoThreadPlace{.kind = GoThreadPlace::Kind::kRegister, .offset = 0};
  const uint64_t first_value = (first >> 5) & 0xffff;
  if ((first & 0xffe0001f) == 0xd280001b)
    return PlaceAtOffset(static_cast<int64_t>(first_value));
  if ((first & 0xffe0001f) == 0xd2a0001b && (second & 0xffe0001f) == 0xf280001b)
    return PlaceAtOffset(static_cast<int64_t>(first_value << 16 | ((second >> 5) & 0xffff)));
  return absl::UnimplementedError("g is not at a fixed distance from the thread pointer");
}

// In a program that only has the runtime's own thread-local variable, it is the last word of the
// block: no need to search the table.
bool HasOnlyG(const ElfFile& file) {
  bool is_program = file.type() == ET_EXEC;
  bool has_one_word = false;
  for (const Segment& segment : file.segments()) {
    is_program |= segment.type == PT_INTERP;
    has_one_word |= segment.type == PT_TLS && segment.memory_bytes == kWordBytes;
  }
  return is_program && has_one_word;
}

}  // namespace

std::optional<GoFields> GoFieldsOf(std::string_view version) {
  const std::optional<uint32_t> minor = GoMinorVersion(version);
  if (!minor || *minor > kMinorVersionMax)
    return std::nullopt;
  for (const VersionFields& one : kVersions) {
    if (*minor >= one.minor_from)
      return one.fields;
  }
  return std::nullopt;
}

absl::StatusOr<GoThreadPlace> FindGoThreadPlace(const ElfFile& file, const GoLimits& limits) {
  if (file.machine() == EM_X86_64) {
    if (HasOnlyG(file))
      return PlaceAtOffset(-static_cast<int64_t>(kWordBytes));
    FLARE_ASSIGN(const auto code, FindCode(file, "runtime.sigpanic0", limits));
    return X86PlaceOf(code.second);
  }
  if (file.machine() != EM_AARCH64)
    return absl::UnimplementedError(base::StrCat("machine ", file.machine()));
  FLARE_ASSIGN(const auto code, FindCode(file, "runtime.load_g", limits));
  return Arm64PlaceOf(file, code.first, code.second);
}

absl::StatusOr<GoRuntime> FindGoRuntime(const ElfFile& file) {
  FLARE_ASSIGN(const std::string_view version, GoVersionOf(file));
  const std::optional<GoFields> fields = GoFieldsOf(version);
  if (!fields)
    return absl::UnimplementedError(base::StrCat("the layout of ", version, " is unknown"));
  GoLimits limits;
  limits.scan_bytes_max = kScanBytesMax;
  FLARE_ASSIGN(const GoThreadPlace place, FindGoThreadPlace(file, limits));
  return GoRuntime{.fields = *fields, .place = place};
}

}  // namespace flarestack::elf
