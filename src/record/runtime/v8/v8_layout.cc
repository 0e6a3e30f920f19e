// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/v8/v8_layout.h"

#include <initializer_list>
#include <string>
#include <vector>

#include "base/status.h"

namespace flarestack::record::runtime {
namespace {

// What the symbols of a version lack, or what only some builds of it have.
struct KnownVersion {
  uint32_t major;
  uint32_t minor;
  V8Layout::Code code;
  V8Layout::Bytecode bytecode;
  V8Layout::Deoptimization deoptimization;
  V8Layout::Scope scope;
  V8PositionFormat position_format = V8PositionFormat::kSigned;
};

// Node.js 16, 18, 20, 22, 24 and 26.
constexpr KnownVersion kVersions[] = {
    {.major = 9,
     .minor = 4,
     .code = {.deoptimization = 16,
              .positions = 24,
              .size = 40,
              .flags = 48,
              .header_bytes = 96,
              .kind_mask = 15,
              .kind_baseline = 11},
     .bytecode = {.positions = 32, .header_bytes = 54},
     .deoptimization = {.inlined_count = 1, .literals = 2, .shared = 6, .positions = 7},
     .scope = {.names_inlined_max = 1 << 20, .first_variable = 3, .has_receiver = true}},
    {.major = 10,
     .minor = 2,
     .code = {.deoptimization = 16,
              .positions = 24,
              .size = 40,
              .flags = 48,
              .header_bytes = 128,
              .kind_mask = 15,
              .kind_baseline = 11},
     .bytecode = {.positions = 32, .header_bytes = 56},
     .deoptimization = {.inlined_count = 1, .literals = 2, .shared = 6, .positions = 7},
     .scope = {.names_inlined_max = 75, .first_variable = 3}},
    {.major = 11,
     .minor = 3,
     .code = {.deoptimization = 16,
              .positions = 24,
              .start = 40,
              .size = 56,
              .flags = 48,
              .header_bytes = 16,
              .header_code = 8,
              .kind_mask = 15,
              .kind_baseline = 11},
     .bytecode = {.positions = 32, .header_bytes = 54},
     .deoptimization = {.inlined_count = 1, .literals = 2, .shared = 6, .positions = 7},
     .scope = {.names_inlined_max = 75, .first_variable = 3}},
    {.major = 12,
     .minor = 4,
     .code = {.deoptimization = 8,
              .positions = 16,
              .start = 40,
              .size = 52,
              .flags = 48,
              .header_bytes = 32,
              .header_code = 8,
              .kind_mask = 15,
              .kind_baseline = 10},
     .bytecode = {.positions = 24, .header_bytes = 64},
     .deoptimization = {.inlined_count = 1, .literals = 2, .shared = 6, .positions = 7},
     .scope = {.names_inlined_max = 75, .first_variable = 3, .has_early_module_count = true}},
    {.major = 13,
     .minor = 6,
     .code = {.deoptimization = 8,
              .positions = 16,
              .start = 40,
              .size = 56,
              .flags = 52,
              .header_bytes = 32,
              .header_code = 8,
              .kind_mask = 15,
              .kind_baseline = 10},
     .bytecode = {.positions = 24, .header_bytes = 64},
     .deoptimization = {.inlined_count = 1, .literals = 3, .shared = 7, .positions = 8},
     .scope = {.names_inlined_max = 75,
               .first_variable = 5,
               .has_plain_flags = true,
               .has_early_positions = true,
               .has_early_module_count = true}},
    {.major = 14,
     .minor = 6,
     .code = {.deoptimization = 8,
              .positions = 16,
              .start = 40,
              .size = 56,
              .flags = 52,
              .header_bytes = 32,
              .header_code = 8,
              .kind_mask = 15,
              .kind_baseline = 11},
     .bytecode = {.positions = 24, .header_bytes = 64},
     .deoptimization = {.inlined_count = 1, .literals = 3, .shared = 7, .positions = 8},
     .scope = {.names_inlined_max = 75,
               .first_variable = 5,
               .has_plain_flags = true,
               .has_early_positions = true,
               .has_early_module_count = true},
     .position_format = V8PositionFormat::kFlags},
};

constexpr int32_t kObjectBytesMax = 4096;

class LayoutMaker {
 public:
  explicit LayoutMaker(const V8Constants& constants) : constants_(constants) {}

  // Returns the constant with the first of these names that exists, or the fallback.
  int32_t Get(std::initializer_list<std::string_view> names, int32_t fallback) const {
    for (const std::string_view name : names) {
      if (const auto found = constants_.find(name); found != constants_.end())
        return found->second;
    }
    return fallback;
  }

  // Notes a missing or implausible constant.
  int32_t Need(std::initializer_list<std::string_view> names) {
    const int32_t value = Get(names, -kObjectBytesMax);
    if (value <= -kObjectBytesMax || value > kObjectBytesMax)
      missing_.emplace_back(*names.begin());
    return value;
  }

  const std::vector<std::string>& missing() const { return missing_; }

 private:
  const V8Constants& constants_;
  std::vector<std::string> missing_;
};

void ReadFrames(LayoutMaker* maker, V8Layout* layout) {
  layout->frame = {
      .context = maker->Get({"off_fp_context_or_frame_type", "off_fp_context"}, -8),
      .function = maker->Get({"off_fp_function"}, -16),
      .bytecode_array = maker->Get({"off_fp_bytecode_array"}, -32),
      .bytecode_offset = maker->Get({"off_fp_bytecode_offset"}, -40),
      .entry_type = maker->Get({"frametype_EntryFrame"}, 1),
      .construct_entry_type = maker->Get({"frametype_ConstructEntryFrame"}, 2),
  };
}

void ReadTypes(LayoutMaker* maker, bool has_stream, V8Layout* layout) {
  V8Layout::Type& type = layout->type;
  const int32_t function = maker->Need({"type_JSFunction__JS_FUNCTION_TYPE"});
  type.function_first = maker->Get({"FirstJSFunctionType"}, function);
  // Subclasses for constructors of builtin classes follow.
  type.function_last = maker->Get({"LastJSFunctionType"}, function + 16);
  type.shared = maker->Need({"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE"});
  type.script = maker->Need({"type_Script__SCRIPT_TYPE"});
  type.scope_info = maker->Need({"type_ScopeInfo__SCOPE_INFO_TYPE"});
  type.bytecode_array = maker->Need({"type_BytecodeArray__BYTECODE_ARRAY_TYPE"});
  type.code = maker->Need({"type_Code__CODE_TYPE"});
  type.code_header =
      has_stream ? maker->Need({"type_InstructionStream__INSTRUCTION_STREAM_TYPE"}) : type.code;
  type.interpreter_data = maker->Get({"type_InterpreterData__INTERPRETER_DATA_TYPE"}, -1);
  type.baseline_data = maker->Get({"type_BaselineData__BASELINE_DATA_TYPE"}, -1);
  type.shared_wrapper =
      maker->Get({"type_SharedFunctionInfoWrapper__SHARED_FUNCTION_INFO_WRAPPER_TYPE"}, -1);
  type.string_end = maker->Need({"FirstNonstringType"});
}

void ReadStrings(LayoutMaker* maker, V8Layout* layout) {
  layout->string = {
      .representation_mask = maker->Get({"StringRepresentationMask"}, 7),
      .cons_tag = maker->Get({"ConsStringTag"}, 1),
      .external_tag = maker->Get({"ExternalStringTag"}, 2),
      .sliced_tag = maker->Get({"SlicedStringTag"}, 3),
      .thin_tag = maker->Get({"ThinStringTag"}, 5),
      .one_byte_tag = maker->Get({"OneByteStringTag"}, 8),
      .length = maker->Need({"class_String__length__int32_t"}),
      .chars = maker->Need({"class_SeqOneByteString__chars__char"}),
      .cons_first = maker->Need({"class_ConsString__first__String"}),
      .cons_second = maker->Need({"class_ConsString__second__String"}),
      .sliced_parent = maker->Need({"class_SlicedString__parent__String"}),
      .sliced_offset = maker->Need({"class_SlicedString__offset__SMI"}),
      .thin_actual = maker->Need({"class_ThinString__actual__String"}),
      .external_resource = maker->Need({"class_ExternalString__resource__Object"}),
  };
}

void ReadFunctions(LayoutMaker* maker, V8Layout* layout) {
  V8Layout::Shared& shared = layout->shared;
  shared.name_or_scope =
      maker->Need({"class_SharedFunctionInfo__name_or_scope_info__Object",
                   "class_SharedFunctionInfo__name_or_scope_info__Tagged_Object_",
                   "class_SharedFunctionInfo__name_or_scope_info__Tagged_"
                   "NameOrScopeInfoT_"});
  shared.data = 8;  // the first field
  shared.script = maker->Need({"class_SharedFunctionInfo__script_or_debug_info__HeapObject",
                               "class_SharedFunctionInfo__script__Tagged_HeapObject_"});
  shared.length = maker->Need({"class_SharedFunctionInfo__length__uint16_t"});
  shared.literal_id = maker->Need({"class_SharedFunctionInfo__flags__int"}) + 4;
  layout->function_shared = maker->Need({"class_JSFunction__shared__SharedFunctionInfo"});
  layout->map_instance_type = maker->Need({"class_Map__instance_type__uint16_t"});
  layout->array_length = maker->Get({"class_FixedArrayBase__length__SMI"}, 8);
  layout->array_data = maker->Get({"class_FixedArray__data__uintptr_t"}, 16);
  layout->script = {
      .source = maker->Get({"class_Script__source__Object"}, 8),
      .name = maker->Need({"class_Script__name__Object"}),
      .line_offset = 24,
      .column_offset = 32,
      .line_ends = maker->Need({"class_Script__line_ends__Object"}),
  };
}

}  // namespace

absl::StatusOr<V8Layout> MakeV8Layout(const V8Version& version, const V8Constants& constants) {
  const KnownVersion* known = nullptr;
  for (const KnownVersion& candidate : kVersions) {
    if (candidate.major == version.major && candidate.minor == version.minor)
      known = &candidate;
  }
  if (known == nullptr) {
    return absl::UnimplementedError(
        base::StrCat("V8 ", version.Text(),
                     " has an object layout that is not known; Node.js 16 (from 16.9), "
                     "18, 20, 22, 24 and 26 with V8 9.4, 10.2, 11.3, 12.4, 13.6 and 14.6 are"));
  }
  LayoutMaker maker(constants);
  V8Layout layout = {.scope = known->scope,
                     .code = known->code,
                     .bytecode = known->bytecode,
                     .deoptimization = known->deoptimization,
                     .position_format = known->position_format};
  ReadFrames(&maker, &layout);
  ReadTypes(&maker, known->code.header_code != 0, &layout);
  ReadStrings(&maker, &layout);
  ReadFunctions(&maker, &layout);
  layout.code.header_bytes = maker.Get({"class_InstructionStream__instruction_start__uintptr_t",
                                        "class_Code__instruction_start__uintptr_t"},
                                       known->code.header_bytes);
  layout.code.kind_baseline = maker.Get({"CodeKindBaseline"}, known->code.kind_baseline);
  layout.code.kind_mask = maker.Get({"CodeKindFieldMask"}, known->code.kind_mask);
  layout.bytecode.header_bytes =
      maker.Get({"class_BytecodeArray__data__uintptr_t"}, known->bytecode.header_bytes);
  if (!maker.missing().empty()) {
    return absl::InvalidArgumentError(base::StrCat("V8 ", version.Text(), " without symbol v8dbg_",
                                                   maker.missing().front(), " (",
                                                   maker.missing().size(),
                                                   " are missing): a build with "
                                                   "v8_postmortem_support has them"));
  }
  return layout;
}

}  // namespace flarestack::record::runtime
