// SPDX-License-Identifier: Apache-2.0
// The certificate and key of the server, checked before anything listens.
#pragma once

#include <memory>
#include <string>

#include <openssl/ssl.h>

#include "base/result.h"

namespace telltale {

struct FreeTlsContext {
  void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
};
using TlsContext = std::unique_ptr<SSL_CTX, FreeTlsContext>;

// TLS 1.2 and later. Both files are PEM. An Error (kUsage) says which file is wrong, and how.
[[nodiscard]] Result<TlsContext> MakeTlsContext(const std::string& certificate_file,
                                                const std::string& key_file);

}  // namespace telltale
