// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the bytes of a connection as they come from the socket, in front of the parser.
// The first byte says how they are cut into pieces. For any of them: what is held stays within the
// limits, the pieces make no difference to the requests that are understood (only what is no
// request may be refused sooner or later), and each of them is packed into an answer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "server/admit.h"
#include "server/request_reader.h"
#include "server/respond.h"

namespace {

constexpr telltale::RequestLimits kLimits = {2048, 4096};

void Check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

// All requests that were understood, as one text.
std::string Read(std::string_view bytes, size_t piece) {
  using State = telltale::RequestReader::State;
  telltale::RequestReader reader(kLimits);
  telltale::AccessPolicy policy;
  std::string log;
  while (true) {
    const State state = reader.Parse();
    if (state == State::kRefused) {
      const telltale::HttpResponse refusal = reader.refusal();
      Check(refusal.status >= 400, "refused with success");
      return log;
    }
    if (state == State::kHeader) {
      Check(!reader.request().Header("transfer-encoding"), "a transfer coding passed");
      continue;
    }
    if (state == State::kDone) {
      telltale::HttpRequest request = std::move(reader.request());
      Check(request.body.size() <= kLimits.body_bytes, "a body beyond the limit");
      log += request.method + " " + reader.target() + " " + request.body;
      log += reader.keep_alive() ? " on\n" : " last\n";
      const bool keep_alive = reader.keep_alive();
      auto answer = telltale::Admit(policy, reader.target(), request);
      if (!answer) answer = telltale::JsonResponse("{}");
      (void)telltale::MakeWireResponse(request, std::move(*answer), keep_alive);
      if (!keep_alive) return log;
      reader.Next();
      continue;
    }
    if (bytes.empty()) return log;
    const std::span<char> room = reader.Room();
    Check(!room.empty(), "no room for what is still needed");
    const size_t count = std::min({room.size(), bytes.size(), piece});
    std::memcpy(room.data(), bytes.data(), count);
    reader.Add(count);
    bytes.remove_prefix(count);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = Read(bytes, SIZE_MAX);
  const std::string pieces = Read(bytes, size_t{data[0]} + 1);
  Check(whole == pieces, "the pieces make a difference");
  return 0;
}
