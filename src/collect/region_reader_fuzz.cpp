// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a region of any bytes ends, hands over no more than it holds, and nothing
// twice. An input is small: the first byte says how much of the file is cut off, then come the
// header and chunks, each as a length of two bytes and the bytes that stand at its beginning; the
// rest is zeros.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "collect/region_reader.h"

namespace telltale {
namespace {

constexpr size_t kMostParts = 9;

void Check(bool good, const char* what) {
  if (good) return;
  std::cerr << what << '\n';
  std::abort();
}

// The size of the file.
size_t Write(int file, uint8_t cut, std::string_view bytes) {
  size_t size = 0;
  for (size_t part = 0; part < kMostParts && bytes.size() >= 2; ++part) {
    const size_t length = static_cast<unsigned char>(bytes[0]) |
                          static_cast<size_t>(static_cast<unsigned char>(bytes[1])) << 8;
    const std::string_view given = bytes.substr(2, length);
    bytes.remove_prefix(2 + given.size());
    const ssize_t written = pwrite(file, given.data(), given.size(), static_cast<off_t>(size));
    Check(written == static_cast<ssize_t>(given.size()), "a short write");
    size += record::kChunkBytes;
  }
  size -= size * cut / 256;
  Check(ftruncate(file, static_cast<off_t>(size)) == 0, "no room");
  return size;
}

void Fuzz(uint8_t cut, std::string_view bytes) {
  const int file = memfd_create("region", MFD_CLOEXEC);
  Check(file >= 0, "no memory file");
  const size_t size = Write(file, cut, bytes);
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  if (auto reader = RegionReader::Open(path); reader) {
    size_t records = 0;
    const auto use = [&](const RegionRecord& record) {
      ++records;
      Check(record.bytes.size() <= size && record.name.size() <= size, "more bytes than there are");
    };
    const auto count = reader->Drain(use);
    Check(count.has_value() && *count == records, "another count");
    Check(records <= size / 8, "more records than fit");
    const RegionPosition position = reader->position();
    const auto again = reader->Drain([](const RegionRecord&) {});
    Check(again.has_value() && *again == 0, "records twice");
    const auto parsed = RegionPosition::Parse(position.Text());
    Check(parsed.has_value() && *parsed == position, "another position");
    reader->Release();

    auto second = RegionReader::Open(path);
    Check(second.has_value(), "cannot be opened again");
    second->Resume(position);
    const auto rest = second->Drain([](const RegionRecord& record) {
      Check(record.kind == RegionRecord::Kind::kName, "records twice, after another reader");
    });
    Check(rest.has_value(), "a second reader that fails");
  }
  close(file);
}

}  // namespace
}  // namespace telltale

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) telltale::Fuzz(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  // A position is read from a file, too.
  static_cast<void>(telltale::RegionPosition::Parse({reinterpret_cast<const char*>(data), size}));
  return 0;
}
