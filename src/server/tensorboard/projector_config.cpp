// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/projector_config.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <functional>

#include <fmt/format.h>

#include "base/utf8.h"

namespace telltale {

namespace {

constexpr int kDeepest = 8;
constexpr size_t kMostEmbeddings = 10'000;

tl::unexpected<Error> Damaged(std::string_view why) {
  return Fail(ErrorCode::kUnreadable, fmt::format("{}: {}", kProjectorConfigName, why));
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

Result<ProjectorTensor> ReadTable(std::string_view text) {
  ProjectorTensor tensor;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    size_t columns = 0;
    while (true) {
      const size_t tab = std::min(line.find('\t'), line.size());
      std::string_view word = line.substr(0, tab);
      while (word.starts_with(' ') || word.starts_with('+')) word.remove_prefix(1);
      while (word.ends_with(' ')) word.remove_suffix(1);
      double value = 0;
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error == std::errc::invalid_argument || stop != word.data() + word.size()) {
        return Fail(ErrorCode::kUnreadable, "the tensor's file has something that is no number");
      }
      tensor.values.push_back(static_cast<float>(value));
      ++columns;
      if (tab == line.size()) break;
      line.remove_prefix(tab + 1);
    }
    if (tensor.rows > 0 && columns != tensor.columns) {
      return Fail(ErrorCode::kUnreadable, "the rows of the tensor's file differ in length");
    }
    tensor.columns = columns;
    ++tensor.rows;
  }
  return tensor;
}

// "'shape': (12, 5)" of the header of a .npy file.
std::vector<int64_t> NpyShape(std::string_view header) {
  std::vector<int64_t> shape;
  const size_t open = header.find('(');
  const size_t close = header.find(')', std::min(open, header.size()));
  if (close == std::string_view::npos) return shape;
  for (size_t at = open + 1; at < close;) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(header.data() + at, header.data() + close, number);
    if (error == std::errc()) {
      shape.push_back(number);
      at = static_cast<size_t>(end - header.data());
    } else {
      ++at;
    }
  }
  return shape;
}

Result<ProjectorTensor> ReadFloats(std::string_view bytes, const std::vector<int64_t>& shape) {
  static_assert(std::endian::native == std::endian::little);
  const size_t count = bytes.size() / sizeof(float);
  if (shape.size() != 2 || shape[0] <= 0 || shape[1] <= 0 ||
      static_cast<uint64_t>(shape[0]) > count ||
      static_cast<uint64_t>(shape[1]) != count / static_cast<uint64_t>(shape[0]) ||
      count % static_cast<uint64_t>(shape[0]) != 0) {
    return Fail(ErrorCode::kUnreadable, "the tensor's file does not have the size of its shape");
  }
  ProjectorTensor tensor = {static_cast<size_t>(shape[0]), static_cast<size_t>(shape[1]), {}};
  tensor.values.resize(count);
  std::memcpy(tensor.values.data(), bytes.data(), count * sizeof(float));
  return tensor;
}

Result<ProjectorTensor> ReadNpy(std::string_view bytes) {
  constexpr size_t kPrefix = 10;
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<uint8_t>(bytes[at])); };
  if (bytes.size() < kPrefix + 2) return Fail(ErrorCode::kUnreadable, "the .npy file is cut off");
  const bool is_long = bytes[6] != 1;
  const size_t begin = is_long ? 12 : kPrefix;
  const size_t size = byte(8) | byte(9) << 8 | (is_long ? byte(10) << 16 | byte(11) << 24 : 0);
  if (size > bytes.size() - begin) return Fail(ErrorCode::kUnreadable, "the .npy file is cut off");
  const std::string_view header = bytes.substr(begin, size);
  if (header.find("'<f4'") == std::string_view::npos ||
      header.find("'fortran_order': False") == std::string_view::npos) {
    return Fail(ErrorCode::kUnreadable, "the .npy file does not hold rows of float32");
  }
  return ReadFloats(bytes.substr(begin + size), NpyShape(header));
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

std::optional<std::string> AssetPath(std::string_view folder, std::string_view named) {
  if (named.empty() || named.find('\0') != std::string_view::npos) return std::nullopt;
  if (named.starts_with('/')) {
    if (!named.starts_with(folder) || named.size() <= folder.size() ||
        named[folder.size()] != '/') {
      return std::nullopt;
    }
    named.remove_prefix(folder.size() + 1);
  }
  for (std::string_view rest = named; !rest.empty();) {
    const size_t end = std::min(rest.find('/'), rest.size());
    if (rest.substr(0, end) == "..") return std::nullopt;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return fmt::format("{}/{}", folder, named);
}

Result<ProjectorTensor> ReadProjectorTensor(std::string_view bytes,
                                            const std::vector<int64_t>& shape) {
  if (bytes.starts_with("\x93NUMPY")) return ReadNpy(bytes);
  Result<ProjectorTensor> table = ReadTable(bytes);
  if (table || shape.empty()) return table;
  return ReadFloats(bytes, shape);
}

}  // namespace telltale
