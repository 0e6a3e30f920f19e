// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_code.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/status.h"

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kChunkBytes = 4096;
constexpr size_t kMapsMax = 4096;
constexpr uint64_t kCodeBytesMax = uint64_t{64} << 20;

}  // namespace

absl::StatusOr<V8Code> ReadV8Code(const V8Heap& heap, uint64_t header) {
  const V8Layout::Code& layout = heap.layout().code;
  V8Code code = {.object = header, .header = header};
  code.start = header + static_cast<uint64_t>(layout.header_bytes);
  if (layout.header_code != 0) {
    FLARE_ASSIGN(code.object, heap.Pointer(header, layout.header_code));
    FLARE_ASSIGN(const uint64_t start, heap.Word(code.object, layout.start));
    if (start != code.start)
      return absl::InvalidArgumentError("the code of V8 is not where its object says");
  }
  FLARE_ASSIGN(const int32_t size, heap.Half(code.object, layout.size));
  FLARE_ASSIGN(const int32_t flags, heap.Half(code.object, layout.flags));
  if (size <= 0 || static_cast<uint64_t>(size) > kCodeBytesMax)
    return absl::InvalidArgumentError(base::StrCat("code of V8 with ", size, " bytes"));
  code.size = static_cast<uint64_t>(size);
  code.kind = flags & layout.kind_mask;
  return code;
}

bool V8Codes::IsHeaderMap(const V8Heap& heap, uint64_t word) {
  if ((word & 3) != 1 || word >> 48 != 0 || word < 4096)
    return false;
  if (const auto found = maps_.find(word); found != maps_.end())
    return found->second;
  if (maps_.size() >= kMapsMax)
    maps_.clear();
  const auto type = heap.Half(word - 1, heap.layout().map_instance_type);
  const bool is_map = type.ok() && (*type & 0xffff) == heap.layout().type.code_header;
  maps_[word] = is_map;
  return is_map;
}

absl::StatusOr<V8Code> V8Codes::Find(const V8Heap& heap, uint64_t address) {
  if (auto after = codes_.upper_bound(address); after != codes_.begin()) {
    const V8Code& known = std::prev(after)->second;
    if (known.Contains(address)) {
      const auto again = ReadV8Code(heap, known.header);
      if (again.ok() && *again == known)
        return known;
      codes_.erase(std::prev(after));
    }
  }
  std::vector<uint64_t> words(kChunkBytes / 8);
  const std::span<char> bytes(reinterpret_cast<char*>(words.data()), kChunkBytes);
  uint64_t chunk = address & ~(kChunkBytes - 1);
  for (uint64_t searched = 0; searched < kSearchBytesMax; searched += kChunkBytes) {
    FLARE_RETURN_IF_ERROR(heap.Read(chunk, bytes));
    for (size_t i = words.size(); i-- > 0;) {
      const uint64_t header = chunk + 8 * i;
      if (header >= address || !IsHeaderMap(heap, words[i]))
        continue;
      const auto code = ReadV8Code(heap, header);
      if (!code.ok() || !code->Contains(address))
        continue;
      if (codes_.size() >= kCodesMax)
        codes_.clear();
      codes_[code->start] = *code;
      return *code;
    }
    chunk -= kChunkBytes;
  }
  return absl::NotFoundError(base::StrCat("no code object of V8 before ", base::Hex(address)));
}

}  // namespace flarestack::record::runtime
