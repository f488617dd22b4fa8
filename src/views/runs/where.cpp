// SPDX-License-Identifier: Apache-2.0
#include "views/runs/where.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/digits.h"
#include "base/pattern.h"
#include "runs/run_settings.h"
#include "views/params.h"

namespace telltale {

struct RunFilter::Node {
  enum class Op : uint8_t {
    kAnd,
    kOr,
    kNot,
    kIs,
    kEqual,
    kNotEqual,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kMatches,
    kMatchesNot
  };
  Op op = Op::kIs;
  std::unique_ptr<Node> left, right;
  std::optional<RunField> field;
  std::variant<std::monostate, bool, double, std::string> value;
  std::optional<Pattern> pattern;
};

namespace {

using Node = RunFilter::Node;
using Op = Node::Op;

struct Unit {
  std::string_view name;
  double factor;
};
// The longest first.
constexpr std::array<Unit, 14> kUnits = {{{"min", 60},
                                          {"ns", 1e-9},
                                          {"us", 1e-6},
                                          {"µs", 1e-6},
                                          {"ms", 1e-3},
                                          {"s", 1},
                                          {"m", 60},
                                          {"h", 3600},
                                          {"d", 86400},
                                          {"k", 1e3},
                                          {"K", 1e3},
                                          {"M", 1e6},
                                          {"G", 1e9},
                                          {"%", 0.01}}};

bool IsNameChar(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("_./-:@#[]").find(c) != std::string_view::npos ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Parser {
 public:
  Parser(std::string_view text, const RunNames& names) : text_(text), names_(names) {}

  Result<std::unique_ptr<Node>> Parse() {
    std::unique_ptr<Node> root = Or(0);
    SkipSpace();
    if (root != nullptr && at_ < text_.size()) {
      root = Wrong("expected 'and', 'or' or the end");
    }
    if (root == nullptr) return tl::unexpected(std::move(*error_));
    return root;
  }

 private:
  using Made = std::unique_ptr<Node>;
  static constexpr size_t kDepth = 100;

  Made Wrong(std::string message) { return WrongAt(at_, std::move(message)); }
  Made WrongAt(size_t at, std::string message) {
    if (!error_) error_ = Error{ErrorCode::kUsage, std::move(message), at};
    return nullptr;
  }
  void SkipSpace() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) {
      ++at_;
    }
  }
  bool Take(std::string_view sign) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }
  bool TakeWord(std::string_view word) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(word)) return false;
    const size_t end = at_ + word.size();
    if (end < text_.size() && IsNameChar(text_[end])) return false;
    at_ = end;
    return true;
  }

  Made Or(size_t depth) {  // NOLINT(misc-no-recursion): bounded by kDepth
    Made left = And(depth);
    while (left != nullptr && (TakeWord("or") || TakeWord("OR") || Take("||"))) {
      left = Both(Op::kOr, std::move(left), And(depth));
    }
    return left;
  }
  Made And(size_t depth) {  // NOLINT(misc-no-recursion)
    Made left = Not(depth);
    while (left != nullptr && (TakeWord("and") || TakeWord("AND") || Take("&&"))) {
      left = Both(Op::kAnd, std::move(left), Not(depth));
    }
    return left;
  }
  static Made Both(Op op, Made left, Made right) {
    if (right == nullptr) return nullptr;
    auto node = std::make_unique<Node>();
    node->op = op;
    node->left = std::move(left);
    node->right = std::move(right);
    return node;
  }
  Made Not(size_t depth) {  // NOLINT(misc-no-recursion)
    if (depth > kDepth) return Wrong("nested too deeply");
    SkipSpace();
    const bool sign = at_ < text_.size() && text_[at_] == '!' &&
                      !text_.substr(at_).starts_with("!=") && !text_.substr(at_).starts_with("!~");
    if (sign) ++at_;
    if (sign || TakeWord("not") || TakeWord("NOT")) {
      Made inner = Not(depth + 1);
      if (inner == nullptr) return nullptr;
      auto node = std::make_unique<Node>();
      node->op = Op::kNot;
      node->left = std::move(inner);
      return node;
    }
    if (Take("(")) {
      Made inner = Or(depth + 1);
      if (inner != nullptr && !Take(")")) return Wrong("expected ')'");
      return inner;
    }
    return Test();
  }

  Made Test() {
    SkipSpace();
    const size_t begin = at_;
    std::string name;
    if (at_ < text_.size() && text_[at_] == '`') {
      const size_t end = text_.find('`', at_ + 1);
      if (end == std::string_view::npos) return Wrong("the name has no second `");
      name = text_.substr(at_ + 1, end - at_ - 1);
      at_ = end + 1;
    } else {
      while (at_ < text_.size() && IsNameChar(text_[at_])) ++at_;
      name = text_.substr(begin, at_ - begin);
    }
    if (name.empty()) {
      return Wrong(at_ < text_.size()
                       ? "expected the name of a configuration value, a metric or a fact"
                       : "the filter ends where a name is expected");
    }
    Result<RunField> field = RunField::Find(name, names_);
    if (!field) return WrongAt(begin, field.error().message);
    auto node = std::make_unique<Node>();
    node->field = std::move(*field);
    static constexpr std::array<std::pair<std::string_view, Op>, 9> kSigns = {
        {{"==", Op::kEqual},
         {"!=", Op::kNotEqual},
         {"<=", Op::kLessEqual},
         {">=", Op::kGreaterEqual},
         {"!~", Op::kMatchesNot},
         {"=", Op::kEqual},
         {"<", Op::kLess},
         {">", Op::kGreater},
         {"~", Op::kMatches}}};
    for (const auto& [sign, op] : kSigns) {
      if (!Take(sign)) continue;
      node->op = op;
      return Value(std::move(node));
    }
    return node;  // a name alone
  }

  Made Value(Made node) {
    SkipSpace();
    const size_t begin = at_;
    if (at_ >= text_.size()) return Wrong("the filter ends where a value is expected");
    const char first = text_[at_];
    if (first == '"' || first == '\'') {
      std::string value;
      for (++at_; at_ < text_.size() && text_[at_] != first; ++at_) {
        if (text_[at_] == '\\' && at_ + 1 < text_.size() &&
            (text_[at_ + 1] == first || text_[at_ + 1] == '\\')) {
          ++at_;
        }
        value += text_[at_];
      }
      if (at_ >= text_.size()) return WrongAt(begin, "the text has no second quote");
      ++at_;
      node->value = std::move(value);
      return Check(std::move(node), begin);
    }
    size_t end = at_;
    while (end < text_.size() &&
           (IsNameChar(text_[end]) || text_[end] == '+' || text_[end] == '%' ||
            (node->op == Op::kMatches && text_[end] != ' ' && text_[end] != ')'))) {
      ++end;
    }
    const std::string_view word = text_.substr(at_, end - at_);
    if (word.empty()) return Wrong("expected a number or a text");
    at_ = end;
    const bool is_pattern = node->op == Op::kMatches || node->op == Op::kMatchesNot;
    if (const std::optional<double> number = is_pattern ? std::nullopt : NumberOf(word)) {
      node->value = *number;
    } else if (word == "true" || word == "false") {
      node->value = word == "true";
    } else if (word != "null") {
      node->value = std::string(word);
    }
    return Check(std::move(node), begin);
  }

  static std::optional<double> NumberOf(std::string_view word) {
    double value = 0;
    const bool plus = word.starts_with('+');
    const char* const begin = word.data() + (plus ? 1 : 0);
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc()) return std::nullopt;
    const std::string_view unit(stop, static_cast<size_t>(end - stop));
    if (unit.empty()) return value;
    for (const Unit& known : kUnits) {
      if (known.name == unit) return value * known.factor;
    }
    return std::nullopt;
  }

  // What can never be true is a mistake of whoever wrote it.
  Made Check(Made node, size_t begin) {
    const bool is_fact = node->field->kind() == RunField::Kind::kFact;
    const bool is_pattern = node->op == Op::kMatches || node->op == Op::kMatchesNot;
    std::string* const text = std::get_if<std::string>(&node->value);
    if (is_pattern) {
      if (text == nullptr) return WrongAt(begin, "~ takes a regular expression");
      Result<Pattern> pattern = Pattern::Compile(*text);
      if (!pattern) return WrongAt(begin, pattern.error().message);
      node->pattern = std::move(*pattern);
      return node;
    }
    if (is_fact && node->field->fact() == RunField::Fact::kStatus && text != nullptr) {
      if (const Result<std::vector<RunStatus>> known = ParseStatuses(*text); !known) {
        return WrongAt(begin, known.error().message);
      }
    }
    const bool is_moment = is_fact && (node->field->fact() == RunField::Fact::kStart ||
                                       node->field->fact() == RunField::Fact::kEnd);
    if (is_moment && text != nullptr) {
      std::string padded = *text;
      // A day, or a minute, is its beginning.
      constexpr std::string_view kMidnight = "T00:00:00";
      if (padded.size() >= 10 && padded.size() < 19) padded += kMidnight.substr(padded.size() - 10);
      const std::optional<int64_t> moment = ParseTime(padded);
      if (!moment) {
        return WrongAt(begin,
                       fmt::format("{} is no moment; expected for example \"2026-11-15 20:45\"",
                                   QuotedWord(*text)));
      }
      node->value = static_cast<double>(*moment);
    }
    if (node->field->kind() == RunField::Kind::kMetric && text != nullptr) {
      return WrongAt(
          begin, fmt::format("{} is a number; {} is none", node->field->name(), QuotedWord(*text)));
    }
    return node;
  }

  std::string_view text_;
  const RunNames& names_;
  size_t at_ = 0;
  std::optional<Error> error_;
};

std::optional<double> AsNumber(const FieldValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* number = std::get_if<int64_t>(&value)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<uint64_t>(&value)) return static_cast<double>(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return std::nullopt;
}

std::string AsText(const FieldValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<T, bool>) {
          return held ? "true" : "false";
        } else if constexpr (std::is_arithmetic_v<T>) {
          return fmt::format("{}", held);
        } else if constexpr (std::is_same_v<T, JsonText>) {
          return std::string(held.text);
        } else {
          return std::string(held);
        }
      },
      value);
}

template <typename T>
bool Compare(Op op, const T& a, const T& b) {
  switch (op) {
    case Op::kEqual:
      return a == b;
    case Op::kNotEqual:
      return a != b;
    case Op::kLess:
      return a < b;
    case Op::kLessEqual:
      return a <= b;
    case Op::kGreater:
      return a > b;
    case Op::kGreaterEqual:
      return a >= b;
    default:
      return false;
  }
}

bool TestOne(Node& node, const FieldValue& value) {
  const bool missing = std::holds_alternative<std::monostate>(value);
  if (node.op == Op::kIs) {
    if (missing) return false;
    if (const std::optional<double> number = AsNumber(value)) return *number != 0;
    return !AsText(value).empty();
  }
  if (node.pattern) {
    if (missing) return node.op == Op::kMatchesNot;
    return node.pattern->Matches(AsText(value)) == (node.op == Op::kMatches);
  }
  if (std::holds_alternative<std::monostate>(node.value)) {
    return node.op == Op::kNotEqual ? !missing : node.op == Op::kEqual && missing;
  }
  if (missing) return false;
  if (const auto* text = std::get_if<std::string>(&node.value)) {
    return Compare<std::string>(node.op, AsText(value), *text);
  }
  std::optional<double> number = AsNumber(value);
  // A number that a tool wrote as a text.
  if (!number) {
    const ConfigValue read = ConfigFromText(AsText(value));
    if (const auto* real = std::get_if<double>(&read)) number = *real;
    if (const auto* whole = std::get_if<int64_t>(&read)) number = static_cast<double>(*whole);
  }
  if (!number) return node.op == Op::kNotEqual;
  if (const auto* flag = std::get_if<bool>(&node.value)) {
    return Compare<double>(node.op, *number, *flag ? 1 : 0);
  }
  const bool is_duration = node.field->kind() == RunField::Kind::kFact &&
                           node.field->fact() == RunField::Fact::kDuration;
  return Compare<double>(node.op, is_duration ? *number / 1e9 : *number,
                         std::get<double>(node.value));
}

bool Test(Node& node, const ListedRun& run) {
  const bool of_tags =
      node.field->kind() == RunField::Kind::kFact && node.field->fact() == RunField::Fact::kTags;
  const bool is_null = std::holds_alternative<std::monostate>(node.value) && !node.pattern;
  if (!of_tags || is_null) return TestOne(node, node.field->Get(run));
  // "Not equal" and "does not match" mean none of them.
  const bool negative = node.op == Op::kNotEqual || node.op == Op::kMatchesNot;
  for (const std::string& tag : run.info.tags) {
    if (TestOne(node, std::string_view(tag)) != negative) return !negative;
  }
  return negative;
}

bool Evaluate(Node& node, const ListedRun& run) {  // NOLINT(misc-no-recursion): bounded depth
  switch (node.op) {
    case Op::kAnd:
      return Evaluate(*node.left, run) && Evaluate(*node.right, run);
    case Op::kOr:
      return Evaluate(*node.left, run) || Evaluate(*node.right, run);
    case Op::kNot:
      return !Evaluate(*node.left, run);
    default:
      return Test(node, run);
  }
}

}  // namespace

RunFilter::RunFilter(std::unique_ptr<Node> root) : root_(std::move(root)) {}
RunFilter::RunFilter(RunFilter&&) noexcept = default;
RunFilter& RunFilter::operator=(RunFilter&&) noexcept = default;
RunFilter::~RunFilter() = default;

Result<RunFilter> RunFilter::Parse(std::string_view text, const RunNames& names) {
  constexpr size_t kMostText = size_t{1} << 16;
  if (text.size() > kMostText) return Fail(ErrorCode::kUsage, "the filter is too long", kMostText);
  Result<std::unique_ptr<Node>> root = Parser(text, names).Parse();
  if (!root) return tl::unexpected(root.error());
  return RunFilter(std::move(*root));
}

bool RunFilter::Matches(const ListedRun& run) const { return Evaluate(*root_, run); }

}  // namespace telltale
