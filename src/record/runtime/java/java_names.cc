// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_names.h"

#include <algorithm>
#include <vector>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "record/runtime/java/foreign_reader.h"

namespace flarestack::record::runtime {
namespace {

constexpr std::string_view kType = "jvm";
constexpr size_t kBlobNameBytesMax = 128;
constexpr uint64_t kStubBytesMax = 16384;
constexpr std::string_view kStubBlob = "StubRoutines";
constexpr std::string_view kCallStubReturn = "call_stub_return_address";

uint64_t AddressOf(const JavaWords& words) { return words[0] & JAVA_ADDRESS_MASK; }
uint32_t IdentityOf(const JavaWords& words) { return static_cast<uint32_t>(words[1]); }
uint32_t PositionOf(const JavaWords& words) {
  return static_cast<uint32_t>(words[1] >> JAVA_POSITION_SHIFT & JAVA_POSITION_MASK);
}

uint64_t Kind(uint64_t word) { return word >> FRAME_KIND_SHIFT; }

NamedFunction FunctionOf(const JavaMethod& method, int64_t bci) {
  NamedFunction function;
  function.name = method.name;
  function.file = method.file;
  function.start_line = method.lines.At(0);
  if (bci >= 0)
    function.line = method.lines.At(static_cast<uint32_t>(bci));
  return function;
}

// Returns whether a stub that begins with this code has ended: a return instruction is followed by
// padding, or by an address that code is aligned to.
bool EndsBefore(std::string_view code, uint64_t begin) {
#if defined(__x86_64__)
  constexpr std::string_view kReturn = "\xc3";
  constexpr std::string_view kPadding[] = {"\x90",     "\x66\x90", "\x0f\x1f", "\x66\x0f\x1f",
                                           "\x66\x66", "\xf4",     "\xcc"};
#else
  constexpr std::string_view kReturn = "\xc0\x03\x5f\xd6";
  constexpr std::string_view kPadding[] = {std::string_view("\x1f\x20\x03\xd5", 4)};
#endif
  for (size_t at = code.find(kReturn); at != std::string_view::npos;
       at = code.find(kReturn, at + 1)) {
    const std::string_view rest = code.substr(at + kReturn.size());
    if ((begin + code.size() - rest.size()) % 16 == 0)
      return true;
    for (const std::string_view padding : kPadding) {
      if (rest.substr(0, padding.size()) == padding)
        return true;
    }
  }
  return false;
}

absl::Status Replaced(uint64_t address) {
  return absl::NotFoundError(
      base::StrCat("the Java method at ", base::Hex(address), " has been replaced"));
}

}  // namespace

absl::StatusOr<NamedFrame> JavaNames::Name(agent::MemoryReader read, const JavaWords& words) {
  if (Kind(words[0]) != bpf::FRAME_JAVA || Kind(words[1]) != bpf::FRAME_OPERAND)
    return absl::InvalidArgumentError("not the words of a Java frame");
  if (const auto found = frames_.find(words); found != frames_.end())
    return found->second;
  absl::StatusOr<NamedFrame> named = absl::InvalidArgumentError("unknown kind of Java frame");
  switch (words[0] >> JAVA_KIND_SHIFT & JAVA_KIND_MASK) {
    case bpf::JAVA_INTERPRETED:
      named = Interpreted(read, words);
      break;
    case bpf::JAVA_COMPILED:
      named = Compiled(read, words);
      break;
    case bpf::JAVA_STUB:
      named = Stub(read, words);
      break;
    default:
      break;
  }
  FLARE_RETURN_IF_ERROR(named.status());
  if (frames_.size() >= limits_.frames_max)
    frames_.clear();
  frames_.emplace(words, *named);
  return named;
}

absl::StatusOr<const JavaMethod*> JavaNames::Method(agent::MemoryReader read, uint64_t address) {
  FLARE_ASSIGN(const uint32_t identity, ReadJavaMethodIdentity(process_, read, address));
  const std::pair key(address, identity);
  auto found = methods_.find(key);
  if (found == methods_.end()) {
    FLARE_ASSIGN(JavaMethod method, ReadJavaMethod(process_, read, address));
    if (method.identity != identity)
      return Replaced(address);
    if (methods_.size() >= limits_.methods_max)
      methods_.clear();
    found = methods_.emplace(key, std::move(method)).first;
  }
  return &found->second;
}

absl::StatusOr<NamedFrame> JavaNames::Interpreted(agent::MemoryReader read,
                                                  const JavaWords& words) {
  FLARE_ASSIGN(const JavaMethod* method, Method(read, AddressOf(words)));
  // An identity of 0 was unreadable at that time.
  if (IdentityOf(words) != 0 && method->identity != IdentityOf(words))
    return Replaced(AddressOf(words));
  const uint32_t bci = PositionOf(words);
  return NamedFrame{.type = kType,
                    .functions = {FunctionOf(*method, bci == JAVA_NO_BCI ? -1 : int64_t{bci})}};
}

absl::StatusOr<NamedFrame> JavaNames::Compiled(agent::MemoryReader read, const JavaWords& words) {
  const CompiledPosition position = {
      .nmethod = AddressOf(words),
      .compile_id = IdentityOf(words),
      .offset = PositionOf(words),
      .is_return_address = (words[1] & JAVA_RETURN_ADDRESS) != 0,
  };
  FLARE_ASSIGN(const std::vector<JavaScope> scopes, ReadJavaScopes(process_, read, position));
  NamedFrame frame = {.type = kType, .functions = {}};
  for (const JavaScope& scope : scopes) {
    FLARE_ASSIGN(const JavaMethod* method, Method(read, scope.method));
    frame.functions.push_back(FunctionOf(*method, scope.bci));
  }
  return frame;
}

absl::StatusOr<NamedFrame> JavaNames::Stub(agent::MemoryReader read, const JavaWords& words) {
  const bpf::java_process& frames = process_.frames;
  const uint64_t blob = AddressOf(words);
  const uint64_t pc = blob + PositionOf(words);
  if (blob == frames.interpreter)
    return NamedFrame{.type = kType, .functions = {{.name = "Interpreter", .file = ""}}};
  ForeignReader in(read);
  const auto name = in.Get<uint64_t>(blob + process_.layout.blob_name);
  const std::string text = in.Text(name, kBlobNameBytesMax);
  FLARE_RETURN_IF_ERROR(in.status());
  if (static_cast<uint32_t>(name ^ (name >> 32)) != IdentityOf(words) || text.empty())
    return absl::NotFoundError(base::StrCat("the stub at ", base::Hex(blob), " has been replaced"));
  return NamedFrame{
      .type = kType,
      .functions = {{.name = StubName(read, {.begin = blob, .name = base::ToValidUtf8(text)}, pc),
                     .file = ""}}};
}

// Many stubs share a blob; HotSpot lists where some of them begin.
std::string JavaNames::StubName(agent::MemoryReader read, const JavaStub& blob, uint64_t pc) const {
  const std::string& blob_name = blob.name;
  if (blob_name.rfind(kStubBlob, 0) != 0)
    return blob_name;
  const auto after =
      std::upper_bound(process_.stubs.begin(), process_.stubs.end(), pc,
                       [](uint64_t address, const JavaStub& stub) { return address < stub.begin; });
  if (after == process_.stubs.begin())
    return blob_name;
  const JavaStub& stub = *(after - 1);
  if (stub.begin < blob.begin)
    return blob_name;
  if (stub.name == kCallStubReturn)
    return pc == stub.begin ? "call_stub" : blob_name;
  // The stub may have ended: others, which are not listed, follow.
  ForeignReader in(read);
  if (pc - stub.begin > kStubBytesMax)
    return blob_name;
  const std::string code = in.Bytes(stub.begin, pc - stub.begin);
  return in.ok() && !EndsBefore(code, stub.begin) ? stub.name : blob_name;
}

}  // namespace flarestack::record::runtime
