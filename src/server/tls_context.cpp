// SPDX-License-Identifier: Apache-2.0
#include "server/tls_context.h"

#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <openssl/err.h>

namespace telltale {

namespace {

Result<void> CheckReadable(std::string_view what, const std::string& path) {
  if (::access(path.c_str(), R_OK) == 0) return {};
  return Fail(ErrorCode::kUsage, fmt::format("the {} {} cannot be read: {}", what, path,
                                             std::generic_category().message(errno)));
}

// " (what the library says)", or nothing.
std::string Reason() {
  const char* const text = ::ERR_reason_error_string(::ERR_peek_last_error());
  return text != nullptr ? fmt::format(" ({})", text) : "";
}

// Nobody is there to be asked for a pass phrase.
int NoPassPhrase(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*user*/) { return 0; }

}  // namespace

Result<TlsContext> MakeTlsContext(const std::string& certificate_file,
                                  const std::string& key_file) {
  for (const auto& [what, path] :
       {std::pair("certificate", &certificate_file), std::pair("key", &key_file)}) {
    if (Result<void> readable = CheckReadable(what, *path); !readable) {
      return tl::unexpected<Error>(readable.error());
    }
  }
  ::ERR_clear_error();
  TlsContext context(::SSL_CTX_new(::TLS_server_method()));
  if (context == nullptr) {
    return Fail(ErrorCode::kUsage, "TLS cannot be set up on this machine" + Reason());
  }
  ::SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // What is recorded today stays secret when the key is lost tomorrow: only ephemeral keys, and no
  // tickets, whose key would open the sessions of TLS 1.2. (TLS 1.3 has no other suites.)
  ::SSL_CTX_set_options(context.get(), SSL_OP_ALL | SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  ::SSL_CTX_set_cipher_list(context.get(), "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL");
  ::SSL_CTX_set_default_passwd_cb(context.get(), NoPassPhrase);
  if (::SSL_CTX_use_certificate_chain_file(context.get(), certificate_file.c_str()) != 1) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} is no certificate: expected PEM text that begins with "
                            "-----BEGIN CERTIFICATE-----{}",
                            certificate_file, Reason()));
  }
  if (::SSL_CTX_use_PrivateKey_file(context.get(), key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      ::SSL_CTX_check_private_key(context.get()) != 1) {
    return Fail(ErrorCode::kUsage,
                fmt::format("{} is not the key of the certificate {}: expected its private key as "
                            "PEM text without a pass phrase{}",
                            key_file, certificate_file, Reason()));
  }
  return context;
}

}  // namespace telltale
