// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/projector.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <string>

#include "base/utf8.h"

namespace telltale::tfevents {

namespace {

constexpr int kDeepest = 8;
constexpr size_t kMostEmbeddings = 10'000;

tl::unexpected<Error> Damaged(std::string_view why) {
  return Fail(ErrorCode::kUnreadable, std::string(kProjectorConfigName) + ": " + std::string(why));
}

// The text form of protocol buffers: `name: value` and `name { … }`.
class PbtxtReader {
 public:
  explicit PbtxtReader(std::string_view text) : rest_(text) {}

  using OnValue = std::function<void(std::string_view name, const std::string& value)>;
  // Calls enter(name) at a brace: what it answers takes the fields inside; null skips them.
  using OnMessage = std::function<bool(std::string_view name)>;

  // The fields up to the closing brace, or the end. False: that is no such text.
  bool Fields(bool inside, int depth, const OnValue& value, const OnMessage& message) {
    if (depth > kDeepest) return false;
    while (true) {
      Skip();
      if (rest_.empty()) return !inside;
      if (inside && (rest_[0] == '}' || rest_[0] == '>')) {
        rest_.remove_prefix(1);
        return true;
      }
      const std::string name(Word());
      if (name.empty()) return false;
      Skip();
      const bool colon = rest_.starts_with(':');
      if (colon) rest_.remove_prefix(1);
      Skip();
      if (rest_.starts_with('{') || rest_.starts_with('<')) {
        rest_.remove_prefix(1);
        if (!message(name)) return false;
      } else if (!colon || !Value(name, value)) {
        return false;
      }
      Skip();
      if (rest_.starts_with(',') || rest_.starts_with(';')) rest_.remove_prefix(1);
    }
  }
  bool SkipMessage(int depth) {
    return Fields(
        true, depth, [](std::string_view, const std::string&) {},
        [&](std::string_view) { return SkipMessage(depth + 1); });
  }

 private:
  void Skip() {
    while (!rest_.empty()) {
      if (rest_[0] == '#') {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_[0] == ' ' || rest_[0] == '\t' || rest_[0] == '\n' || rest_[0] == '\r') {
        rest_.remove_prefix(1);
      } else {
        return;
      }
    }
  }
  std::string_view Word() {
    const size_t end = std::min(rest_.find_first_of(" \t\r\n:{}<>[],;\"'#"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }
  bool Value(std::string_view name, const OnValue& use) {
    if (rest_.starts_with('[')) {
      rest_.remove_prefix(1);
      while (true) {
        Skip();
        if (rest_.starts_with(']')) {
          rest_.remove_prefix(1);
          return true;
        }
        if (!One(name, use)) return false;
        Skip();
        if (rest_.starts_with(',')) rest_.remove_prefix(1);
      }
    }
    return One(name, use);
  }
  bool One(std::string_view name, const OnValue& use) {
    std::string value;
    if (rest_.starts_with('"') || rest_.starts_with('\'')) {
      // Several in a row are one.
      while (rest_.starts_with('"') || rest_.starts_with('\'')) {
        if (!Quoted(value)) return false;
        Skip();
      }
    } else {
      value = Word();
      if (value.empty()) return false;
    }
    use(name, value);
    return true;
  }
  bool Quoted(std::string& value) {
    const char quote = rest_[0];
    rest_.remove_prefix(1);
    while (!rest_.empty() && rest_[0] != quote) {
      if (rest_[0] == '\n') return false;
      if (rest_[0] != '\\') {
        value += rest_[0];
        rest_.remove_prefix(1);
      } else if (!Escape(value)) {
        return false;
      }
    }
    if (rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool Escape(std::string& value) {
    if (rest_.size() < 2) return false;
    const char c = rest_[1];
    rest_.remove_prefix(2);
    constexpr std::string_view kLetters = "nrtabfv\\'\"?";
    constexpr std::string_view kMeant = "\n\r\t\a\b\f\v\\'\"?";
    if (const size_t letter = kLetters.find(c); letter != std::string_view::npos) {
      value += kMeant[letter];
      return true;
    }
    const bool hex = c == 'x' || c == 'X';
    if (!hex && (c < '0' || c > '7')) return false;
    unsigned number = hex ? 0 : static_cast<unsigned>(c - '0');
    const std::string_view next = rest_.substr(0, 2);
    const auto [end, error] =
        std::from_chars(next.data(), next.data() + next.size(), number, hex ? 16 : 8);
    const auto digits = error == std::errc() ? static_cast<size_t>(end - next.data()) : 0;
    if (hex && digits == 0) return false;
    if (!hex) {
      const unsigned first = static_cast<unsigned>(c - '0');
      number = digits == 0 ? first : (first << (3 * digits)) + number;
    }
    rest_.remove_prefix(digits);
    value += static_cast<char>(number & 0xff);
    return true;
  }

  std::string_view rest_;
};

int64_t NumberOf(const std::string& text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

bool ReadEmbedding(PbtxtReader& reader, ProjectorEmbedding& embedding) {
  return reader.Fields(
      true, 1,
      [&](std::string_view name, const std::string& value) {
        if (name == "tensor_name") embedding.tensor_name = RepairUtf8(value);
        if (name == "metadata_path") embedding.metadata_path = RepairUtf8(value);
        if (name == "bookmarks_path") embedding.bookmarks_path = RepairUtf8(value);
        if (name == "tensor_path") embedding.tensor_path = RepairUtf8(value);
        if (name == "tensor_shape") embedding.tensor_shape.push_back(NumberOf(value));
      },
      [&](std::string_view name) {
        if (name != "sprite") return reader.SkipMessage(2);
        return reader.Fields(
            true, 2,
            [&](std::string_view field, const std::string& value) {
              if (field == "image_path") embedding.sprite_path = RepairUtf8(value);
              if (field == "single_image_dim") embedding.sprite_size.push_back(NumberOf(value));
            },
            [&](std::string_view) { return reader.SkipMessage(3); });
      });
}

std::string_view WithoutOutput(std::string_view name) {
  if (name.ends_with(":0")) name.remove_suffix(2);
  return name;
}

}  // namespace

Result<ProjectorConfig> ParseProjectorConfig(std::string_view text) {
  ProjectorConfig config;
  PbtxtReader reader(text);
  const bool read = reader.Fields(
      false, 0,
      [&](std::string_view name, const std::string& value) {
        if (name == "model_checkpoint_path") config.model_checkpoint_path = RepairUtf8(value);
      },
      [&](std::string_view name) {
        if (name != "embeddings") return reader.SkipMessage(1);
        if (config.embeddings.size() >= kMostEmbeddings) return false;
        return ReadEmbedding(reader, config.embeddings.emplace_back());
      });
  if (!read) return Damaged("this is no text of a protocol buffer");
  for (ProjectorEmbedding& embedding : config.embeddings) {
    if (embedding.tensor_name.empty()) {
      embedding.tensor_name = embedding.tensor_path.substr(embedding.tensor_path.rfind('/') + 1);
    }
    embedding.tensor_name = std::string(WithoutOutput(embedding.tensor_name));
  }
  return config;
}

const ProjectorEmbedding* FindEmbedding(const ProjectorConfig& config, std::string_view name) {
  for (const ProjectorEmbedding& embedding : config.embeddings) {
    if (WithoutOutput(embedding.tensor_name) == WithoutOutput(name)) return &embedding;
  }
  return nullptr;
}

}  // namespace telltale::tfevents
