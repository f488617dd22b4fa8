// SPDX-License-Identifier: Apache-2.0
#include "collect/line_folder.h"

#include <algorithm>

#include "collect/clock.h"

namespace telltale {

namespace {

constexpr char kEscape = '\x1b';

// Bytes that a UTF-8 character has by its first one; 1 for what is none.
size_t CharacterLength(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0xc0) return 1;
  if (byte < 0xe0) return 2;
  if (byte < 0xf0) return 3;
  return byte < 0xf8 ? 4 : 1;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// ESC [ … ends at a letter or one of @ to ~; ESC ] … (a title) at BEL or ESC \; others have two
// bytes.
bool IsWhole(std::string_view sequence) {
  if (sequence.size() < 2) return false;
  const char last = sequence.back();
  if (sequence[1] == '[') return sequence.size() > 2 && last >= 0x40 && last <= 0x7e;
  if (sequence[1] == ']') return last == '\a' || sequence.ends_with("\x1b\\");
  if (sequence[1] == '(' || sequence[1] == ')') return sequence.size() > 2;
  return true;
}

// More is no sequence but an accident.
constexpr size_t kMostSequence = 256;

}  // namespace

void LineFolder::Add(std::string_view bytes, int64_t wall_ns, std::string& out) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    Take(bytes.substr(0, end));
    if (end == std::string_view::npos) break;
    End(wall_ns, out);
    bytes.remove_prefix(end + 1);
  }
  if (bytes_ > kMostBytes) End(wall_ns, out);
}

void LineFolder::Finish(int64_t wall_ns, std::string& out) {
  if (bytes_ > 0) End(wall_ns, out);
}

void LineFolder::Take(std::string_view piece) {
  if (piece.empty()) return;
  bytes_ += piece.size();
  if (!has_cells_ && !has_return_ && sequence_.empty()) {
    // Up to the first byte that may move the cursor.
    const size_t special = piece.find_first_of("\r\b\x1b");
    plain_.append(piece.substr(0, special));
    if (special == std::string_view::npos) return;
    piece.remove_prefix(special);
    if (piece == "\r") {  // the end of a line, most likely
      has_return_ = true;
      return;
    }
    Expand();
  }
  if (has_return_) {
    Expand();
    has_return_ = false;
    column_ = 0;
  }
  for (const char c : piece) {
    if (!sequence_.empty()) {
      sequence_ += c;
      if (IsWhole(sequence_) || sequence_.size() > kMostSequence) TakeSequence();
      continue;
    }
    if (has_return_) {
      has_return_ = false;
      column_ = 0;
    }
    if (c == '\r') {
      has_return_ = true;
    } else if (c == '\b') {
      column_ -= column_ > 0 ? 1 : 0;
    } else if (c == kEscape) {
      sequence_ = c;
    } else {
      TakePlain({&c, 1});
    }
  }
}

void LineFolder::TakePlain(std::string_view text) {
  for (const char c : text) {
    if (!character_.empty() && !IsContinuation(c)) {
      Put(character_);
      character_.clear();
    }
    character_ += c;
    if (character_.size() >= CharacterLength(character_[0])) {
      Put(character_);
      character_.clear();
    }
  }
}

void LineFolder::TakeSequence() {
  const std::string_view sequence = sequence_;
  if (sequence.starts_with("\x1b[") && sequence.ends_with('K')) {
    const std::string_view what = sequence.substr(2, sequence.size() - 3);
    if (what.empty() || what == "0") {
      cells_.resize(std::min(cells_.size(), column_));
    } else if (what == "2") {
      cells_.clear();
    } else {
      for (size_t i = 0; i < std::min(column_ + 1, cells_.size()); ++i) cells_[i].bytes = " ";
    }
  } else {
    pending_ += sequence;
  }
  sequence_.clear();
}

void LineFolder::Put(std::string_view character) {
  if (column_ >= cells_.size()) cells_.resize(column_ + 1, Cell{" "});
  cells_[column_].bytes = pending_;
  cells_[column_].bytes += character;
  pending_.clear();
  ++column_;
}

void LineFolder::Expand() {
  if (has_cells_) return;
  has_cells_ = true;
  TakePlain(plain_);
  plain_.clear();
}

void LineFolder::End(int64_t wall_ns, std::string& out) {
  out += FormatLogTime(wall_ns);
  out += ' ';
  if (has_cells_) {
    if (!character_.empty()) Put(character_);
    for (const Cell& cell : cells_) out += cell.bytes;
    out += pending_;
    out += sequence_;
  } else {
    out += plain_;
  }
  out += '\n';
  plain_.clear();
  cells_.clear();
  pending_.clear();
  sequence_.clear();
  character_.clear();
  has_cells_ = false;
  has_return_ = false;
  column_ = 0;
  bytes_ = 0;
}

}  // namespace telltale
