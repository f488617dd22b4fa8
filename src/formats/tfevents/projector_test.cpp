// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/projector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "formats/tfevents/projector_tensor.h"

namespace telltale::tfevents {
namespace {

using testing::ElementsAre;

TEST(ProjectorConfig, ReadsWhatTorchWrites) {
  const Result<ProjectorConfig> config = ParseProjectorConfig(R"(
embeddings {
  tensor_name: "with sprite:00003"
  metadata_path: "00003/with sprite/metadata.tsv"
  sprite {
    image_path: "00003/with sprite/sprite.png"
    single_image_dim: 6
    single_image_dim: 7
  }
  tensor_path: "00003/with sprite/tensors.tsv"
}
embeddings { tensor_path: 'a/b.tsv' tensor_shape: [12, 5] unknown { x: 1 } }  # a remark
model_checkpoint_path: "x" 'y'
)");
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->embeddings.size(), 2U);
  EXPECT_EQ(config->embeddings[0].sprite_path, "00003/with sprite/sprite.png");
  EXPECT_THAT(config->embeddings[0].sprite_size, ElementsAre(6, 7));
  EXPECT_EQ(config->embeddings[1].tensor_name, "b.tsv");
  EXPECT_THAT(config->embeddings[1].tensor_shape, ElementsAre(12, 5));
  EXPECT_EQ(config->model_checkpoint_path, "xy");
  EXPECT_EQ(FindEmbedding(*config, "b.tsv:0"), &config->embeddings[1]);
  EXPECT_EQ(FindEmbedding(*config, "c"), nullptr);
}

TEST(ProjectorConfig, EscapesAreDecoded) {
  const Result<ProjectorConfig> config =
      ParseProjectorConfig(R"(embeddings { tensor_name: "a\"\303\274\x41\n" })");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->embeddings[0].tensor_name,
            "a\"\xc3\xbc"
            "A\n");
}

TEST(ProjectorConfig, DamageIsAnError) {
  for (const char* text : {"embeddings {", "embeddings", "}", "a: \"x", "a: [1", ": 1", "a { b: }",
                           "a:\"\\9\"", "a {{{{{{{{{{{{"}) {
    EXPECT_FALSE(ParseProjectorConfig(text)) << text;
  }
}

TEST(ProjectorTensor, IsReadAsATableOrAsFloats) {
  const Result<ProjectorTensor> table = ReadProjectorTensor("1\t2.5\n\n-3e-1\t4\n", {});
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows, 2U);
  EXPECT_THAT(table->values, ElementsAre(1.F, 2.5F, -0.3F, 4.F));
  EXPECT_FALSE(ReadProjectorTensor("1\t2\n3\n", {}));
  EXPECT_FALSE(ReadProjectorTensor("1\tx\n", {}));

  std::string floats(16, '\0');
  const float numbers[] = {1, 2, 3, 4};
  std::memcpy(floats.data(), numbers, 16);
  const Result<ProjectorTensor> binary = ReadProjectorTensor(floats, {2, 2});
  ASSERT_TRUE(binary);
  EXPECT_THAT(binary->values, ElementsAre(1.F, 2.F, 3.F, 4.F));
  EXPECT_FALSE(ReadProjectorTensor(floats, {3, 2}));
  EXPECT_FALSE(ReadProjectorTensor(floats, {INT64_MAX, INT64_MAX}));

  const std::string head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }\n";
  const std::string npy = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(head.size()) +
                          std::string(1, '\0') + head + floats;
  const Result<ProjectorTensor> array = ReadProjectorTensor(npy, {});
  ASSERT_TRUE(array) << array.error().message;
  EXPECT_EQ(array->columns, 2U);
  EXPECT_FALSE(ReadProjectorTensor(npy.substr(0, 20), {}));
}

}  // namespace
}  // namespace telltale::tfevents
