// SPDX-License-Identifier: Apache-2.0
// The API for tests: the handler without sockets, over a folder of profiles. What it answers is
// read back with simdjson.
#pragma once

#include <gtest/gtest.h>
#include <simdjson.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runs/test_folder.h"
#include "server/api.h"
#include "server/test_profiles.h"
#include "server/test_request.h"

namespace telltale {

// A document that stays alive with its parser.
class Json {
 public:
  explicit Json(const std::string& text) : parser_(std::make_unique<simdjson::dom::parser>()) {
    EXPECT_EQ(parser_->parse(text).get(root_), simdjson::SUCCESS) << text.substr(0, 300);
  }
  // By a JSON pointer, "/error/code".
  [[nodiscard]] simdjson::dom::element At(std::string_view pointer) const {
    simdjson::dom::element out;
    EXPECT_EQ(root_.at_pointer(pointer).get(out), simdjson::SUCCESS) << pointer;
    return out;
  }
  [[nodiscard]] bool Has(std::string_view pointer) const {
    return root_.at_pointer(pointer).error() == simdjson::SUCCESS;
  }
  [[nodiscard]] std::string Text(std::string_view pointer) const {
    return std::string(std::string_view(At(pointer)));
  }
  [[nodiscard]] int64_t Int(std::string_view pointer) const { return int64_t(At(pointer)); }
  [[nodiscard]] size_t Size(std::string_view pointer) const {
    return simdjson::dom::array(At(pointer)).size();
  }

 private:
  std::unique_ptr<simdjson::dom::parser> parser_;
  simdjson::dom::element root_;
};

class ApiTest : public testing::Test {
 protected:
  void Make(CatalogueOptions listed, ResidencyOptions held, ApiOptions options = {}) {
    profiles_ = std::make_unique<TestProfiles>(std::move(listed), std::move(held));
    handler_ = MakeApi(profiles_->catalogue, profiles_->residency, std::move(options));
  }
  // Over the folder, which may be looked at then.
  void Make(ResidencyOptions held = {}, ApiOptions options = {}) {
    held.threads = 1;
    CatalogueOptions listed;
    listed.roots = {*MakeRoot("runs", folder_.path().string())};
    Make(std::move(listed), std::move(held), std::move(options));
  }
  void Start(ResidencyOptions held = {}) {
    Make(std::move(held), {.title = "Test <b>"});
    profiles_->Look();
  }

  [[nodiscard]] std::string Id(std::string_view name) const { return profiles_->IdOf(name); }
  // The id.
  std::string Load(std::string_view name) {
    static_cast<void>(profiles_->Load(name));
    return Id(name);
  }

  HttpResponse Get(std::string_view target, std::string method = "GET", std::string body = {}) {
    return handler_(RequestFor(target, std::move(method), std::move(body)));
  }
  Json Good(std::string_view target) {
    const HttpResponse response = Get(target);
    EXPECT_EQ(response.status, 200U) << target << "\n" << *response.body;
    EXPECT_EQ(response.content_type, "application/json");
    return Json(*response.body);
  }
  // The status and the message.
  std::string Wrong(std::string_view target) {
    const HttpResponse response = Get(target);
    return std::to_string(response.status) + " " + Json(*response.body).Text("/error/message");
  }

  TestFolder folder_;
  std::unique_ptr<TestProfiles> profiles_;
  HttpHandler handler_;
};

}  // namespace telltale
