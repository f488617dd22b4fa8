// SPDX-License-Identifier: Apache-2.0
// projector_config.pbtxt: ProjectorConfig as protocol buffers are printed, which is
//   embeddings { tensor_name: "a" tensor_shape: 3 sprite { image_path: 'x' single_image_dim: 28 } }
// with # comments, ':' before '{' or not, and texts in one of both quotes with C's escapes.
#include <charconv>

#include "base/utf8.h"
#include "formats/tfevents/decode.h"

namespace telltale::tfevents {

namespace {

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  struct Token {
    enum class Kind : uint8_t { kEnd, kWord, kText, kMark } kind = Kind::kEnd;
    std::string text;
  };

  Token Next() {
    SkipSpace();
    if (rest_.empty()) return {};
    const char c = rest_[0];
    if (c == '"' || c == '\'') return {Token::Kind::kText, Text(c)};
    if (std::string_view("{}<>:;,[]").find(c) != std::string_view::npos) {
      rest_.remove_prefix(1);
      return {Token::Kind::kMark, std::string(1, c)};
    }
    const size_t end = std::min(rest_.find_first_of(" \t\r\n{}<>:;,[]\"'#"), rest_.size());
    Token token{Token::Kind::kWord, std::string(rest_.substr(0, end))};
    rest_.remove_prefix(end);
    return token;
  }

 private:
  void SkipSpace() {
    while (!rest_.empty()) {
      if (rest_[0] == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (std::string_view(" \t\r\n").find(rest_[0]) != std::string_view::npos) {
        rest_.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  std::string Text(char quote) {
    std::string text;
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_[0] != quote) {
      if (rest_[0] == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
        Escape(text);
      } else {
        text += rest_[0];
        rest_.remove_prefix(1);
      }
    }
    if (!rest_.empty()) rest_.remove_prefix(1);
    return RepairUtf8(text);
  }

  void Escape(std::string& text) {
    const char c = rest_[0];
    if (c >= '0' && c <= '7') {
      unsigned byte = 0;
      for (int i = 0; i < 3 && !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '7'; ++i) {
        byte = byte * 8 + static_cast<unsigned>(rest_[0] - '0');
        rest_.remove_prefix(1);
      }
      text += static_cast<char>(byte);
      return;
    }
    rest_.remove_prefix(1);
    text += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }

  std::string_view rest_;
};

using Kind = Lexer::Token::Kind;

void Set(const std::string& path, const std::string& value, Embedding& embedding) {
  const auto number = [&](std::vector<int64_t>& out) {
    int64_t parsed = 0;
    std::from_chars(value.data(), value.data() + value.size(), parsed);
    if (out.size() < 16) out.push_back(parsed);
  };
  if (path == "tensor_name") embedding.tensor_name = value;
  if (path == "tensor_path") embedding.tensor_path = value;
  if (path == "metadata_path") embedding.metadata_path = value;
  if (path == "bookmarks_path") embedding.bookmarks_path = value;
  if (path == "sprite.image_path") embedding.sprite_path = value;
  if (path == "sprite.single_image_dim") number(embedding.sprite_size);
  if (path == "tensor_shape") number(embedding.shape);
}

}  // namespace

std::vector<Embedding> ParseProjectorConfig(std::string_view pbtxt) {
  constexpr size_t kMostEmbeddings = 100'000;
  std::vector<Embedding> embeddings;
  std::vector<std::string> path;  // of the messages around
  std::string name;
  Lexer lexer(pbtxt);
  for (Lexer::Token token = lexer.Next(); token.kind != Kind::kEnd; token = lexer.Next()) {
    const bool opens = token.kind == Kind::kMark && (token.text == "{" || token.text == "<");
    const bool closes = token.kind == Kind::kMark && (token.text == "}" || token.text == ">");
    if (opens) {
      if (path.empty() && name == "embeddings") {
        if (embeddings.size() == kMostEmbeddings) break;
        embeddings.emplace_back();
      }
      if (path.size() == 100) break;
      path.push_back(name);
      name.clear();
    } else if (closes) {
      if (!path.empty()) path.pop_back();
      name.clear();
    } else if (token.kind == Kind::kMark) {
      continue;
    } else if (name.empty() && token.kind == Kind::kWord) {
      name = token.text;
    } else {
      if (!path.empty() && path[0] == "embeddings" && path.size() <= 2) {
        Set(path.size() == 2 ? path[1] + "." + name : name, token.text, embeddings.back());
      }
      name.clear();
    }
  }
  return embeddings;
}

}  // namespace telltale::tfevents
