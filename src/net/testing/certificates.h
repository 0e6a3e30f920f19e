// SPDX-License-Identifier: Apache-2.0
//
// Generates certificates, and a temporary folder for them.
#pragma once

#include <string>
#include <string_view>

namespace flarestack::net {

struct TestCertificate {
  std::string certificate_pem;
  std::string key_pem;
};

// Self-signed.
TestCertificate MakeAuthority(const std::string& name);
// For 127.0.0.1 and localhost, signed by the authority; `name` is its common name.
TestCertificate MakeCertificate(const std::string& name, const TestCertificate& authority);

class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Replaces the file atomically, as a tool that renews certificates does; mode 0600.
  std::string Write(const std::string& name, std::string_view bytes) const;
  std::string PathOf(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace flarestack::net
