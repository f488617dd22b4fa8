// SPDX-License-Identifier: Apache-2.0
// Times the HTTP API without sockets: opens a profile as the server does and asks for every view,
// for the first time and again. Prints one JSON document.
//
//   api_views PROFILE [ROUNDS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "server/api.h"
#include "server/residency.h"

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void Die(const std::string& message) {
  std::fprintf(stderr, "api_views: %s\n", message.c_str());
  std::exit(1);
}

double Milliseconds(Clock::time_point from) {
  return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace telltale;
  if (argc < 2) Die("usage: api_views PROFILE [ROUNDS]");
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 20;
  CatalogueOptions options;
  Result<Root> root = MakeRoot("", argv[1]);
  if (!root) Die(root.error().message);
  options.roots = {*root};
  Catalogue catalogue(options);
  catalogue.Scan();
  if (catalogue.size() == 0) Die("no profile there");
  const std::string id = catalogue.Page(0, 1).entries[0].found.id;
  Residency residency(catalogue, {});
  static_cast<void>(residency.Get(id));
  const auto start = Clock::now();
  residency.LoadNext();
  const double load_ms = Milliseconds(start);
  const Residency::Answer open = residency.Get(id);
  if (open.profile == nullptr) Die(open.status->error);

  const HttpHandler api = MakeApi(catalogue, residency);
  HttpRequest request;
  request.method = "GET";
  JsonWriter json;
  json.BeginObject();
  json.Field("events", open.status->events);
  json.Field("load_ms", load_ms);
  json.Field("memory_bytes", open.profile->memory_bytes());
  json.Key("requests");
  json.BeginArray();
  const auto ask = [&](const std::string& name) {
    const auto first = Clock::now();
    HttpResponse response = api(request);
    const double first_ms = Milliseconds(first);
    std::vector<double> again;
    for (int i = 0; i < rounds; ++i) {
      const auto from = Clock::now();
      response = api(request);
      again.push_back(Milliseconds(from));
    }
    std::sort(again.begin(), again.end());
    json.BeginObject();
    json.Field("request", name);
    json.Field("status", response.status);
    json.Field("bytes", response.body->size());
    json.Field("first_ms", first_ms);
    json.Field("again_ms", again[again.size() / 2]);
    json.EndObject();
  };
  request.path = "/api/v1/profiles";
  ask("profiles");
  for (const OfferedView& view : open.profile->views()) {
    if (!view.missing.empty()) continue;
    request.path = "/api/v1/profiles/" + id + "/report";
    request.query = {{"view", std::string(view.name)}};
    ask("report " + std::string(view.name));
  }
  request.path = "/api/v1/profiles/" + id + "/calltree";
  request.query = {};
  ask("calltree");
  if (!open.profile->contexts().empty()) {
    const ProfileReport& report = open.profile->prepared().base.report;
    request.path = "/api/v1/profiles/" + id + "/calls";
    if (!report.operators.empty()) {
      request.query = {{"operator", report.operators[0].name}};
      ask("calls of an operator");
    }
    if (!report.kernels.empty()) {
      request.query = {{"kernel", report.kernels[0].name}};
      ask("calls of a kernel");
    }
  }
  json.EndArray();
  json.EndObject();
  std::fputs(json.Take().c_str(), stdout);
  return 0;
}
