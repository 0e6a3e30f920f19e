// SPDX-License-Identifier: Apache-2.0
#include "record/runtime/java/java_method.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/text/encoding.h"
#include "base/text/text.h"
#include "record/runtime/java/foreign_reader.h"

namespace flarestack::record::runtime {
namespace {

constexpr uint64_t kLineBytesMax = 65536;
constexpr uint16_t kHasLines = 1;  // in the flags of a ConstMethod
constexpr std::string_view kLambda = "$$Lambda";

absl::Status NotAMethod(uint64_t address) {
  return absl::InvalidArgumentError(base::StrCat("no Java method at ", base::Hex(address)));
}

bool IsDigits(std::string_view text, std::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

// As java_method_identity in bpf/java_step.h.
uint32_t IdentityOf(uint64_t const_method, uint32_t code_bytes) {
  return static_cast<uint32_t>(const_method >> 3) + code_bytes * 0x9e3779b1u;
}

class MethodReader {
 public:
  MethodReader(const JavaProcess& process, agent::MemoryReader read)
      : layout_(process.layout),
        without_zero_bytes_(process.major >= kJavaMajorWithoutZeroBytes),
        in_(read) {}

  absl::StatusOr<JavaMethod> Read(uint64_t address) {
    const bpf::java_process& frames = layout_.frames;
    const auto constant = in_.Get<uint64_t>(address + frames.method_const);
    const auto code_bytes = in_.Get<uint16_t>(constant + frames.const_method_code_size);
    pool_ = in_.Get<uint64_t>(constant + layout_.const_method_constants);
    pool_length_ = in_.Get<uint32_t>(pool_ + layout_.pool_length);
    const auto name = in_.Get<uint16_t>(constant + layout_.const_method_name);
    const auto holder = in_.Get<uint64_t>(pool_ + layout_.pool_holder);
    const auto class_name = in_.Get<uint64_t>(holder + layout_.class_name);
    if (!in_.ok() || (constant & 7) != 0 || (pool_ & 7) != 0)
      return NotAMethod(address);
    JavaMethod method;
    method.identity = IdentityOf(constant, code_bytes);
    const std::string class_text = JavaClassName(Symbol(class_name));
    const std::string method_text = base::ToValidUtf8(Entry(name));
    if (class_text.empty() || method_text.empty())
      return NotAMethod(address);
    method.name = base::StrCat(class_text, ".", method_text);
    method.file = base::ToValidUtf8(Entry(SourceIndex(holder)));
    method.lines = Lines(constant, code_bytes);
    FLARE_RETURN_IF_ERROR(in_.status());
    return method;
  }

 private:
  std::string Symbol(uint64_t address) {
    if (address == 0)
      return {};
    const auto length = in_.Get<uint16_t>(address + layout_.symbol_length);
    return in_.Bytes(address + layout_.symbol_body, std::min<size_t>(length, kJavaNameBytesMax));
  }

  // A symbol of the constant pool. The lowest bit of an entry may be a mark.
  std::string Entry(uint16_t index) {
    if (index == 0 || index >= pool_length_)
      return {};
    return Symbol(in_.Get<uint64_t>(pool_ + layout_.pool_bytes + 8u * index) & ~uint64_t{1});
  }

  uint16_t SourceIndex(uint64_t holder) {
    if (layout_.pool_source != JavaLayout::kNone)
      return in_.Get<uint16_t>(pool_ + layout_.pool_source);
    if (layout_.class_source != JavaLayout::kNone)
      return in_.Get<uint16_t>(holder + layout_.class_source);
    return 0;
  }

  // The table follows the bytecodes.
  JavaLines Lines(uint64_t constant, uint64_t code_bytes) {
    const auto flags = in_.Get<uint16_t>(constant + layout_.const_method_flags);
    const auto words = in_.Get<uint32_t>(constant + layout_.const_method_words);
    const uint64_t begin = layout_.frames.const_method_bytes + code_bytes;
    if (!in_.ok() || (flags & kHasLines) == 0 || 8ull * words <= begin)
      return {};
    return {in_.Bytes(constant + begin, std::min<uint64_t>(8ull * words - begin, kLineBytesMax)),
            without_zero_bytes_};
  }

  const JavaLayout& layout_;
  bool without_zero_bytes_;
  ForeignReader in_;
  uint64_t pool_ = 0;
  uint32_t pool_length_ = 0;
};

}  // namespace

std::string JavaClassName(std::string_view internal) {
  // Hidden classes end in "+0x" and an address, or, before JDK 15, in "/" and a number.
  if (const size_t mark = internal.find_last_of("+/"); mark != std::string_view::npos && mark > 0) {
    std::string_view suffix = internal.substr(mark + 1);
    const bool is_address = suffix.substr(0, 2) == "0x";
    if (is_address)
      suffix.remove_prefix(2);
    if (IsDigits(suffix, is_address ? "0123456789abcdef" : "0123456789"))
      internal = internal.substr(0, mark);
  }
  // Lambdas of one class are numbered in the order of their first use.
  if (const size_t mark = internal.rfind(kLambda); mark != std::string_view::npos) {
    const std::string_view suffix = internal.substr(mark + kLambda.size());
    if (suffix.substr(0, 1) == "$" && IsDigits(suffix.substr(1), "0123456789"))
      internal = internal.substr(0, mark + kLambda.size());
  }
  std::string name = base::ToValidUtf8(internal);
  std::replace(name.begin(), name.end(), '/', '.');
  return name;
}

absl::StatusOr<uint32_t> ReadJavaMethodIdentity(const JavaProcess& process,
                                                agent::MemoryReader read, uint64_t address) {
  const bpf::java_process& frames = process.frames;
  ForeignReader in(read);
  const auto constant = in.Get<uint64_t>(address + frames.method_const);
  const auto code_bytes = in.Get<uint16_t>(constant + frames.const_method_code_size);
  FLARE_RETURN_IF_ERROR(in.status());
  return IdentityOf(constant, code_bytes);
}

absl::StatusOr<JavaMethod> ReadJavaMethod(const JavaProcess& process, agent::MemoryReader read,
                                          uint64_t address) {
  return MethodReader(process, read).Read(address);
}

}  // namespace flarestack::record::runtime
