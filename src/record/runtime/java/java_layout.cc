// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_layout.h"

#include <string>
#include <string_view>

#include "base/text/text.h"

namespace flarestack::record::runtime {
namespace {

// Finds what is needed, and notes what is missing.
class Finder {
 public:
  explicit Finder(const VmStructs& structs) : structs_(structs) {}

  uint32_t Try(std::string_view type, std::string_view field) const {
    const auto offset = structs_.Offset(type, field);
    return offset.has_value() && *offset < kOffsetMax ? static_cast<uint32_t>(*offset)
                                                      : JavaLayout::kNone;
  }
  // In `type`, or in the type that has the field in other versions.
  uint32_t Try(std::string_view type, std::string_view other, std::string_view field) const {
    const uint32_t offset = Try(type, field);
    return offset != JavaLayout::kNone ? offset : Try(other, field);
  }
  uint32_t Get(std::string_view type, std::string_view field) {
    return Need(Try(type, field), base::StrCat(type, "::", field));
  }
  uint32_t Get(std::string_view type, std::string_view other, std::string_view field) {
    return Need(Try(type, other, field), base::StrCat(type, "::", field));
  }
  uint32_t Size(std::string_view type) {
    const auto bytes = structs_.Size(type);
    return Need(bytes.has_value() && *bytes < kOffsetMax ? static_cast<uint32_t>(*bytes)
                                                         : JavaLayout::kNone,
                base::StrCat("size of ", type));
  }
  uint32_t Need(uint32_t value, std::string_view what) {
    if (value == JavaLayout::kNone)
      missing_ += base::StrCat(missing_.empty() ? "" : ", ", what);
    return value;
  }
  const std::string& missing() const { return missing_; }

 private:
  static constexpr uint64_t kOffsetMax = 1 << 16;

  const VmStructs& structs_;
  std::string missing_;
};

void FindHeap(Finder& find, JavaLayout* layout) {
  layout->heap_memory = find.Get("CodeHeap", "_memory");
  layout->heap_segment_map = find.Get("CodeHeap", "_segmap");
  layout->heap_segment_shift = find.Get("CodeHeap", "_log2_segment_size");
  layout->block_length = find.Get("HeapBlock::Header", "_length");
  layout->space_low = find.Get("VirtualSpace", "_low");
  layout->space_high_boundary = find.Get("VirtualSpace", "_high_boundary");
  layout->array_length = find.Get("GrowableArrayBase", "GenericGrowableArray", "_len");
  layout->array_data = find.Get("GrowableArray<int>", "_data");
  layout->queue_buffer = find.Get("StubQueue", "_stub_buffer");
  layout->queue_limit = find.Get("StubQueue", "_buffer_limit");
  layout->codelet_size = find.Get("InterpreterCodelet", "_size");
  layout->codelet_description = find.Get("InterpreterCodelet", "_description");
}

void FindMethods(Finder& find, JavaLayout* layout) {
  layout->const_method_constants = find.Get("ConstMethod", "_constants");
  layout->const_method_flags = find.Need(find.Try("ConstMethod", "_flags") != JavaLayout::kNone
                                             ? find.Try("ConstMethod", "_flags")
                                             : find.Try("ConstMethod", "_flags._flags"),
                                         "ConstMethod::_flags");
  layout->const_method_name = find.Get("ConstMethod", "_name_index");
  layout->const_method_words = find.Get("ConstMethod", "_constMethod_size");
  layout->pool_holder = find.Get("ConstantPool", "_pool_holder");
  layout->pool_length = find.Get("ConstantPool", "_length");
  layout->pool_bytes = find.Size("ConstantPool");
  layout->pool_source = find.Try("ConstantPool", "_source_file_name_index");
  layout->class_source = find.Try("InstanceKlass", "_source_file_name_index");
  layout->class_name = find.Get("Klass", "_name");
  layout->symbol_length = find.Get("Symbol", "_length");
  layout->symbol_body = find.Get("Symbol", "_body");
}

void FindCompiled(Finder& find, JavaLayout* layout) {
  layout->blob_name = find.Get("CodeBlob", "_name");
  layout->blob_size = find.Get("CodeBlob", "_size");
  layout->nmethod_method = find.Get("nmethod", "CompiledMethod", "_method");
  layout->nmethod_compile_id = find.Get("nmethod", "_compile_id");
  layout->nmethod_pcs = find.Get("nmethod", "_scopes_pcs_offset");
  layout->nmethod_dependencies = find.Try("nmethod", "_dependencies_offset");
  layout->nmethod_scopes = find.Try("nmethod", "_scopes_data_offset");
  layout->nmethod_scopes_begin = find.Try("CompiledMethod", "_scopes_data_begin");
  layout->nmethod_metadata = find.Try("nmethod", "_metadata_offset");
  layout->nmethod_immutable = find.Try("nmethod", "_immutable_data");
  layout->nmethod_immutable_size = find.Try("nmethod", "_immutable_data_size");
  layout->blob_mutable = find.Try("CodeBlob", "_mutable_data");
  layout->blob_mutable_size = find.Try("CodeBlob", "_mutable_data_size");
  layout->blob_relocation_size = find.Try("CodeBlob", "_relocation_size");
  layout->nmethod_deoptimize = find.Try("nmethod", "_deopt_handler_offset");
  if (layout->nmethod_deoptimize == JavaLayout::kNone)
    layout->nmethod_deoptimize = find.Try("nmethod", "_deoptimize_offset");
  layout->nmethod_deoptimize_begin = find.Try("CompiledMethod", "_deopt_handler_begin");
}

// What BPF reads of a blob has to lie in its scratch memory.
uint8_t InBlob(Finder& find, uint32_t header_bytes, std::string_view field) {
  const uint32_t offset = header_bytes + find.Get("CodeBlob", field);
  if (offset > bpf::JAVA_BLOB_WORDS * 8 - 8)
    find.Need(JavaLayout::kNone, base::StrCat("CodeBlob::", field, " in its first bytes"));
  return static_cast<uint8_t>(offset);
}

uint16_t Short(uint32_t offset) { return static_cast<uint16_t>(offset); }

void FindFrames(Finder& find, int major, bpf::java_process* frames) {
  const uint32_t header_bytes = find.Size("HeapBlock");
  frames->block_header_bytes = static_cast<uint8_t>(header_bytes);
  frames->block_used = static_cast<uint8_t>(find.Get("HeapBlock::Header", "_used"));
  if (header_bytes > 64 || frames->block_used >= header_bytes)
    find.Need(JavaLayout::kNone, "HeapBlock of at most 64 bytes");
  frames->blob_name = InBlob(find, header_bytes, "_name");
  frames->blob_size = InBlob(find, header_bytes, "_size");
  frames->blob_header_size = InBlob(find, header_bytes, "_header_size");
  frames->blob_frame_complete = InBlob(find, header_bytes, "_frame_complete_offset");
  frames->blob_frame_size = InBlob(find, header_bytes, "_frame_size");
  if (find.Try("CodeBlob", "_code_begin") != JavaLayout::kNone) {
    frames->flags |= bpf::JAVA_CODE_IS_POINTER;
    frames->blob_code = InBlob(find, header_bytes, "_code_begin");
  } else {
    frames->blob_code = InBlob(find, header_bytes, "_code_offset");
  }
  frames->nmethod_bytes = Short(find.Size("nmethod"));
  frames->nmethod_compile_id = Short(header_bytes + find.Get("nmethod", "_compile_id"));
  if (find.Try("nmethod", "_verified_entry_point") != JavaLayout::kNone) {
    frames->flags |= bpf::JAVA_ENTRY_IS_POINTER;
    frames->nmethod_entry = Short(header_bytes + find.Get("nmethod", "_verified_entry_point"));
  } else {
    frames->nmethod_entry = Short(header_bytes + find.Get("nmethod", "_verified_entry_offset"));
  }
  frames->method_const = Short(find.Get("Method", "_constMethod"));
  frames->const_method_bytes = Short(find.Size("ConstMethod"));
  frames->const_method_code_size = Short(find.Get("ConstMethod", "_code_size"));
  // Slots of the interpreter's frames are not in HotSpot's tables. JDK 9 added the mirror, which
  // comes with a word of padding on arm64.
#if defined(__x86_64__)
  frames->interpreted_bcp = major == 8 ? 7 : 8;
#else
  frames->interpreted_bcp = major == 8 ? 7 : 9;
#endif
}

}  // namespace

absl::StatusOr<JavaLayout> MakeJavaLayout(const VmStructs& structs, int major) {
  if (major < kJavaMajorFirst) {
    return absl::UnimplementedError(
        base::StrCat("JDK ", major, " is not supported; JDK ", kJavaMajorFirst, " and later are"));
  }
  JavaLayout layout;
  Finder find(structs);
  FindHeap(find, &layout);
  FindMethods(find, &layout);
  FindCompiled(find, &layout);
  FindFrames(find, major, &layout.frames);
  if (!find.missing().empty()) {
    return absl::UnimplementedError(
        base::StrCat("the layout of JDK ", major, " is unknown: HotSpot does not describe ",
                     find.missing(), "; report this with the output of `java -version`"));
  }
  return layout;
}

}  // namespace flarestack::record::runtime
