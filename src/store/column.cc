// SPDX-License-Identifier: Apache-2.0
#include "store/column.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/compress.h"

namespace flarestack::store {
namespace {

// The first byte of a column; 1 to 8 are so many planes.
constexpr char kVarints = 0;
constexpr char kPlanesMax = 8;
constexpr char kAllZero = 9;

// Below, the head of a compressed plane costs more than it saves.
constexpr size_t kPlanesFrom = 512;

// A block of zstd is at most 128 KiB and takes at least 3 bytes.
constexpr size_t kExpansionMax = 65'536;

// What is being put together, by thread: columns are many and short-lived.
struct Scratch {
  std::string plane;
  std::string frame;
};
Scratch& ThreadsScratch() {
  thread_local Scratch scratch;
  return scratch;
}

void AppendPlane(std::span<const uint64_t> numbers, int shift, std::string* out) {
  Scratch& scratch = ThreadsScratch();
  scratch.plane.resize(numbers.size());
  std::ranges::transform(numbers, scratch.plane.begin(),
                         [&](uint64_t number) { return static_cast<char>(number >> shift); });
  if (base::ZstdQuickly(scratch.plane, &scratch.frame)) {
    base::AppendBytes(scratch.frame, out);
  } else {
    out->push_back(0);
    *out += scratch.plane;
  }
}

// Adds the bytes of the next plane to `numbers`, which the first makes room for.
bool AddPlane(base::ByteReader& in, int shift, size_t count, std::vector<uint64_t>* numbers) {
  std::string_view plane;
  const std::string_view frame = in.Bytes();
  if (frame.empty()) {
    plane = in.Take(count);
  } else {
    if (count / kExpansionMax > frame.size())
      return false;
    std::string& expanded = ThreadsScratch().plane;
    expanded.resize(count);
    if (!base::UnzstdInto(frame, expanded))
      return false;
    plane = expanded;
  }
  if (!in.ok() || plane.size() != count)
    return false;
  if (shift == 0)
    numbers->assign(count, 0);
  for (size_t i = 0; i < count; ++i)
    (*numbers)[i] |= uint64_t{static_cast<uint8_t>(plane[i])} << shift;
  return true;
}

}  // namespace

void AppendColumn(std::span<const uint64_t> numbers, std::string* out) {
  uint64_t bits = 0;
  for (const uint64_t number : numbers)
    bits |= number;
  if (bits == 0) {
    out->push_back(kAllZero);
    return;
  }
  if (numbers.size() < kPlanesFrom) {
    out->push_back(kVarints);
    for (const uint64_t number : numbers)
      base::AppendVarint(number, out);
    return;
  }
  const int planes = static_cast<int>((std::bit_width(bits) + 7) / 8);
  out->push_back(static_cast<char>(planes));
  for (int plane = 0; plane < planes; ++plane)
    AppendPlane(numbers, plane * 8, out);
}

bool IsAllZero(const base::ByteReader& in) { return in.rest().starts_with(kAllZero); }

bool ReadColumn(base::ByteReader& in, size_t count, std::vector<uint64_t>* numbers) {
  const std::string_view form = in.Take(1);
  if (form.empty() || form[0] < kVarints || form[0] > kAllZero)
    return false;
  if (form[0] == kVarints) {
    if (count > in.rest().size())
      return false;
    numbers->resize(count);
    for (uint64_t& number : *numbers)
      number = in.Varint();
    return in.ok();
  }
  if (form[0] == kAllZero) {
    numbers->assign(count, 0);
    return true;
  }
  static_assert(kPlanesMax + 1 == kAllZero);
  for (int plane = 0; plane < form[0]; ++plane) {
    if (!AddPlane(in, plane * 8, count, numbers))
      return false;
  }
  return true;
}

}  // namespace flarestack::store
