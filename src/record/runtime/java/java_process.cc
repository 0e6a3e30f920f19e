// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_process.h"

#include <algorithm>
#include <string_view>

#include "base/status.h"
#include "base/text/text.h"
#include "record/runtime/java/foreign_reader.h"

namespace flarestack::record::runtime {
namespace {

using base::StrCat;

constexpr size_t kReleaseBytesMax = 128;
constexpr size_t kVmDescriptionBytesMax = 512;
constexpr uint64_t kHeapBytesMax = uint64_t{4} << 30;  // HotSpot allows 2 GiB
constexpr uint32_t kInterpreterBytesMax = 16 << 20;
constexpr int kCodeletsMax = 4096;
constexpr int kBlobsMax = 4096;
constexpr std::string_view kAdapterName = "I2C/C2I adapters";
constexpr size_t kDescriptionBytesMax = 64;
constexpr uint32_t kSegmentShiftMax = 16;

// Routines that HotSpot lists; which of them exist depends on the version and on the CPU.
constexpr std::string_view kStubs[] = {
    "_call_stub_return_address",
    "_aescrypt_encryptBlock",
    "_aescrypt_decryptBlock",
    "_cipherBlockChaining_encryptAESCrypt",
    "_cipherBlockChaining_decryptAESCrypt",
    "_electronicCodeBook_encryptAESCrypt",
    "_electronicCodeBook_decryptAESCrypt",
    "_counterMode_AESCrypt",
    "_galoisCounterMode_AESCrypt",
    "_ghash_processBlocks",
    "_chacha20Block",
    "_base64_encodeBlock",
    "_base64_decodeBlock",
    "_poly1305_processBlocks",
    "_updateBytesCRC32",
    "_updateBytesCRC32C",
    "_updateBytesAdler32",
    "_multiplyToLen",
    "_squareToLen",
    "_bigIntegerRightShiftWorker",
    "_bigIntegerLeftShiftWorker",
    "_mulAdd",
    "_dexp",
    "_dlog",
    "_dlog10",
    "_dpow",
    "_fmod",
    "_dsin",
    "_dcos",
    "_dtan",
    "_vectorizedMismatch",
    "_jbyte_arraycopy",
    "_jshort_arraycopy",
    "_jint_arraycopy",
    "_jlong_arraycopy",
    "_oop_arraycopy",
    "_oop_arraycopy_uninit",
    "_jbyte_disjoint_arraycopy",
    "_jshort_disjoint_arraycopy",
    "_jint_disjoint_arraycopy",
    "_jlong_disjoint_arraycopy",
    "_oop_disjoint_arraycopy",
    "_oop_disjoint_arraycopy_uninit",
    "_checkcast_arraycopy",
    "_checkcast_arraycopy_uninit",
    "_unsafe_arraycopy",
    "_generic_arraycopy",
};

absl::Status Starting(std::string_view what) {
  return absl::UnavailableError(StrCat("HotSpot has not started yet: ", what));
}

absl::Status Corrupt(std::string_view what) {
  return absl::InvalidArgumentError(StrCat("HotSpot's memory is inconsistent: ", what));
}

class Attachment {
 public:
  Attachment(agent::MemoryReader read, const VmStructs& structs)
      : read_(read), in_(read), structs_(structs) {}

  absl::StatusOr<JavaProcess> Run() {
    FLARE_RETURN_IF_ERROR(FindVersion());
    FLARE_ASSIGN(process_.layout, MakeJavaLayout(structs_, process_.major));
    process_.frames = process_.layout.frames;
    FLARE_RETURN_IF_ERROR(FindHeaps());
    FLARE_RETURN_IF_ERROR(FindInterpreter());
    FindMethodEntries();
    FindAdapters();
    FindContinuations();
    FindStubs();
    FLARE_RETURN_IF_ERROR(in_.status());
    return std::move(process_);
  }

 private:
  const JavaLayout& layout() const { return process_.layout; }

  template <typename T>
  T Static(std::string_view type, std::string_view field) {
    const auto address = structs_.Address(type, field);
    return address.has_value() ? in_.Get<T>(*address) : T{};
  }

  absl::Status FindVersion() {
    // HotSpot of JDK 8 has its own version, 25, and a single heap.
    process_.major = structs_.Address("CodeCache", "_heap").has_value()
                         ? 8
                         : Static<int32_t>("Abstract_VM_Version", "_vm_major_version");
    const auto release = Static<uint64_t>("Abstract_VM_Version", "_s_vm_release");
    if (release != 0)
      process_.release = in_.Text(release, kReleaseBytesMax);
    const auto description = Static<uint64_t>("Abstract_VM_Version", "_s_internal_vm_info_string");
    if (description != 0)
      process_.description = in_.Text(description, kVmDescriptionBytesMax);
    FLARE_RETURN_IF_ERROR(in_.status());
    return process_.major == 0 ? Starting("no version") : absl::OkStatus();
  }

  absl::Status FindHeaps() {
    if (process_.major == 8) {
      const auto heap = Static<uint64_t>("CodeCache", "_heap");
      return heap == 0 ? Starting("no code cache") : AddHeap(0, heap);
    }
    const auto heaps = Static<uint64_t>("CodeCache", "_heaps");
    if (heaps == 0)
      return Starting("no code cache");
    const auto count = in_.Get<int32_t>(heaps + layout().array_length);
    const auto data = in_.Get<uint64_t>(heaps + layout().array_data);
    FLARE_RETURN_IF_ERROR(in_.status());
    if (count <= 0 || data == 0)
      return Starting("no code heaps");
    if (count > bpf::JAVA_HEAPS_MAX)
      return Corrupt(StrCat(count, " code heaps"));
    for (int i = 0; i < count; ++i) {
      FLARE_RETURN_IF_ERROR(AddHeap(i, in_.Get<uint64_t>(data + 8 * static_cast<uint64_t>(i))));
    }
    return in_.status();
  }

  absl::Status AddHeap(int index, uint64_t heap) {
    const uint64_t memory = heap + layout().heap_memory;
    bpf::java_heap& added = process_.frames.heaps[index];
    added.begin = in_.Get<uint64_t>(memory + layout().space_low);
    added.end = in_.Get<uint64_t>(memory + layout().space_high_boundary);
    added.segment_map = in_.Get<uint64_t>(heap + layout().heap_segment_map + layout().space_low);
    const auto shift = in_.Get<uint32_t>(heap + layout().heap_segment_shift);
    FLARE_RETURN_IF_ERROR(in_.status());
    if (added.begin == 0 || added.segment_map == 0)
      return Starting("an empty code heap");
    if (added.end <= added.begin || added.end - added.begin > kHeapBytesMax ||
        shift > kSegmentShiftMax || (index > 0 && shift != process_.frames.segment_shift)) {
      return Corrupt(
          StrCat("code heap of ", added.end - added.begin, " bytes with segments of 2^", shift));
    }
    process_.frames.segment_shift = static_cast<uint8_t>(shift);
    return absl::OkStatus();
  }

  absl::Status FindInterpreter() {
    const auto queue = Static<uint64_t>("AbstractInterpreter", "_code");
    if (queue == 0)
      return Starting("no interpreter");
    process_.frames.interpreter = in_.Get<uint64_t>(queue + layout().queue_buffer);
    process_.frames.interpreter_bytes = in_.Get<uint32_t>(queue + layout().queue_limit);
    FLARE_RETURN_IF_ERROR(in_.status());
    if (process_.frames.interpreter_bytes == 0)
      return Starting("an empty interpreter");
    if (process_.frames.interpreter_bytes > kInterpreterBytesMax)
      return Corrupt(StrCat("interpreter of ", process_.frames.interpreter_bytes, " bytes"));
    return absl::OkStatus();
  }

  static void Extend(uint32_t at, uint32_t bytes, uint32_t* begin, uint32_t* end) {
    if (*end == 0)
      *begin = at;
    *end = at + bytes;
  }

  // The code that enters methods is one of the interpreter's parts, or several in a row.
  void FindMethodEntries() {
    ForeignReader in(read_);
    bpf::java_process& frames = process_.frames;
    uint32_t at = 0;
    for (int i = 0; i < kCodeletsMax && at < frames.interpreter_bytes && in.ok(); ++i) {
      const uint64_t codelet = frames.interpreter + at;
      const auto bytes = in.Get<uint32_t>(codelet + layout().codelet_size);
      const auto description = in.Get<uint64_t>(codelet + layout().codelet_description);
      if (bytes == 0 || bytes > frames.interpreter_bytes - at || description == 0)
        return;
      const std::string text = in.Text(description, kDescriptionBytesMax);
      if (text.find("method entry point") != std::string::npos)
        Extend(at, bytes, &frames.entries_begin, &frames.entries_end);
      if (text.find("java_lang_math") != std::string::npos)
        Extend(at, bytes, &frames.intrinsics_begin, &frames.intrinsics_end);
      at += bytes;
    }
  }

  // Adapters are among the first blobs of their heap. All have the same name, at one address. The
  // unused end of a heap may be unreadable.
  void FindAdapters() {
    for (const bpf::java_heap& heap : process_.frames.heaps) {
      ForeignReader in(read_);
      uint64_t block = heap.begin;
      uint64_t name = 0;
      for (int i = 0; i < kBlobsMax && block < heap.end && in.ok(); ++i) {
        const auto segments = in.Get<uint32_t>(block + layout().block_length);
        const bool is_used = in.Get<uint8_t>(block + process_.frames.block_used) != 0;
        const auto previous = name;
        name = is_used ? in.Get<uint64_t>(block + process_.frames.blob_name) : 0;
        if (segments == 0)
          break;
        if (name != 0 && name != previous && in.Text(name, kAdapterName.size()) == kAdapterName) {
          process_.frames.adapter_identity = static_cast<uint32_t>(name ^ (name >> 32));
          return;
        }
        block += uint64_t{segments} << process_.frames.segment_shift;
      }
    }
  }

  void FindContinuations() {
    process_.frames.continuation_return = Static<uint64_t>("ContinuationEntry", "_return_pc");
  }

  void FindStubs() {
    process_.frames.call_return = Static<uint64_t>("StubRoutines", "_call_stub_return_address");
    for (const std::string_view field : kStubs) {
      const auto address = Static<uint64_t>("StubRoutines", field);
      if (address != 0)
        process_.stubs.push_back({.begin = address, .name = std::string(field.substr(1))});
    }
    std::sort(process_.stubs.begin(), process_.stubs.end(),
              [](const JavaStub& a, const JavaStub& b) { return a.begin < b.begin; });
  }

  agent::MemoryReader read_;
  ForeignReader in_;
  const VmStructs& structs_;
  JavaProcess process_;
};

}  // namespace

absl::StatusOr<JavaProcess> AttachJava(agent::MemoryReader read, const VmTables& tables,
                                       uint64_t bias) {
  FLARE_ASSIGN(const VmStructs structs, VmStructs::Read(read, tables, bias));
  return AttachJava(read, structs);
}

absl::StatusOr<JavaProcess> AttachJava(agent::MemoryReader read, const VmStructs& structs) {
  return Attachment(read, structs).Run();
}

}  // namespace flarestack::record::runtime
