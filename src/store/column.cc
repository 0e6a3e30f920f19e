// SPDX-License-Identifier: Apache-2.0
#include "store/column.h"

#include <zstd.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string_view>

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

// There is little to find but how often each byte occurs, and the quickest level finds that.
constexpr int kLevel = 1;

struct Contexts {
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> compress{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> expand{ZSTD_createDCtx(), ZSTD_freeDCtx};
  std::string plane;
  std::string compressed;
};

Contexts& ThreadsContexts() {
  thread_local Contexts contexts;
  return contexts;
}

void AppendPlane(std::span<const uint64_t> numbers, int shift, std::string* out) {
  Contexts& contexts = ThreadsContexts();
  std::string& plane = contexts.plane;
  plane.resize(numbers.size());
  std::ranges::transform(numbers, plane.begin(),
                         [&](uint64_t number) { return static_cast<char>(number >> shift); });
  std::string& compressed = contexts.compressed;
  compressed.resize(ZSTD_compressBound(plane.size()));
  const size_t size = ZSTD_compressCCtx(contexts.compress.get(), compressed.data(),
                                        compressed.size(), plane.data(), plane.size(), kLevel);
  if (ZSTD_isError(size) != 0 || size >= plane.size()) {
    out->push_back(0);
    *out += plane;
    return;
  }
  base::AppendBytes({compressed.data(), size}, out);
}

// Adds the bytes of the next plane to `numbers`, which the first makes room for.
bool AddPlane(base::ByteReader& in, int shift, size_t count, std::vector<uint64_t>* numbers) {
  Contexts& contexts = ThreadsContexts();
  std::string_view plane;
  const std::string_view compressed = in.Bytes();
  if (compressed.empty()) {
    plane = in.Take(count);
  } else {
    if (count / kExpansionMax > compressed.size())
      return false;
    contexts.plane.resize(count);
    const size_t size =
        ZSTD_decompressDCtx(contexts.expand.get(), contexts.plane.data(), contexts.plane.size(),
                            compressed.data(), compressed.size());
    if (ZSTD_isError(size) != 0)
      return false;
    plane = std::string_view(contexts.plane).substr(0, size);
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
