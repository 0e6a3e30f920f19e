// SPDX-License-Identifier: Apache-2.0
#include "record/process/context/process_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "record/testing/context_publisher.h"

namespace flarestack::record::agent {
namespace {

using testing::ContextMessage;
using testing::ContextPublisher;
using ::testing::ElementsAre;

std::string Cart(const std::string& version) {
  return ContextMessage{.resource = {{"service.name", "cart"}, {"service.version", version}},
                        .extra = {{"threadlocal.schema_version", "tlsdesc_v1_dev"}},
                        .thread_keys = {"http.route", "user.id"}}
      .Encode();
}

TEST(ProcessContextTest, ReadsItsOwnPublication) {
  const ContextPublisher publisher(Cart("1"), ContextPublisher::Memory::kMemfd);
  const auto context = ReadProcessContext(getpid());
  ASSERT_TRUE(context.ok()) << context.status();
  ASSERT_TRUE(context->has_value());
  EXPECT_EQ((*context)->service_name(), "cart");
  EXPECT_EQ((*context)->ResourceText("service.version"), "1");
  EXPECT_EQ((*context)->ResourceText("service.instance.id"), "");
  EXPECT_EQ((*context)->resource_attributes().size(), 2u);
  EXPECT_EQ((*context)->extra_attributes().size(), 2u);
  EXPECT_EQ((*context)->thread_schema_version(), "tlsdesc_v1_dev");
  EXPECT_THAT((*context)->ThreadKeys(), ElementsAre("http.route", "user.id"));
  EXPECT_EQ((*context)->published_at_ns, publisher.published_at_ns());
  EXPECT_EQ((*context)->header_address, publisher.address());
}

TEST(ProcessContextTest, FindsAnonymousMemoryByItsName) {
  const ContextPublisher publisher(Cart("1"), ContextPublisher::Memory::kAnonymous);
  const auto context = ReadProcessContext(getpid());
  if (!publisher.is_named()) {
    EXPECT_EQ(context.status().code(), absl::StatusCode::kNotFound);
    GTEST_SKIP() << "the kernel has no names for anonymous memory (CONFIG_ANON_VMA_NAME)";
  }
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_EQ((*context)->service_name(), "cart");
}

TEST(ProcessContextTest, DoesNotRereadAnUnchangedPublication) {
  ContextPublisher publisher(Cart("1"), ContextPublisher::Memory::kMemfd);
  const KnownContext known = {.header_address = publisher.address(),
                              .published_at_ns = publisher.published_at_ns()};
  auto again = ReadProcessContext(getpid(), known);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_FALSE(again->has_value());
  publisher.Update(Cart("2"));
  again = ReadProcessContext(getpid(), known);
  ASSERT_TRUE(again.ok() && again->has_value()) << again.status();
  EXPECT_EQ((*again)->ResourceText("service.version"), "2");
}

TEST(ProcessContextTest, FindsANewAddressAfterTheKnownOneIsGone) {
  const ContextPublisher publisher(Cart("1"), ContextPublisher::Memory::kMemfd);
  const auto context = ReadProcessContext(getpid(), {.header_address = 4096, .published_at_ns = 1});
  ASSERT_TRUE(context.ok() && context->has_value()) << context.status();
  EXPECT_EQ((*context)->service_name(), "cart");
}

TEST(ProcessContextTest, DoesNotReadAContextDuringAChange) {
  ContextPublisher publisher(Cart("1"), ContextPublisher::Memory::kMemfd);
  publisher.BeginUpdate();
  EXPECT_EQ(ReadProcessContext(getpid()).status().code(), absl::StatusCode::kUnavailable);
  publisher.FinishUpdate(Cart("2"));
  EXPECT_TRUE(ReadProcessContext(getpid()).ok());
}

TEST(ProcessContextTest, ChildOfAForkHasNone) {
  const ContextPublisher publisher(Cart("1"), ContextPublisher::Memory::kMemfd);
  int gate[2];
  ASSERT_EQ(pipe(gate), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    char byte = 0;
    close(gate[1]);
    _exit(read(gate[0], &byte, 1) == 0 ? 0 : 1);
  }
  close(gate[0]);
  const auto context = ReadProcessContext(pid);
  close(gate[1]);
  waitpid(pid, nullptr, 0);
  EXPECT_EQ(context.status().code(), absl::StatusCode::kNotFound) << context.status();
}

TEST(ProcessContextTest, ReadsAnotherProcess) {
  int ready[2];
  int gate[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(gate), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    close(gate[1]);
    const ContextPublisher publisher(Cart("child"), ContextPublisher::Memory::kMemfd);
    char byte = 0;
    _exit(write(ready[1], "x", 1) == 1 && read(gate[0], &byte, 1) == 0 ? 0 : 1);
  }
  close(gate[0]);
  close(ready[1]);
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  close(ready[0]);
  const auto context = ReadProcessContext(pid);
  close(gate[1]);
  waitpid(pid, nullptr, 0);
  if (absl::IsPermissionDenied(context.status()))
    GTEST_SKIP() << "needs the rights of ptrace: " << context.status();
  ASSERT_TRUE(context.ok() && context->has_value()) << context.status();
  EXPECT_EQ((*context)->ResourceText("service.version"), "child");
}

// Simulated memory with a header at 1000 and its payload at 2000. Can change the time of
// publication after the payload was read, to simulate an update between two reads.
class MadeUpMemory {
 public:
  explicit MadeUpMemory(std::string payload) : payload_(std::move(payload)) {}

  absl::Status Read(uint64_t address, std::span<char> out) {
    ++read_count_;
    std::string memory = address >= 2000 ? payload_ : Header();
    const uint64_t offset = address >= 2000 ? address - 2000 : address - 1000;
    if (offset + out.size() > memory.size())
      return absl::OutOfRangeError("beyond");
    std::memcpy(out.data(), memory.data() + offset, out.size());
    if (address == 2000 && changes_left_ > 0) {
      --changes_left_;
      ++published_at_ns_;
    }
    return absl::OkStatus();
  }

  std::string Header() const {
    std::string header = "OTEL_CTX";
    const auto append = [&](auto value) {
      header.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    append(version_);
    append(payload_bytes_ != 0 ? payload_bytes_ : static_cast<uint32_t>(payload_.size()));
    append(published_at_ns_);
    append(uint64_t{2000});
    return header;
  }

  auto Run() {
    return ReadContextAt(
        [this](uint64_t address, std::span<char> out) { return Read(address, out); }, 1000, {});
  }

  std::string payload_;
  uint32_t version_ = 2;
  uint32_t payload_bytes_ = 0;
  uint64_t published_at_ns_ = 5;
  int changes_left_ = 0;
  int read_count_ = 0;
};

TEST(ReadContextAtTest, RetriesAChangeDuringTheReadUpToThreeTimes) {
  MadeUpMemory memory(Cart("1"));
  memory.changes_left_ = 2;
  const auto context = memory.Run();
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_EQ((*context)->published_at_ns, 7u);
  memory.changes_left_ = 3;
  EXPECT_EQ(memory.Run().status().code(), absl::StatusCode::kUnavailable);
}

TEST(ReadContextAtTest, RejectsOtherVersionsAndSizes) {
  MadeUpMemory version(Cart("1"));
  version.version_ = 1;
  EXPECT_EQ(version.Run().status().code(), absl::StatusCode::kUnimplemented);
  MadeUpMemory large(Cart("1"));
  large.payload_bytes_ = kContextPayloadBytesMax + 1;
  EXPECT_EQ(large.Run().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(large.read_count_, 1);
  MadeUpMemory empty("");
  EXPECT_EQ(empty.Run().status().code(), absl::StatusCode::kResourceExhausted);
  MadeUpMemory beyond(Cart("1"));
  beyond.payload_bytes_ = static_cast<uint32_t>(beyond.payload_.size() + 1);
  EXPECT_EQ(beyond.Run().status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_FALSE(DecodeContextHeader("OTEL_CTX").ok());
  EXPECT_FALSE(DecodeContextHeader(std::string(32, 'x')).ok());
}

TEST(ProcessContextTest, ReadsAPayloadOfTheMaximumSize) {
  std::string payload = Cart("1");
  // An unknown field fills the rest: a tag, a length of three bytes, and its bytes.
  const size_t rest = kContextPayloadBytesMax - payload.size() - 4;
  payload += '\x7a';
  payload += static_cast<char>((rest & 0x7f) | 0x80);
  payload += static_cast<char>((rest >> 7 & 0x7f) | 0x80);
  payload += static_cast<char>(rest >> 14);
  payload.append(rest, 'x');
  ASSERT_EQ(payload.size(), kContextPayloadBytesMax);
  const auto context = ProcessContext::Decode(payload);
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_EQ(context->service_name(), "cart");
  EXPECT_FALSE(ProcessContext::Decode(payload + "x").ok());
}

TEST(ProcessContextTest, BrokenMessageIsAnErrorAndAnEmptyOneIsNot) {
  EXPECT_EQ(ProcessContext::Decode("\x0a\x05xy").status().code(),
            absl::StatusCode::kInvalidArgument);
  const auto empty = ProcessContext::Decode("");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->service_name(), "");
  EXPECT_TRUE(empty->ThreadKeys().empty());
}

TEST(ProcessContextTest, DropsThreadKeysThatDoNotFitInAByte) {
  std::vector<std::string> keys(300, "key");
  const auto context = ProcessContext::Decode(ContextMessage{.thread_keys = keys}.Encode());
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_EQ(context->ThreadKeys().size(), kThreadKeysMax);
}

TEST(ProcessContextTest, MergesAResourceInTwoPieces) {
  const std::string pieces = ContextMessage{.resource = {{"service.name", "a"}}}.Encode() +
                             ContextMessage{.resource = {{"service.version", "b"}}}.Encode();
  auto context = ProcessContext::Decode(pieces);
  ASSERT_TRUE(context.ok()) << context.status();
  const ProcessContext moved = *std::move(context);
  EXPECT_EQ(moved.service_name(), "a");
  EXPECT_EQ(moved.ResourceText("service.version"), "b");
}

}  // namespace
}  // namespace flarestack::record::agent
