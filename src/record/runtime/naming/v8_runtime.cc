// SPDX-License-Identifier: Apache-2.0
#include <string>
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
  V8Runtime(const V8File& file, const bpf::v8_process& process, agent::RuntimeIdentity identity,
            MapFinder find_map)
      : process_(process),
        identity_(std::move(identity)),
        names_(file, process, std::move(find_map)) {}

  void Describe(bpf::runtime_process* process) const override {
    process->kinds |= bpf::RUNTIME_V8;
    process->v8 = process_;
  }

  bpf::frame_kind frame_kind() const override { return bpf::FRAME_V8; }

  agent::RuntimeIdentity identity() const override { return identity_; }

  std::optional<uint64_t> PcOf(const RawFrame& frame) const override {
    return V8Names::PcOf({frame.word, frame.operand});
  }

  absl::StatusOr<NamedFrame> Name(const RawFrame& frame, agent::MemoryReader read) override {
    return names_.Name({frame.word, frame.operand},
                       {.read = read, .address_in_file = frame.address_in_file});
  }

 private:
  const bpf::v8_process process_;
  const agent::RuntimeIdentity identity_;
  V8Names names_;
};

// Returns the version of Node.js; empty in other programs.
std::string ReadNodeVersion(const V8File& file, const ProcessAndFile& process) {
  if (file.node_version == 0)
    return {};
  struct {
    uint64_t text = 0;
    uint64_t bytes = 0;
  } string;  // as libstdc++ keeps it
  const uint64_t address = file.node_version + process.bias;
  constexpr uint64_t kBytesMax = 32;
  std::string version;
  if (!process.read(address, {reinterpret_cast<char*>(&string), sizeof(string)}).ok() ||
      string.bytes > kBytesMax)
    return {};
  version.resize(string.bytes);
  if (!process.read(string.text, version).ok() ||
      version.find_first_not_of("0123456789.abcdefghijklmnopqrstuvwxyz-+") != std::string::npos)
    return {};
  return version;
}

class V8LanguageFile final : public LanguageFile {
 public:
  V8LanguageFile(V8File file, const bpf::v8_process& process)
      : file_(std::move(file)), process_(process) {
    generated.push_back({.begin = file_.builtins_begin, .end = file_.builtins_end});
  }

  absl::StatusOr<std::unique_ptr<AttachedRuntime>> Attach(
      const ProcessAndFile& process) const override {
    agent::RuntimeIdentity identity = {.name = "nodejs",
                                       .version = ReadNodeVersion(file_, process)};
    if (file_.node_version == 0)
      identity = {.name = "v8", .version = file_.version.Text()};
    const auto find_map = [pid = process.pid, &maps = process.source_maps](const V8Script& script) {
      return maps.Find(pid, script);
    };
    return std::make_unique<V8Runtime>(file_, process_, std::move(identity), find_map);
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
