// SPDX-License-Identifier: Apache-2.0
#include "views/render/markdown.h"

#include <gtest/gtest.h>

#include "views/table_spec.h"

namespace telltale {
namespace {

struct Row {
  std::string name;
  int64_t time_ns = 0;
  std::optional<double> share;
};

TableSpec<Row> Spec() {
  using enum Quantity;
  TableSpec<Row> spec;
  spec.columns = {
      Field("name", kName, Get<&Row::name>, {.title = "operator", .importance = 100}),
      Field("time_ns", kDuration, Get<&Row::time_ns>, {.title = "time", .importance = 90}),
      BarOf<Row>("bar", "time_ns", {.importance = 50}),
      Field("share", kShare, Get<&Row::share>, {.title = "of_all", .importance = 30}),
  };
  return spec;
}

Document Sample() {
  Document document("Operators", [](const OutputStyle&) {
    return std::string("Half of it is `mm`.\nThe rest is <small>.");
  });
  document.AddText([](std::optional<int64_t>, const OutputStyle&) {
    return std::string("\na picture ``` of it\n");
  });
  document.AddTable("rows", Spec(),
                    std::vector<Row>{{"a|b`c", 1'500'000, 0.5}, {"mm\n", 900, std::nullopt}},
                    {.title = "Operators", .main = true});
  return document;
}

TEST(MarkdownText, IsNeverMarkup) {
  EXPECT_EQ(MarkdownText("a_b*c|d <e>\n[f]"), "a\\_b\\*c\\|d \\<e\\> \\[f\\]");
  EXPECT_EQ(MarkdownText("\xff"), "\xef\xbf\xbd");
}

TEST(DocumentMarkdown, HasSentencePictureAndTable) {
  EXPECT_EQ(DocumentMarkdown(Sample(), std::nullopt),
            "**Half of it is \\`mm\\`.**\n"
            "\n"
            "**The rest is \\<small\\>.**\n"
            "\n"
            "````text\n"
            "a picture ``` of it\n"
            "````\n"
            "\n"
            "#### Operators\n"
            "\n"
            "| operator | time | of\\_all |\n"
            "| --- | ---: | ---: |\n"
            "| `a\\|b'c` | 1.50 ms | 50.0 % |\n"
            "| `mm ` | 900 ns | – |\n");
}

TEST(DocumentMarkdown, CountsTheRowsThatAreLeftOut) {
  const std::string text = DocumentMarkdown(Sample(), 1);
  EXPECT_TRUE(text.ends_with("| `a\\|b'c` | 1.50 ms | 50.0 % |\n\n… and 1 more\n")) << text;
}

TEST(MarkdownPart, LeavesOutWhatMattersLess) {
  const Document document = Sample();
  const std::string text = MarkdownPart(document, document.parts().back(), 1, 80);
  EXPECT_TRUE(text.find("| operator | time |\n") != std::string::npos) << text;
}

}  // namespace
}  // namespace telltale
