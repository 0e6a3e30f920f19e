// SPDX-License-Identifier: Apache-2.0
//
// Publishes a process context as OTEP 4719 specifies for writers, to test readers with.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flarestack::record::agent::testing {

using Texts = std::vector<std::pair<std::string, std::string>>;

// A message with text values only; `thread_keys` becomes threadlocal.attribute_key_map.
struct ContextMessage {
  Texts resource;
  Texts extra;
  std::vector<std::string> thread_keys;

  std::string Encode() const;
};

class ContextPublisher {
 public:
  enum class Memory { kMemfd, kAnonymous };

  // Publishes `payload` immediately. Aborts the test program if the kernel rejects it.
  ContextPublisher(std::string payload, Memory memory);
  ~ContextPublisher();
  ContextPublisher(const ContextPublisher&) = delete;
  ContextPublisher& operator=(const ContextPublisher&) = delete;

  void Update(std::string payload);

  // The two halves of an update, so that tests can read in between.
  void BeginUpdate();
  void FinishUpdate(std::string payload);

  // Whether the kernel named the mapping; anonymous memory without a name cannot be found.
  bool is_named() const { return is_named_; }
  uint64_t address() const;
  uint64_t published_at_ns() const;

 private:
  struct Header;

  void Name();
  void Write(std::string payload);

  Header* header_;
  std::string payload_;
  bool is_named_ = false;
};

}  // namespace flarestack::record::agent::testing
