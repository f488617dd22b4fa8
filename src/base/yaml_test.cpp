// SPDX-License-Identifier: Apache-2.0
#include "base/yaml.h"

#include <gtest/gtest.h>

#include <string>

namespace telltale {
namespace {

std::string AsJson(std::string_view yaml) { return ToJsonText(ParseYaml(yaml).value); }

TEST(Yaml, ReadsNestedMappingsAndLists) {
  EXPECT_EQ(AsJson("lr: 0.05\n"
                   "model:\n"
                   "  name: vae   # a remark\n"
                   "  sizes:\n"
                   "  - 8\n"
                   "  - 16\n"
                   "  heads:\n"
                   "    - {a: 1, b: [x, 'y, z']}\n"
                   "    - k: v\n"
                   "      w: 2\n"
                   "none:\n"
                   "flag: true\n"),
            R"({"lr":0.05,"model":{"name":"vae","sizes":[8,16],"heads":[{"a":1,"b":["x","y, z"]},)"
            R"({"k":"v","w":2}]},"none":null,"flag":true})");
}

TEST(Yaml, KeepsTextsThatLookLikeSomethingElse) {
  EXPECT_EQ(AsJson("a: 'it''s'\nb: \"x\\ty: z\"\nc: http://h:80/p#q\nd: 1.0e-05\ne: 1e-3\nf: -.inf"
                   "\ng: \"1\"\nh: 2026-11-17 12:00:00\n"),
            R"({"a":"it's","b":"x\ty: z","c":"http://h:80/p#q","d":1e-05,"e":0.001,)"
            R"("f":"-Infinity","g":"1","h":"2026-11-17 12:00:00"})");
}

TEST(Yaml, KeepsPythonTagsAsText) {
  EXPECT_EQ(AsJson("cls: !!python/name:torch.optim.Adam ''\n"
                   "path: !!python/object/apply:pathlib.PosixPath\n- /\n- data\n"
                   "n: &id001 3\n"
                   "args: !!python/tuple\n  - 1\n  - 2\n"),
            R"({"cls":"","path":["/","data"],"n":3,"args":[1,2]})");
  EXPECT_EQ(AsJson("a: !custom x\nb: !!str 5\n"), R"({"a":"!custom x","b":"5"})");
}

TEST(Yaml, ReadsTextBlocksAndTheFirstDocument) {
  EXPECT_EQ(AsJson("%YAML 1.1\n---\nt: |\n  one\n    two\n\n  three\nf: >-\n  a\n  b\n---\nz: 1\n"),
            R"({"t":"one\n  two\n\nthree\n","f":"a b"})");
  EXPECT_EQ(AsJson("{}"), "{}");
  EXPECT_EQ(AsJson("{}\n"), "{}");
  EXPECT_EQ(AsJson(""), "null");
}

TEST(Yaml, CountsWhatItCannotUnderstandAndReadsOn) {
  const YamlDocument document = ParseYaml("a: 1\n?? what\nb: 2\nc: \"open\n");
  EXPECT_EQ(document.bad_lines, 2U);
  EXPECT_EQ(document.first_bad_offset, 5U);
  EXPECT_EQ(document.value["b"].AsInt(), 2);
}

TEST(Yaml, IsBoundedOnHostileText) {
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  EXPECT_GT(ParseYaml(deep).bad_lines, 0U);
  EXPECT_GT(ParseYaml("a: " + std::string(100'000, '[')).bad_lines, 0U);
  std::string text = "a:\n  - {b: [1, \"x\"]}\n  - |\n    t\n";
  for (size_t i = 0; i <= text.size(); ++i) (void)ParseYaml(text.substr(0, i));
}

}  // namespace
}  // namespace telltale
