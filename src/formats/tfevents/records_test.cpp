// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/records.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/tfevents/record_cutter.h"
#include "formats/tfevents/writer.h"

namespace telltale::tfevents {
namespace {

TEST(Records, MasksTheChecksumAsTensorFlowDoes) {
  const std::string length = {24, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_EQ(MaskedCrc(length), 0x224B7FA3U);
}

std::string Records(const std::vector<std::string>& payloads) {
  std::string bytes;
  for (const std::string& payload : payloads) AppendRecord(payload, bytes);
  return bytes;
}

// Payloads with their offsets, gaps and the rest, as text.
std::string Cut(std::string_view bytes, size_t chunk = SIZE_MAX, size_t block = 1 << 20) {
  const auto source = OpenMemory(bytes, chunk);
  RecordCutter cutter(*source, 0, block);
  std::string text;
  RecordBlock records;
  while (*cutter.Next(records)) {
    for (size_t at = 0; at < records.size;) {
      const uint64_t length = *ReadHeader(records.bytes.data() + at);
      text += std::to_string(records.offset + at) + ":" +
              std::string(records.bytes.data() + at + kHeaderBytes, length) + " ";
      at += length + kFrameBytes;
    }
  }
  for (const Gap& gap : cutter.gaps()) {
    text += "gap " + std::to_string(gap.offset) + "+" + std::to_string(gap.bytes) +
            (gap.all_zero ? "zero " : " ");
  }
  text += "rest " + std::to_string(static_cast<int>(cutter.rest())) + " " +
          std::to_string(cutter.position()) + "+" + std::to_string(cutter.rest_bytes());
  EXPECT_EQ(cutter.end(), bytes.size());
  return text;
}

// Whatever the size of reads and blocks.
std::string CutAnyhow(std::string_view bytes) {
  const std::string whole = Cut(bytes);
  for (const size_t chunk : {size_t{1}, size_t{7}, SIZE_MAX}) {
    for (const size_t block : {size_t{1}, size_t{16}, size_t{33}, size_t{64}, size_t{1000}}) {
      EXPECT_EQ(Cut(bytes, chunk, block), whole) << chunk << " " << block;
    }
  }
  return whole;
}

const std::string kThree = Records({"one", "", "three"});

TEST(RecordCutter, FindsEveryRecord) {
  EXPECT_EQ(CutAnyhow(kThree), "0:one 19: 35:three rest 0 56+0");
  EXPECT_EQ(CutAnyhow(""), "rest 0 0+0");
}

TEST(RecordCutter, LeavesACutRecordAtTheEnd) {
  for (size_t cut = 0; cut < kThree.size(); ++cut) {
    const std::string text = CutAnyhow(std::string_view(kThree).substr(0, cut));
    const size_t begin = cut < 19 ? 0 : cut < 35 ? 19 : 35;
    EXPECT_TRUE(text.ends_with("rest " + std::string(cut == begin ? "0 " : "1 ") +
                               std::to_string(begin) + "+" + std::to_string(cut - begin)))
        << cut << ": " << text;
  }
}

TEST(RecordCutter, GoesOnBehindABadHeader) {
  std::string bytes = kThree;
  bytes[20] = 'x';
  EXPECT_EQ(CutAnyhow(bytes), "0:one 35:three gap 19+16 rest 0 56+0");
  bytes = "garbage" + kThree;
  EXPECT_EQ(CutAnyhow(bytes), "7:one 26: 42:three gap 0+7 rest 0 63+0");
}

TEST(RecordCutter, FindsRecordsThatAShortenedOneWouldSwallow) {
  std::string bytes = Records({"a long payload of which bytes are missing", "two", "three"});
  bytes.erase(20, 10);
  EXPECT_EQ(CutAnyhow(bytes), "47:two 66:three gap 0+47 rest 0 87+0");
}

TEST(RecordCutter, FindsRecordsBehindALengthThatIsTooLarge) {
  // Its checksum is right.
  std::string bytes = Records({"one", std::string(1 << 20, 'x')}).substr(0, 19 + kHeaderBytes);
  const size_t cut = bytes.size();
  bytes += "lost" + kThree;
  EXPECT_EQ(CutAnyhow(bytes), "0:one 35:one 54: 70:three gap 19+16 rest 0 91+0");
  EXPECT_EQ(CutAnyhow(bytes.substr(0, cut + 4)), "0:one rest 1 19+16");
}

TEST(RecordCutter, BelievesNoLengthBeyondAMessage) {
  for (const uint64_t length :
       {uint64_t{1} << 31, uint64_t{1} << 40, uint64_t{1} << 63, UINT64_MAX}) {
    std::string header(reinterpret_cast<const char*>(&length), 8);
    const uint32_t crc = MaskedCrc(header);
    header.append(reinterpret_cast<const char*>(&crc), 4);
    EXPECT_EQ(CutAnyhow(header), "rest 3 0+12");
    EXPECT_EQ(CutAnyhow(header + kThree), "12:one 31: 47:three gap 0+12 rest 0 68+0");
  }
}

TEST(RecordCutter, TellsZeroBytes) {
  const std::string zeros(40, '\0');
  EXPECT_EQ(CutAnyhow(kThree + zeros), "0:one 19: 35:three rest 3 56+40");
  EXPECT_EQ(CutAnyhow(zeros + kThree), "40:one 59: 75:three gap 0+40zero rest 0 96+0");
}

TEST(RecordCutter, KeepsALastRecordWithABadChecksumForLater) {
  std::string bytes = kThree;
  bytes.back() ^= 1;
  EXPECT_EQ(CutAnyhow(bytes), "0:one 19: rest 2 35+21");
  // With one behind it, it is given out: whoever parses it sees the checksum.
  EXPECT_EQ(CutAnyhow(bytes + kThree), "0:one 19: 35:three 56:one 75: 91:three rest 0 112+0");
}

}  // namespace
}  // namespace telltale::tfevents
