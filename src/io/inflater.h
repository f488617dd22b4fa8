// SPDX-License-Identifier: Apache-2.0
// Decodes the body of one gzip member at a time (deflate data, then checksum and length), so that
// the two libraries that can do it look the same. Headers and the way from member to member:
// gzip_source.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace telltale {

class Inflater {
 public:
  enum class Status : uint8_t {
    kMore,           // wants more input or more room
    kFinished,       // the member ended and its checksum is right
    kDamaged,        // the data cannot be decoded further
    kWrongChecksum,  // decoded to the end, but the checksum or the length differs
  };
  struct Step {
    size_t consumed = 0;
    size_t produced = 0;
    Status status = Status::kMore;
  };

  virtual ~Inflater() = default;

  // Starts a member: the next input byte is the first one after its header.
  virtual void Begin() = 0;
  // What can be decoded comes out before kDamaged or kWrongChecksum is said.
  [[nodiscard]] virtual Step Run(const char* input, size_t input_bytes, char* output,
                                 size_t output_bytes) = 0;
};

// ISA-L where the build has it, else zlib.
[[nodiscard]] std::unique_ptr<Inflater> MakeInflater();
[[nodiscard]] std::unique_ptr<Inflater> MakeZlibInflater();

}  // namespace telltale
