// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/status.h"
#include "record/runtime/naming/attached_runtime.h"
#include "record/runtime/naming/languages.h"
#include "record/runtime/v8/v8_file.h"
#include "record/runtime/v8/v8_names.h"
#include "record/runtime/v8/v8_process.h"

namespace flarestack::record::runtime {
namespace {

class V8Runtime final : public AttachedRuntime {
 public:
  V8Runtime(const V8File& file, const bpf::v8_process& process)
      : process_(process), names_(file, process) {}

  void Describe(bpf::runtime_process* process) const override {
    process->kinds |= bpf::RUNTIME_V8;
    process->v8 = process_;
  }

  bpf::frame_kind frame_kind() const override { return bpf::FRAME_V8; }

  std::optional<uint64_t> PcOf(const RawFrame& frame) const override {
    return V8Names::PcOf({frame.word, frame.operand});
  }

  absl::StatusOr<NamedFrame> Name(const RawFrame& frame, agent::MemoryReader read) override {
    return names_.Name({frame.word, frame.operand},
                       {.read = read, .address_in_file = frame.address_in_file});
  }

 private:
  const bpf::v8_process process_;
  V8Names names_;
};

class V8LanguageFile final : public LanguageFile {
 public:
  V8LanguageFile(V8File file, const bpf::v8_process& process)
      : file_(std::move(file)), process_(process) {
    generated.push_back({.begin = file_.builtins_begin, .end = file_.builtins_end});
  }

  absl::StatusOr<std::unique_ptr<AttachedRuntime>> Attach(
      const ProcessAndFile& /*process*/) const override {
    return std::make_unique<V8Runtime>(file_, process_);
  }

 private:
  V8File file_;
  bpf::v8_process process_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindV8(const elf::ElfFile& file) {
  FLARE_ASSIGN(V8File v8, V8File::Read(file));
  FLARE_ASSIGN(const bpf::v8_process process, MakeV8Process(v8));
  return std::make_shared<const V8LanguageFile>(std::move(v8), process);
}

}  // namespace flarestack::record::runtime
