// SPDX-License-Identifier: Apache-2.0
#include "net/tls/tls_files.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <utility>
#include <vector>

#include "base/file/file.h"
#include "base/status.h"
#include "base/text/text.h"

namespace flarestack::net {
namespace {

constexpr uint64_t kFileBytesMax = 1 << 20;

template <auto Free>
struct FreeBy {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};
using Bio = std::unique_ptr<BIO, FreeBy<BIO_free>>;
using Certificate = std::unique_ptr<X509, FreeBy<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, FreeBy<EVP_PKEY_free>>;

// Reports the last OpenSSL error and clears its queue.
absl::Status Bad(std::string_view path, std::string_view what) {
  char reason[256] = "no details";
  if (const unsigned long code = ERR_peek_last_error(); code != 0)
    ERR_error_string_n(code, reason, sizeof reason);
  ERR_clear_error();
  return absl::InvalidArgumentError(base::StrCat(path, ": ", what, " (", reason, ")"));
}

Bio BioOf(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Without this callback, OpenSSL would prompt for a password on the terminal.
int NoPassword(char*, int, int, void*) { return 0; }

std::vector<Certificate> ReadCertificates(const std::string& pem) {
  const Bio bio = BioOf(pem);
  std::vector<Certificate> certificates;
  while (true) {
    Certificate next(PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr));
    if (next == nullptr)
      break;
    certificates.push_back(std::move(next));
  }
  ERR_clear_error();  // the end of the file counts as an error
  return certificates;
}

absl::Status UseCertificate(SSL_CTX* context, const std::string& path, const std::string& pem) {
  const std::vector<Certificate> chain = ReadCertificates(pem);
  if (chain.empty())
    return Bad(path, "no PEM certificate in it");
  if (SSL_CTX_use_certificate(context, chain.front().get()) != 1)
    return Bad(path, "the certificate cannot be used");
  for (size_t i = 1; i < chain.size(); ++i) {
    if (SSL_CTX_add1_chain_cert(context, chain[i].get()) != 1)
      return Bad(path, "the chain cannot be used");
  }
  return absl::OkStatus();
}

absl::Status UseKey(SSL_CTX* context, const std::string& path, const std::string& pem) {
  const Bio bio = BioOf(pem);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  if (key == nullptr)
    return Bad(path, "no unencrypted PEM key in it");
  if (SSL_CTX_use_PrivateKey(context, key.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return Bad(path, "the key does not belong to the certificate");
  return absl::OkStatus();
}

absl::Status UseClientCa(SSL_CTX* context, const std::string& path, const std::string& pem) {
  const std::vector<Certificate> authorities = ReadCertificates(pem);
  if (authorities.empty())
    return Bad(path, "no PEM certificate in it");
  for (const Certificate& authority : authorities) {
    if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get()) != 1 ||
        SSL_CTX_add_client_CA(context, authority.get()) != 1) {
      return Bad(path, "the certificate cannot be used");
    }
  }
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return absl::OkStatus();
}

std::string FirstDnsName(X509* certificate) {
  std::unique_ptr<GENERAL_NAMES, FreeBy<GENERAL_NAMES_free>> names(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names != nullptr && i < sk_GENERAL_NAME_num(names.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(names.get(), i);
    if (name->type == GEN_DNS) {
      const auto* text = reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName));
      return {text, static_cast<size_t>(ASN1_STRING_length(name->d.dNSName))};
    }
  }
  return "";
}

// Returns the name in UTF-8. A name with an embedded zero would read differently elsewhere, so it
// is ignored.
std::string CommonName(X509* certificate) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  const int index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (index < 0)
    return "";
  unsigned char* utf8 = nullptr;
  const int size =
      ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index)));
  if (size < 0)
    return "";
  std::string name(reinterpret_cast<char*>(utf8), static_cast<size_t>(size));
  OPENSSL_free(utf8);
  return name.find('\0') == std::string::npos ? name : "";
}

}  // namespace

TlsFiles::TlsFiles(TlsOptions options)
    : options_(std::move(options)),
      watch_({options_.certificate_path, options_.key_path, options_.client_ca_path},
             options_.poll_interval) {}

absl::StatusOr<std::shared_ptr<TlsFiles>> TlsFiles::Load(TlsOptions options) {
  std::shared_ptr<TlsFiles> files(new TlsFiles(std::move(options)));
  FLARE_ASSIGN(Snapshot first, files->Read());
  first.version = 1;
  const base::MutexLock lock(files->mutex_);
  files->snapshot_ = std::move(first);
  return files;
}

absl::StatusOr<TlsFiles::Snapshot> TlsFiles::Read() const {
  auto pem = std::make_shared<TlsPem>();
  FLARE_ASSIGN(pem->certificate, base::ReadFile(options_.certificate_path, kFileBytesMax));
  FLARE_ASSIGN(pem->key, base::ReadFile(options_.key_path, kFileBytesMax));
  const std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), SSL_CTX_free);
  if (context == nullptr)
    return Bad("OpenSSL", "no context");
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Without a session context, a client with a certificate cannot resume its session.
  const unsigned char session_context[] = "flarestack";
  SSL_CTX_set_session_id_context(context.get(), session_context, sizeof session_context - 1);
  FLARE_RETURN_IF_ERROR(UseCertificate(context.get(), options_.certificate_path, pem->certificate));
  FLARE_RETURN_IF_ERROR(UseKey(context.get(), options_.key_path, pem->key));
  if (requires_client_certificate()) {
    FLARE_ASSIGN(pem->client_ca, base::ReadFile(options_.client_ca_path, kFileBytesMax));
    FLARE_RETURN_IF_ERROR(UseClientCa(context.get(), options_.client_ca_path, pem->client_ca));
  }
  return Snapshot{.context = context, .pem = std::move(pem)};
}

TlsFiles::Snapshot TlsFiles::Current() {
  absl::Status failure;
  bool is_reloaded = false;
  Snapshot current;
  {
    const base::MutexLock lock(mutex_);
    if (watch_.HasChanged()) {
      auto read = Read();
      if (read.ok()) {
        read->version = snapshot_.version + 1;
        snapshot_ = *std::move(read);
        is_reloaded = true;
      } else {
        failure = read.status();
      }
    }
    current = snapshot_;
  }
  if (is_reloaded && options_.on_reload != nullptr)
    options_.on_reload();
  if (!failure.ok() && options_.on_reload_error != nullptr)
    options_.on_reload_error(base::WithContext("the old certificate stays in use", failure));
  return current;
}

std::string TlsPeerName(ssl_st* ssl) {
  const Certificate certificate(SSL_get1_peer_certificate(ssl));
  if (certificate == nullptr || SSL_get_verify_result(ssl) != X509_V_OK)
    return "";
  std::string name = CommonName(certificate.get());
  return name.empty() ? FirstDnsName(certificate.get()) : name;
}

}  // namespace flarestack::net
