// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_scopes.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/status.h"
#include "base/text/text.h"
#include "record/runtime/java/foreign_reader.h"
#include "record/runtime/java/java_lines.h"

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kTableBytesMax = 64 << 20;
constexpr uint64_t kScopeBytesMax = 3 * 5;  // of the three numbers that are needed
constexpr uint32_t kNullOffset = 0;

// A position in the code about which something is recorded. Sorted by `offset`; the first and the
// last of a method are beyond its code.
struct PcDesc {
  int32_t offset = 0;
  uint32_t scope = 0;  // offset in the scopes
  uint32_t objects = 0;
  uint32_t flags = 0;
};
static_assert(sizeof(PcDesc) == 16);

struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;

  uint64_t size() const { return end > begin && end - begin <= kTableBytesMax ? end - begin : 0; }
};

class ScopeReader {
 public:
  ScopeReader(const JavaProcess& process, agent::MemoryReader read,
              const CompiledPosition& position)
      : layout_(process.layout),
        without_zero_bytes_(process.major >= kJavaMajorWithoutZeroBytes),
        in_(read),
        position_(position),
        nmethod_(position.nmethod) {}

  absl::StatusOr<std::vector<JavaScope>> Read() {
    const auto id = in_.Get<uint32_t>(nmethod_ + layout_.nmethod_compile_id);
    const auto header_bytes = in_.Get<uint16_t>(nmethod_ + layout_.frames.blob_header_size -
                                                layout_.frames.block_header_bytes);
    const auto method = in_.Get<uint64_t>(nmethod_ + layout_.nmethod_method);
    FLARE_RETURN_IF_ERROR(in_.status());
    if (id != position_.compile_id || header_bytes != layout_.frames.nmethod_bytes) {
      return absl::NotFoundError(
          base::StrCat("compilation ", position_.compile_id, " has been replaced"));
    }
    std::vector<JavaScope> scopes;
    FindTables();
    if (!IsDeoptimized())
      Follow(FindScope(), &scopes);
    if (is_before_ && !scopes.empty())
      scopes.erase(scopes.begin(), scopes.end() - 1);
    // What is recorded about inlining is optional; the method itself is not.
    if (!in_.ok() || scopes.empty() || scopes.back().method != method)
      return std::vector<JavaScope>{{.method = method}};
    return scopes;
  }

 private:
  static bool Has(uint32_t field) { return field != JavaLayout::kNone; }

  uint64_t Offset(uint32_t field) { return in_.Get<uint32_t>(nmethod_ + field); }
  uint64_t Pointer(uint32_t field) { return in_.Get<uint64_t>(nmethod_ + field); }

  void FindTables() {
    if (Has(layout_.nmethod_immutable) && Has(layout_.nmethod_immutable_size)) {
      const uint64_t base = Pointer(layout_.nmethod_immutable);
      pcs_ = {base + Offset(layout_.nmethod_pcs), base + Offset(layout_.nmethod_scopes)};
      scopes_ = {pcs_.end, base + Offset(layout_.nmethod_immutable_size)};
    } else if (Has(layout_.nmethod_dependencies)) {
      pcs_ = {nmethod_ + Offset(layout_.nmethod_pcs),
              nmethod_ + Offset(layout_.nmethod_dependencies)};
      scopes_.begin = Has(layout_.nmethod_scopes_begin) ? Pointer(layout_.nmethod_scopes_begin)
                                                        : nmethod_ + Offset(layout_.nmethod_scopes);
      scopes_.end = pcs_.begin;
    }
    if (Has(layout_.blob_mutable) && Has(layout_.blob_mutable_size) &&
        Has(layout_.blob_relocation_size)) {
      const uint64_t base = Pointer(layout_.blob_mutable);
      metadata_ = {base + Offset(layout_.blob_relocation_size),
                   base + Offset(layout_.blob_mutable_size)};
    } else if (Has(layout_.nmethod_metadata) && !Has(layout_.nmethod_immutable)) {
      metadata_ = {nmethod_ + Offset(layout_.nmethod_metadata), scopes_.begin};
    }
  }

  // The return address of a deoptimized frame is replaced with that of a handler.
  bool IsDeoptimized() {
    const uint64_t code = CodeBegin();
    uint64_t handler = 0;
    if (Has(layout_.nmethod_deoptimize_begin)) {
      handler = Pointer(layout_.nmethod_deoptimize_begin);
    } else if (Has(layout_.nmethod_deoptimize)) {
      // Relative to the code, or, in JDK 8, to the nmethod.
      handler =
          Offset(layout_.nmethod_deoptimize) + (Has(layout_.nmethod_immutable) ? code : nmethod_);
    }
    return position_.is_return_address && handler != 0 && code + position_.offset == handler;
  }

  uint64_t CodeBegin() {
    const bpf::java_process& frames = layout_.frames;
    const auto field = static_cast<uint32_t>(frames.blob_code - frames.block_header_bytes);
    return (frames.flags & bpf::JAVA_CODE_IS_POINTER) != 0 ? Pointer(field)
                                                           : nmethod_ + Offset(field);
  }

  // Returns the scope of the first recorded position that is not before ours. A loop without
  // safepoints, which JDK 8 compiles, may have none after it. The last one before it is in the same
  // method, but what is inlined there need not be inlined here.
  uint32_t FindScope() {
    const int64_t wanted = int64_t{position_.offset} + (position_.is_return_address ? 0 : 1);
    uint64_t first = 0;
    uint64_t left = pcs_.size() / sizeof(PcDesc);
    PcDesc found = {.offset = 0, .scope = kNullOffset};
    while (left > 0 && in_.ok()) {
      const uint64_t half = left / 2;
      const auto middle = in_.Get<PcDesc>(pcs_.begin + (first + half) * sizeof(PcDesc));
      if (middle.offset >= wanted) {
        found = middle;
        left = half;
      } else {
        first += half + 1;
        left -= half + 1;
      }
    }
    if (found.scope == kNullOffset && !position_.is_return_address && first > 0) {
      is_before_ = true;
      found = in_.Get<PcDesc>(pcs_.begin + (first - 1) * sizeof(PcDesc));
    }
    return in_.ok() ? found.scope : kNullOffset;
  }

  void Follow(uint32_t scope, std::vector<JavaScope>* scopes) {
    while (scope != kNullOffset && scopes->size() < kJavaScopesMax && in_.ok()) {
      if (scope >= scopes_.size())
        return scopes->clear();
      const std::string bytes =
          in_.Bytes(scopes_.begin + scope, std::min(scopes_.size() - scope, kScopeBytesMax));
      CompressedNumbers numbers(bytes, without_zero_bytes_);
      const uint32_t sender = numbers.Unsigned();
      const uint32_t method = numbers.Unsigned();
      const uint32_t bci = numbers.Unsigned();
      if (!numbers.ok() || method == 0 || method > metadata_.size() / 8)
        return scopes->clear();
      scopes->push_back({.method = in_.Get<uint64_t>(metadata_.begin + 8 * (method - 1ull)),
                         .bci = static_cast<int32_t>(bci) + JavaScope::kNoBci});
      scope = sender;
    }
  }

  const JavaLayout& layout_;
  bool without_zero_bytes_;
  ForeignReader in_;
  const CompiledPosition& position_;
  uint64_t nmethod_;
  bool is_before_ = false;
  Span pcs_;
  Span scopes_;
  Span metadata_;
};

}  // namespace

absl::StatusOr<std::vector<JavaScope>> ReadJavaScopes(const JavaProcess& process,
                                                      agent::MemoryReader read,
                                                      const CompiledPosition& position) {
  return ScopeReader(process, read, position).Read();
}

}  // namespace flarestack::record::runtime
