// SPDX-License-Identifier: Apache-2.0
#include "base/cancel.h"

namespace telltale {

namespace {

thread_local const CancelToken* current_token = nullptr;

}  // namespace

CancelScope::CancelScope(const CancelToken* token) : before_(current_token) {
  current_token = token;
}

CancelScope::~CancelScope() { current_token = before_; }

const CancelToken* CancelScope::current() { return current_token; }

void StopIfCanceled() {
  if (current_token != nullptr && current_token->canceled()) throw Canceled();
}

}  // namespace telltale
