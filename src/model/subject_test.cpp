// SPDX-License-Identifier: Apache-2.0
#include "model/subject.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <typename T>
Artifact From(std::string path, int64_t rank = kNoInt) {
  T content;
  content.source.path = std::move(path);
  content.source.rank = rank;
  return Artifact(std::move(content));
}

std::vector<std::string> PathsOf(const Subject& subject) {
  std::vector<std::string> paths;
  for (const auto& artifact : subject.artifacts()) paths.push_back(artifact->source().path);
  return paths;
}

Subject Mixed() {
  Subject subject;
  subject.name = "mixed";
  subject.Add(From<MemoryProfile>("memory"));
  subject.Add(From<Trace>("rank 1", 1));
  subject.Add(From<FunctionProfile>("functions"));
  subject.Add(From<Trace>("rank 0", 0));
  return subject;
}

TEST(Artifact, AnswersForWhateverItHolds) {
  Artifact artifact = From<FunctionProfile>("a.prof");
  EXPECT_EQ(artifact.kind(), ContentKind::kFunctions);
  EXPECT_EQ(NameOf(artifact.kind()), "functions");
  EXPECT_EQ(artifact.source().path, "a.prof");
  EXPECT_EQ(artifact.As<Trace>(), nullptr);
  ASSERT_NE(artifact.As<FunctionProfile>(), nullptr);
  artifact.diagnostics().Add(DiagnosticKind::kTruncated, 7);
  EXPECT_EQ(artifact.As<FunctionProfile>()->diagnostics.Count(DiagnosticKind::kTruncated), 1U);
  EXPECT_EQ(artifact.memory_bytes(), artifact.As<FunctionProfile>()->memory_bytes());
}

TEST(Subject, OrdersByKindAndThenAsAdded) {
  const Subject subject = Mixed();
  EXPECT_THAT(PathsOf(subject), ElementsAre("rank 1", "rank 0", "functions", "memory"));
  EXPECT_THAT(subject.IdsOf<Trace>(), ElementsAre(ArtifactId{0}, ArtifactId{1}));
  EXPECT_THAT(subject.IdsOf<MemoryProfile>(), ElementsAre(ArtifactId{3}));
}

TEST(Subject, GivesEachOfAKind) {
  const Subject subject = Mixed();
  ASSERT_EQ(subject.Each<Trace>().size(), 2U);
  EXPECT_EQ(subject.Each<Trace>()[1]->source.path, "rank 0");
  EXPECT_TRUE(subject.Has<MemoryProfile>());
  EXPECT_FALSE(Subject().Has<Trace>());
  EXPECT_THAT(Subject().Each<Trace>(), IsEmpty());
}

TEST(Subject, APartSharesWhatItKeeps) {
  const Subject whole = Mixed();
  const Subject part =
      whole.Only([](const Artifact& artifact) { return artifact.source().rank != 1; });
  EXPECT_THAT(PathsOf(part), ElementsAre("rank 0", "functions", "memory"));
  EXPECT_EQ(part.name, "mixed");
  EXPECT_EQ(part.Each<Trace>()[0], whole.Each<Trace>()[1]);
  EXPECT_LT(part.memory_bytes(), whole.memory_bytes());
}

TEST(Subject, IsWithoutWhatWasTaken) {
  Subject subject = Mixed();
  const Artifact taken = subject.Take(ArtifactId{2});
  EXPECT_EQ(taken.source().path, "functions");
  EXPECT_THAT(PathsOf(subject), ElementsAre("rank 1", "rank 0", "memory"));
}

}  // namespace
}  // namespace telltale
