// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "base/status.h"
#include "record/runtime/naming/attached_runtime.h"
#include "record/runtime/naming/languages.h"
#include "record/runtime/python/python_file.h"
#include "record/runtime/python/python_names.h"
#include "record/runtime/python/python_process.h"

namespace flarestack::record::runtime {
namespace {

class PythonRuntime final : public AttachedRuntime {
 public:
  PythonRuntime(PythonProcess process, std::string version)
      : process_(std::move(process)), version_(std::move(version)) {}

  void Describe(bpf::runtime_process* process) const override {
    process->kinds |= bpf::RUNTIME_PYTHON;
    process->python = process_.kernel_side;
  }

  bpf::frame_kind frame_kind() const override { return bpf::FRAME_PYTHON; }

  agent::RuntimeIdentity identity() const override {
    return {.name = "cpython", .version = version_};
  }

  absl::StatusOr<NamedFrame> Name(const RawFrame& frame, agent::MemoryReader read) override {
    const auto instruction = static_cast<uint32_t>((frame.operand >> FRAME_INSTRUCTION_SHIFT) &
                                                   bpf::u64{FRAME_INSTRUCTION_MASK});
    return names_.Name(process_,
                       {.code = frame.word & FRAME_OBJECT_MASK,
                        .instruction = instruction,
                        .cookie = static_cast<uint32_t>(frame.operand)},
                       read);
  }

 private:
  PythonProcess process_;
  const std::string version_;
  PythonNames names_;
};

class PythonLanguageFile final : public LanguageFile {
 public:
  explicit PythonLanguageFile(PythonFile file) : file_(std::move(file)) {
    loops = file_.loops;
    handlers = file_.handlers;
  }

  absl::StatusOr<std::unique_ptr<AttachedRuntime>> Attach(
      const ProcessAndFile& process) const override {
    FLARE_ASSIGN(PythonProcess attached,
                 AttachPython(file_, process.bias, process.pid, process.read));
    return std::make_unique<PythonRuntime>(std::move(attached), file_.version);
  }

 private:
  PythonFile file_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const agent::RuntimeFile>> FindPython(const elf::ElfFile& file) {
  FLARE_ASSIGN(PythonFile python, ReadPythonFile(file));
  return std::make_shared<const PythonLanguageFile>(std::move(python));
}

}  // namespace flarestack::record::runtime
