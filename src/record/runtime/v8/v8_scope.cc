// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_scope.h"

#include "base/status.h"

namespace flarestack::record::runtime {
namespace {

// Bits of the flags; the same since V8 9.
constexpr uint32_t kScopeTypeMask = 15;
constexpr uint32_t kModuleScope = 3;
constexpr uint32_t kReceiverShift = 7;
constexpr uint32_t kSavedClassVariable = 1 << 10;
constexpr uint32_t kFunctionVariableShift = 12;
constexpr uint32_t kInferredName = 1 << 14;
// Where a variable is; 2 bits.
constexpr uint32_t kStackVariable = 1;
constexpr uint32_t kContextVariable = 2;

constexpr int32_t kLocalsMax = 1 << 16;
constexpr int32_t kLocalCountIndex = 2;
constexpr int32_t kEarlyStartIndex = 3;

int32_t WordOffset(int32_t index) { return 8 + 8 * index; }

std::string StringAt(const V8Heap& heap, uint64_t scope, int32_t index) {
  const auto string = heap.Pointer(scope, WordOffset(index));
  return string.ok() ? heap.String(*string).value_or("") : "";
}

}  // namespace

absl::StatusOr<V8Scope> ReadV8Scope(const V8Heap& heap, uint64_t scope_info) {
  const V8Layout::Scope& layout = heap.layout().scope;
  uint32_t flags = 0;
  if (layout.has_plain_flags) {
    FLARE_ASSIGN(const int32_t plain, heap.Half(scope_info, WordOffset(0)));
    flags = static_cast<uint32_t>(plain);
  } else {
    FLARE_ASSIGN(const int32_t tagged, heap.Smi(scope_info, WordOffset(0)));
    flags = static_cast<uint32_t>(tagged);
  }
  FLARE_ASSIGN(const int32_t locals, heap.Smi(scope_info, WordOffset(kLocalCountIndex)));
  if (locals < 0 || locals > kLocalsMax)
    return absl::InvalidArgumentError(base::StrCat("a scope of V8 with ", locals, " variables"));
  V8Scope scope;
  int32_t index = layout.first_variable;
  if (layout.has_early_positions)
    scope.start_offset = heap.Smi(scope_info, WordOffset(kEarlyStartIndex)).value_or(-1);
  if (layout.has_early_module_count && (flags & kScopeTypeMask) == kModuleScope)
    ++index;
  index += locals < layout.names_inlined_max ? locals : 1;
  index += locals;
  if ((flags & kSavedClassVariable) != 0)
    ++index;
  const uint32_t receiver = (flags >> kReceiverShift) & 3;
  if (layout.has_receiver && (receiver == kStackVariable || receiver == kContextVariable))
    ++index;
  if (((flags >> kFunctionVariableShift) & 3) != 0) {
    scope.name = StringAt(heap, scope_info, index);
    index += 2;
  }
  if ((flags & kInferredName) != 0)
    scope.inferred_name = StringAt(heap, scope_info, index++);
  if (!layout.has_early_positions)
    scope.start_offset = heap.Smi(scope_info, WordOffset(index)).value_or(-1);
  return scope;
}

}  // namespace flarestack::record::runtime
