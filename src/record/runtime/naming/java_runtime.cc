// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "base/status.h"
#include "record/runtime/java/java_file.h"
#include "record/runtime/java/java_names.h"
#include "record/runtime/java/java_process.h"
#include "record/runtime/naming/attached_runtime.h"
#include "record/runtime/naming/languages.h"

namespace flarestack::record::runtime {
namespace {

class JavaRuntime final : public AttachedRuntime {
 public:
  explicit JavaRuntime(JavaProcess process) : process_(std::move(process)), names_(process_) {}

  void Describe(bpf::runtime_process* process) const override {
    process->kinds |= bpf::RUNTIME_JAVA;
    process->java = process_.frames;
  }

  bpf::frame_kind frame_kind() const override { return bpf::FRAME_JAVA; }

  absl::StatusOr<NamedFrame> Name(const RawFrame& frame, agent::MemoryReader read) override {
    return names_.Name(read, {frame.word, frame.operand});
  }

 private:
  const JavaProcess process_;
  JavaNames names_;
};

class JavaLanguageFile final : public LanguageFile {
 public:
  explicit JavaLanguageFile(const VmTables& tables) : tables_(tables) {}

  absl::StatusOr<std::unique_ptr<AttachedRuntime>> Attach(
      const ProcessAndFile& process) const override {
    FLARE_ASSIGN(JavaProcess attached, AttachJava(process.read, tables_, process.bias));
    return std::make_unique<JavaRuntime>(std::move(attached));
  }

 private:
  VmTables tables_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindJava(const elf::ElfFile& file) {
  FLARE_ASSIGN(const VmTables tables, ReadJavaFile(file));
  return std::make_shared<const JavaLanguageFile>(tables);
}

}  // namespace flarestack::record::runtime
