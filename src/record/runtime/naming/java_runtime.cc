// SPDX-License-Identifier: Apache-2.0
#include <string_view>
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

  // As the properties java.runtime.name and java.runtime.version.
  agent::RuntimeIdentity identity() const override {
    const std::string_view text = process_.description;
    agent::RuntimeIdentity identity = {.name = "HotSpot", .version = process_.release};
    if (text.starts_with("OpenJDK "))
      identity.name = "OpenJDK Runtime Environment";
    else if (text.starts_with("Java HotSpot(TM) "))
      identity.name = "Java(TM) SE Runtime Environment";
    constexpr std::string_view kVersion = " JRE (";
    const size_t begin = text.find(kVersion);
    const size_t end = text.find(')', begin == std::string_view::npos ? 0 : begin);
    if (begin != std::string_view::npos && end != std::string_view::npos)
      identity.version = text.substr(begin + kVersion.size(), end - begin - kVersion.size());
    return identity;
  }

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
