// SPDX-License-Identifier: Apache-2.0
//
// A client that sends whatever the test wants and shows whatever comes back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flarestack::net {

class RawClient {
 public:
  explicit RawClient(uint16_t port);  // connects to 127.0.0.1
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // False when the peer has closed or reset the connection.
  bool Send(std::string_view bytes);
  void CloseSending();

  // Sends `bytes` again and again, slowly, until the peer answers, closes or resets.
  void Trickle(std::string_view bytes);

  // Until the peer closes; `was_reset` says how it did.
  std::string ReadAll();
  // Until `text` has arrived or the peer has closed.
  std::string ReadUntil(std::string_view text);
  // So many bytes, or fewer when the peer has closed.
  std::string ReadBytes(size_t count);
  bool was_reset() const { return was_reset_; }

 private:
  bool ReadSome();

  int fd_;
  std::string received_;
  bool was_reset_ = false;
};

// Sends, closes nothing, and reads until the peer closes.
std::string Exchange(uint16_t port, std::string_view request);

}  // namespace flarestack::net
