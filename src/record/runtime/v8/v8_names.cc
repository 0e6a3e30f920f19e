// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/status.h"
#include "record/runtime/v8/v8_original.h"
#include "record/runtime/v8/v8_positions.h"
#include "record/runtime/v8/v8_scope.h"

namespace flarestack::record::runtime {
namespace {

constexpr std::string_view kType = "v8js";
constexpr std::string_view kAnonymous = "(anonymous)";  // as in the profiles of Node.js
constexpr size_t kTableBytesMax = size_t{1} << 20;
constexpr size_t kBytecodeBytesMax = size_t{1} << 20;
constexpr int kInlinedMax = 64;
constexpr size_t kInliningBytes = 16;  // position, index of the function, padding
constexpr int32_t kFirstField = 8;     // of InterpreterData and SharedFunctionInfoWrapper
constexpr int32_t kSecondField = 16;

uint32_t KindOf(const V8Words& words) {
  return static_cast<uint32_t>(words.frame >> V8_FRAME_KIND_SHIFT) & 15;
}

bool IsReturnAddress(const V8Words& words) { return (words.frame & V8_FRAME_RETURN_ADDRESS) != 0; }

// The address of the call, if the pc follows one.
uint64_t LookupAddress(const V8Words& words) {
  return (words.frame & V8_ADDRESS_MASK) - (IsReturnAddress(words) ? 1 : 0);
}

NamedFrame OneFunction(NamedFunction function) {
  NamedFrame frame = {.type = kType};
  frame.functions.push_back(std::move(function));
  return frame;
}

absl::StatusOr<uint64_t> BytecodeArrayOf(const V8Heap& heap, uint64_t shared) {
  const V8Layout& layout = heap.layout();
  FLARE_ASSIGN(uint64_t data, heap.Pointer(shared, layout.shared.data));
  for (int i = 0; i < 4; ++i) {
    FLARE_ASSIGN(const int32_t type, heap.Type(data));
    if (type == layout.type.bytecode_array)
      return data;
    if (type == layout.type.code) {
      FLARE_ASSIGN(data, heap.Pointer(data, layout.code.deoptimization));
    } else if (type == layout.type.baseline_data) {
      FLARE_ASSIGN(data, heap.Pointer(data, kSecondField));
    } else if (type == layout.type.interpreter_data) {
      FLARE_ASSIGN(data, heap.Pointer(data, kFirstField));
    } else {
      break;
    }
  }
  return absl::NotFoundError("the function has no bytecode");
}

// V8 collects positions of bytecode only once it needs them, for instance for a stack trace.
std::optional<int32_t> BytecodePosition(const V8Heap& heap, uint64_t array, uint64_t offset) {
  const auto table = heap.Pointer(array, heap.layout().bytecode.positions);
  if (!table.ok())
    return std::nullopt;
  const auto bytes = heap.ByteArray(*table, kTableBytesMax);
  if (!bytes.ok())
    return std::nullopt;
  const auto position = FindV8Position(*bytes, offset, heap.layout().position_format);
  return position.has_value() ? std::optional(position->script_offset) : std::nullopt;
}

absl::StatusOr<std::string> BytecodesOf(const V8Heap& heap, uint64_t array) {
  FLARE_ASSIGN(const int32_t length, heap.ArrayLength(array));
  if (static_cast<size_t>(length) > kBytecodeBytesMax)
    return absl::ResourceExhaustedError(base::StrCat(length, " bytes of bytecode"));
  std::string bytes(static_cast<size_t>(length), '\0');
  FLARE_RETURN_IF_ERROR(
      heap.Read(array + static_cast<uint64_t>(heap.layout().bytecode.header_bytes), bytes));
  return bytes;
}

// A SharedFunctionInfo in an array of deoptimization data, which may be behind a wrapper.
absl::StatusOr<uint64_t> SharedAt(const V8Heap& heap, uint64_t array, int32_t index) {
  FLARE_ASSIGN(uint64_t shared, heap.ArrayPointer(array, index));
  FLARE_ASSIGN(const int32_t type, heap.Type(shared));
  if (type == heap.layout().type.shared_wrapper) {
    FLARE_ASSIGN(shared, heap.Pointer(shared, kFirstField));
  }
  FLARE_RETURN_IF_ERROR(heap.ExpectType(shared, heap.layout().type.shared));
  return shared;
}

struct InlinedCall {
  uint64_t position = 0;  // raw, of the call
  int32_t function = -1;  // index among the literals
};

absl::StatusOr<InlinedCall> InlinedCallAt(const V8Heap& heap, uint64_t deoptimization,
                                          int32_t index) {
  const V8Layout& layout = heap.layout();
  FLARE_ASSIGN(const uint64_t positions,
               heap.ArrayPointer(deoptimization, layout.deoptimization.positions));
  FLARE_ASSIGN(const int32_t bytes, heap.ArrayLength(positions));
  const size_t offset = kInliningBytes * static_cast<size_t>(index);
  if (offset + kInliningBytes > static_cast<size_t>(bytes))
    return absl::OutOfRangeError("an inlined call that is not in its table");
  InlinedCall call;
  const uint64_t entry = positions + offset;
  FLARE_ASSIGN(call.position, heap.Word(entry, layout.array_data));
  FLARE_ASSIGN(call.function, heap.Half(entry, layout.array_data + 8));
  return call;
}

}  // namespace

V8Names::V8Names(const V8File& file, const bpf::v8_process& process, MapFinder find_map,
                 const Limits& limits)
    : file_(file),
      process_(process),
      limits_(limits),
      scripts_(std::move(find_map), limits.scripts) {}

std::optional<uint64_t> V8Names::PcOf(const V8Words& words) {
  if (KindOf(words) == bpf::V8_FRAME_BYTECODE)
    return std::nullopt;
  return LookupAddress(words);
}

absl::StatusOr<NamedFrame> V8Names::Name(const V8Words& words, const Place& place) {
  const V8Heap heap(file_.layout, place.read);
  switch (KindOf(words)) {
    case bpf::V8_FRAME_STUB:
      return NameStub(words, place);
    case bpf::V8_FRAME_BYTECODE:
      return NameBytecode(words, heap);
    case bpf::V8_FRAME_CODE:
      return NameCode(words, place, heap);
    default:
      return absl::InvalidArgumentError(base::StrCat("frame of V8 with kind ", KindOf(words)));
  }
}

absl::StatusOr<NamedFrame> V8Names::NameStub(const V8Words& words, const Place& place) {
  if (place.address_in_file.has_value()) {
    const V8Builtin* const builtin = file_.FindBuiltin(*place.address_in_file);
    if (builtin != nullptr)
      return OneFunction({.name = builtin->name});
  }
  const auto marker = static_cast<size_t>(words.operand & 0xff);
  if (marker < file_.frame_types.size() && !file_.frame_types[marker].empty())
    return OneFunction({.name = base::StrCat("(", file_.frame_types[marker], ")")});
  if (place.address_in_file.has_value())
    return OneFunction({.name = "(builtin)"});  // the file is stripped
  // At the edge of a function there is no frame, but its code may say which it is.
  const V8Heap heap(file_.layout, place.read);
  FLARE_ASSIGN(const V8Code code, codes_.Find(heap, LookupAddress(words)));
  if (code.kind <= file_.layout.code.kind_baseline)
    return absl::NotFoundError("code of V8 that belongs to no function");
  return NameOptimized(code, LookupAddress(words) - code.start, heap, /*expected_shared=*/0);
}

absl::StatusOr<NamedFrame> V8Names::NameBytecode(const V8Words& words, const V8Heap& heap) {
  const uint64_t shared = words.frame & V8_ADDRESS_MASK;
  const auto cookie = static_cast<uint32_t>(words.operand);
  const uint64_t offset = (words.operand >> V8_BYTECODE_OFFSET_SHIFT) & V8_BYTECODE_OFFSET_MASK;
  FLARE_ASSIGN(const Function* function, FindFunction(heap, shared, cookie, ~uint32_t{0}));
  std::optional<int32_t> position;
  if (const auto array = BytecodeArrayOf(heap, shared); array.ok()) {
    const auto length = heap.ArrayLength(*array);
    if (length.ok() && offset < static_cast<uint64_t>(*length))
      position = BytecodePosition(heap, *array, offset);
  }
  return OneFunction(Located(heap, *function, position));
}

absl::StatusOr<NamedFrame> V8Names::NameCode(const V8Words& words, const Place& place,
                                             const V8Heap& heap) {
  const uint64_t shared = (words.operand & V8_SHARED_MASK) << 3;
  const auto cookie = static_cast<uint32_t>(((words.operand >> V8_COOKIE_LOW_SHIFT) & 0x7fff) |
                                            (((words.frame >> V8_COOKIE_HIGH_SHIFT) & 0x7f) << 15));
  FLARE_ASSIGN(const Function* function,
               FindFunction(heap, shared, cookie, uint32_t{V8_CODE_COOKIE_MASK}));
  if (place.address_in_file.has_value())
    return OneFunction(Located(heap, *function, std::nullopt));
  const auto code = codes_.Find(heap, LookupAddress(words));
  if (!code.ok())
    return OneFunction(Located(heap, *function, std::nullopt));
  const uint64_t offset = LookupAddress(words) - code->start;
  if (code->kind > file_.layout.code.kind_baseline) {
    auto named = NameOptimized(*code, offset, heap, shared);
    if (named.ok())
      return named;
  } else if (code->kind == file_.layout.code.kind_baseline) {
    const auto array = BytecodeArrayOf(heap, shared);
    const auto table = heap.Pointer(code->object, file_.layout.code.positions);
    if (array.ok() && table.ok() && !file_.bytecode_sizes.empty()) {
      const auto lengths = heap.ByteArray(*table, kTableBytesMax);
      const auto bytecodes = BytecodesOf(heap, *array);
      if (lengths.ok() && bytecodes.ok()) {
        const auto found = FindV8BytecodeOffset({.table = *lengths,
                                                 .bytecodes = *bytecodes,
                                                 .bytecode_sizes = file_.bytecode_sizes,
                                                 .code_offset = offset + 1});
        if (found.has_value())
          return OneFunction(Located(heap, *function, BytecodePosition(heap, *array, *found)));
      }
    }
  }
  return OneFunction(Located(heap, *function, std::nullopt));
}

absl::StatusOr<NamedFrame> V8Names::NameOptimized(const V8Code& code, uint64_t offset,
                                                  const V8Heap& heap, uint64_t expected_shared) {
  const V8Layout& layout = file_.layout;
  FLARE_ASSIGN(const uint64_t deoptimization,
               heap.Pointer(code.object, layout.code.deoptimization));
  FLARE_ASSIGN(const uint64_t shared, SharedAt(heap, deoptimization, layout.deoptimization.shared));
  if (expected_shared != 0 && shared != expected_shared)
    return absl::NotFoundError("the code belongs to another function now");
  std::optional<V8Position> position;
  if (const auto table = heap.Pointer(code.object, layout.code.positions); table.ok()) {
    const auto bytes = heap.ByteArray(*table, kTableBytesMax);
    if (bytes.ok())
      position = FindV8Position(*bytes, offset, layout.position_format);
  }
  NamedFrame frame = {.type = kType};
  for (int i = 0; i < kInlinedMax && position.has_value() && position->inlining >= 0; ++i) {
    FLARE_ASSIGN(const InlinedCall call, InlinedCallAt(heap, deoptimization, position->inlining));
    if (call.function >= 0) {
      FLARE_ASSIGN(const uint64_t literals,
                   heap.ArrayPointer(deoptimization, layout.deoptimization.literals));
      FLARE_ASSIGN(const uint64_t inlined, SharedAt(heap, literals, call.function));
      FLARE_ASSIGN(const Function* function, FindFunction(heap, inlined, 0, 0));
      frame.functions.push_back(Located(heap, *function, position->script_offset));
    }
    position = DecodeV8Position(call.position);
  }
  FLARE_ASSIGN(const Function* function, FindFunction(heap, shared, 0, 0));
  const auto outer = position.has_value() ? std::optional(position->script_offset) : std::nullopt;
  frame.functions.push_back(Located(heap, *function, outer));
  return frame;
}

std::string V8Names::FunctionName(const V8Heap& heap, uint64_t shared,
                                  int32_t* start_offset) const {
  const auto object = heap.Pointer(shared, file_.layout.shared.name_or_scope);
  if (!object.ok())
    return "";  // no name: a Smi
  const auto type = heap.Type(*object);
  if (!type.ok())
    return "";
  if (*type < file_.layout.type.string_end)
    return heap.String(*object).value_or("");
  if (*type != file_.layout.type.scope_info)
    return "";
  const auto scope = ReadV8Scope(heap, *object);
  if (!scope.ok())
    return "";
  *start_offset = scope->start_offset;
  return scope->name.empty() ? scope->inferred_name : scope->name;
}

absl::StatusOr<const V8Names::Function*> V8Names::FindFunction(const V8Heap& heap, uint64_t shared,
                                                               uint32_t cookie, uint32_t mask) {
  std::array<char, bpf::V8_SHARED_BYTES> bytes = {};
  FLARE_RETURN_IF_ERROR(heap.Read(shared, bytes));
  const uint32_t now = V8Cookie(process_, bytes);
  if ((now & mask) != (cookie & mask))
    return absl::NotFoundError("the function has moved or is gone");
  if (const auto found = functions_.find(shared);
      found != functions_.end() && found->second->cookie == now)
    return found->second.get();
  FLARE_RETURN_IF_ERROR(heap.ExpectType(shared, file_.layout.type.shared));
  auto function = std::make_unique<Function>(Function{.shared = shared, .cookie = now});
  function->name = FunctionName(heap, shared, &function->start_offset);
  if (const auto script = heap.Pointer(shared, file_.layout.shared.script); script.ok()) {
    if (heap.ExpectType(*script, file_.layout.type.script).ok())
      function->script = *script;
  }
  if (functions_.size() >= limits_.functions_max)
    functions_.clear();
  return (functions_[shared] = std::move(function)).get();
}

NamedFunction V8Names::Located(const V8Heap& heap, const Function& function,
                               std::optional<int32_t> script_offset) {
  NamedFunction named = {.name = function.name.empty() ? std::string(kAnonymous) : function.name};
  if (function.script == 0)
    return named;
  const auto script = scripts_.Find(heap, function.script);
  if (!script.ok())
    return named;
  named.file = (*script)->file;
  named.start_line = (*script)->LineOf(function.start_offset).line;
  if (script_offset.has_value()) {
    const V8Line line = (*script)->LineOf(*script_offset);
    named.line = line.line;
    named.column = line.column;
  }
  if ((*script)->map != nullptr)
    ApplyMap(heap, function, **script, &named);
  return named;
}

void V8Names::ApplyMap(const V8Heap& heap, const Function& function, const V8Script& script,
                       NamedFunction* named) const {
  const V8Line start = script.LineOf(function.start_offset);
  GeneratedFunction generated = {.start = {.line = start.line, .column = start.column},
                                 .current = {.line = named->line, .column = named->column}};
  std::u16string text;
  if (const auto source = heap.Pointer(function.script, file_.layout.script.source);
      source.ok() && function.start_offset > 0) {
    const auto end = static_cast<size_t>(function.start_offset);
    const size_t count = std::min(end, kTextBeforeUnits);
    text = heap.Units(*source, {.begin = end - count, .count = count}).value_or(u"");
    if (text.size() == count)
      generated.text_before = text;
  }
  ApplySourceMap(*script.map, generated, named);
}

}  // namespace flarestack::record::runtime
