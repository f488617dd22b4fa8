// SPDX-License-Identifier: Apache-2.0
// The numbers are worked out by hand from the definitions in docs/analyses/roofline.md.
#include "analysis/roofline/formula.h"

#include <gtest/gtest.h>

#include <string>

namespace telltale {
namespace {

struct Answer {
  std::optional<int64_t> flops;
  std::optional<int64_t> bytes;
  friend bool operator==(const Answer&, const Answer&) = default;
};
void PrintTo(const Answer& answer, std::ostream* out) {
  *out << "{" << answer.flops.value_or(-1) << ", " << answer.bytes.value_or(-1) << "}";
}

Answer Work(std::string_view name, std::string_view dims, std::string_view types,
            std::string_view concrete = "", bool in_place = false) {
  const OperatorFormula* formula = FormulaFor(name);
  if (formula == nullptr) return {};
  const auto work = formula->work(CallArguments(dims, types, concrete, in_place));
  if (!work) return {};
  return {work->flops.value(), work->bytes.value()};
}
const Answer kNone;

// Types of n arguments that are all of one kind.
std::string All(std::string_view type, int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += (i > 0 ? ",\"" : "\"") + std::string(type) + "\"";
  return text + "]";
}

TEST(RooflineFormula, NamesOfEveryForm) {
  EXPECT_EQ(FormulaFor("aten::add.Tensor"), FormulaFor("aten::add"));
  EXPECT_EQ(FormulaFor("aten::add_.Tensor"), FormulaFor("aten::add"));
  EXPECT_EQ(FormulaFor("aten::copy_")->family, WorkFamily::kCopy);
  EXPECT_EQ(FormulaFor("aten::view"), nullptr);
  EXPECT_EQ(FormulaFor("aten::__and__"), nullptr);
  EXPECT_EQ(FormulaFor(""), nullptr);
}

TEST(RooflineFormula, Matmul) {
  EXPECT_EQ(Work("aten::mm", "[[2,3],[3,5]]", All("float", 2)), (Answer{60, 4 * (6 + 15 + 10)}));
  EXPECT_EQ(
      Work("aten::addmm", "[[5],[2,3],[3,5],[],[]]",
           R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar"])", R"(["","","","1","1"])"),
      (Answer{70, 2 * (5 + 6 + 15 + 10)}));
  EXPECT_EQ(
      Work("aten::addmm", "[[5],[2,3],[3,5],[],[]]",
           R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar"])", R"(["","","","0","1"])"),
      (Answer{60, 2 * (6 + 15 + 10)}));
  EXPECT_EQ(Work("aten::bmm", "[[7,2,3],[7,3,5]]", All("float", 2)),
            (Answer{420, 4 * 7 * (6 + 15 + 10)}));
  EXPECT_EQ(Work("aten::baddbmm", "[[7,2,5],[7,2,3],[7,3,5]]", All("float", 3)),
            (Answer{490, 4 * 7 * (6 + 15 + 10 + 10)}));
  EXPECT_EQ(Work("aten::linear", "[[4,2,3],[5,3],[5]]", All("float", 3)),
            (Answer{2 * 8 * 5 * 3 + 40, 4 * (24 + 15 + 5 + 40)}));
  EXPECT_EQ(Work("aten::linear", "[[4,2,3],[5,3]]", All("float", 2)),
            (Answer{2 * 8 * 5 * 3, 4 * (24 + 15 + 40)}));
  EXPECT_EQ(Work("aten::matmul", "[[6,1,2,3],[4,3,5]]", All("float", 2)),
            (Answer{2 * 24 * 2 * 5 * 3, 4 * (36 + 60 + 240)}));
  EXPECT_EQ(Work("aten::matmul", "[[3],[3]]", All("float", 2)), (Answer{6, 4 * 7}));
  EXPECT_EQ(Work("aten::mv", "[[2,3],[3]]", All("float", 2)), (Answer{12, 4 * (6 + 3 + 2)}));
  EXPECT_EQ(Work("aten::dot", "[[3],[3]]", All("float", 2)), (Answer{6, 4 * 7}));
  EXPECT_EQ(Work("aten::_scaled_mm", "[[2,3],[3,5],[],[]]",
                 R"(["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float"])"),
            (Answer{60, 6 + 15 + 20}));
  EXPECT_EQ(Work("aten::mm", "[[2,3],[4,5]]", All("float", 2)), kNone);
  EXPECT_EQ(Work("aten::mm", "[[2,3]]", All("float", 1)), kNone);
}

TEST(RooflineFormula, Convolution) {
  const std::string types =
      R"(["float","float","float","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"])";
  // 1 x 2 x 5 x 5 with 4 kernels of 3 x 3, padding 1, stride 2: 3 x 3 positions.
  EXPECT_EQ(Work("aten::convolution", "[[1,2,5,5],[4,2,3,3],[4],[],[],[],[],[],[]]", types,
                 R"(["","","","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1"])"),
            (Answer{2 * 36 * 18 + 36, 4 * (50 + 72 + 36 + 4)}));
  // Two groups: each kernel sees one channel.
  EXPECT_EQ(
      Work(
          "aten::convolution", "[[1,2,5],[4,1,3],[],[],[],[],[],[],[]]",
          R"(["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"])",
          R"(["","","","[1]","[0]","[2]","False","[0]","2"])"),
      (Answer{2 * 4 * 1 * 3, 4 * (10 + 12 + 4)}));
  // Transposed: 2 x 2 becomes 4 x 4.
  EXPECT_EQ(
      Work(
          "aten::convolution", "[[1,3,2,2],[3,5,2,2],[],[],[],[],[],[],[]]",
          R"(["float","float","","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar"])",
          R"(["","","","[2, 2]","[0, 0]","[1, 1]","True","[0, 0]","1"])"),
      (Answer{2 * 12 * 20, 4 * (12 + 60 + 80)}));
  EXPECT_EQ(Work("aten::convolution", "[[1,2,5,5],[4,2,3,3],[4],[],[],[],[],[],[]]", types), kNone);
  EXPECT_EQ(Work("aten::cudnn_convolution", "[[1,2,5,5],[4,2,3,3],[],[],[],[]]",
                 R"(["float","float","ScalarList","ScalarList","ScalarList","Scalar"])",
                 R"(["","","[1, 1]","[2, 2]","[1, 1]","1"])"),
            (Answer{2 * 36 * 18, 4 * (50 + 72 + 36)}));
  EXPECT_EQ(Work("aten::miopen_convolution", "[[1,2,5,5],[4,2,3,3],[],[],[],[],[]]",
                 R"(["float","float","","ScalarList","ScalarList","ScalarList","Scalar"])",
                 R"(["","","","[1, 1]","[2, 2]","[1, 1]","1"])"),
            (Answer{2 * 36 * 18, 4 * (50 + 72 + 36)}));
}

TEST(RooflineFormula, ConvolutionBackwardCountsWhatIsAskedFor) {
  const auto work = [](std::string_view mask) {
    return Work(
        "aten::convolution_backward", "[[1,4,3,3],[1,2,5,5],[4,2,3,3],[],[],[],[],[],[],[],[]]",
        R"(["float","float","float","ScalarList","ScalarList","ScalarList","ScalarList","Scalar","ScalarList","Scalar","ScalarList"])",
        R"(["","","","[4]","[2, 2]","[1, 1]","[1, 1]","False","[0, 0]","1",")" + std::string(mask) +
            "\"]");
  };
  const int64_t product = 2 * 36 * 18;
  const int64_t moved = 4 * (36 + 50 + 72);
  EXPECT_EQ(work("[True, True, False]"), (Answer{2 * product, 2 * moved}));
  EXPECT_EQ(work("[False, True, False]"), (Answer{product, moved}));
  EXPECT_EQ(work("[True, True, True]"), (Answer{2 * product + 36, 2 * moved + 16}));
  EXPECT_EQ(work("[False, False, True]"), (Answer{36, 16 + 144}));
  EXPECT_EQ(work(""), kNone);
}

TEST(RooflineFormula, ConvolutionBackwardOfLibraries) {
  const int64_t product = 2 * 36 * 18;
  const int64_t moved = 4 * (36 + 50 + 72);
  // As torch 1.10 writes it: no values, so both gradients.
  const std::string dims = "[[1,2,5,5],[1,4,3,3],[4,2,3,3],[],[],[],[],[],[],[],[]]";
  const std::string types =
      R"(["float","float","float","GenericList","GenericList","GenericList","Int","Bool","Bool","Bool","GenericList"])";
  EXPECT_EQ(Work("aten::cudnn_convolution_backward", dims, types),
            (Answer{2 * product, 2 * moved}));
  EXPECT_EQ(
      Work("aten::cudnn_convolution_backward", dims, types,
           R"(["","","","[1, 1]","[2, 2]","[1, 1]","1","False","False","True","[False, True]"])"),
      (Answer{product, moved}));
  EXPECT_EQ(Work("aten::miopen_convolution_backward",
                 "[[1,2,5,5],[1,4,3,3],[4,2,3,3],[],[],[],[],[],[],[]]",
                 R"(["float","float","float","","","","","","",""])",
                 R"(["","","","","","","","","","[True, False, True]"])"),
            (Answer{product + 36, moved + 16}));
  // One of them: sizes are values.
  EXPECT_EQ(Work("aten::cudnn_convolution_backward_input", "[[],[1,4,3,3],[4,2,3,3]]",
                 R"(["ScalarList","float","float"])", R"(["[1, 2, 5, 5]","",""])"),
            (Answer{product, moved}));
  EXPECT_EQ(Work("aten::miopen_convolution_backward_weight", "[[],[1,4,3,3],[1,2,5,5]]",
                 R"(["ScalarList","float","float"])", R"(["[4, 2, 3, 3]","",""])"),
            (Answer{product, moved}));
  EXPECT_EQ(Work("aten::cudnn_convolution_backward_weight", "[[],[1,4,3,3],[1,2,5,5]]",
                 R"(["GenericList","float","float"])"),
            kNone);
  EXPECT_EQ(Work("aten::miopen_convolution_backward_bias", "[[1,4,3,3]]", All("float", 1)),
            (Answer{36, 4 * 40}));
}

TEST(RooflineFormula, ListsOfTensors) {
  const std::string dims = "[[[2,3],[5]],[[2,3],[5]],[]]";
  const std::string types = R"([["float","float"],["float","float"],"Scalar"])";
  EXPECT_EQ(Work("aten::_foreach_add_", dims, types, "", true), (Answer{11, 4 * 33}));
  EXPECT_EQ(Work("aten::_foreach_mul_", "[[[2,3],[5]],[]]", R"([["float","float"],"Scalar"])"),
            (Answer{11, 4 * 22}));
  EXPECT_EQ(
      Work("aten::_foreach_mul_.Tensor", "[[[2,3],[5]],[]]", R"([["float","float"],"float"])"),
      (Answer{11, 4 * 23}));
  EXPECT_EQ(Work("aten::_foreach_sqrt", "[[[2,3],[5]]]", R"([["float","float"]])"),
            (Answer{11, 4 * 22}));
  EXPECT_EQ(Work("aten::_foreach_addcdiv_", "[[[2,3]],[[2,3]],[[2,3]],[]]",
                 R"([["float"],["float"],["float"],"ScalarList"])"),
            (Answer{18, 4 * 24}));
  EXPECT_EQ(
      Work("aten::_foreach_copy_", "[[[4]],[[4]],[]]", R"([["c10::Half"],["float"],"Scalar"])"),
      (Answer{0, 8 + 16}));
  EXPECT_EQ(Work("aten::_foreach_zero_", "[[[4],[2]]]", R"([["float","float"]])"), (Answer{0, 24}));
  EXPECT_EQ(Work("aten::_foreach_norm", "[[[4],[2]],[],[]]", R"([["float","float"],"Scalar",""])"),
            (Answer{12, 4 * 8}));
  // Types that were not captured, for all or for one.
  EXPECT_EQ(Work("aten::_foreach_add_", dims, R"(["TensorList","TensorList","Scalar"])"), kNone);
  EXPECT_EQ(Work("aten::_foreach_sqrt", "[[[2,3],[5]]]", R"([["float","odd"]])"), kNone);
  EXPECT_EQ(Work("aten::_foreach_add_", "[[[2,3],[5]],[[2,3]],[]]", types), kNone);
}

TEST(RooflineFormula, FusedOptimizers) {
  // Parameters, gradients, two averages; no largest variances; steps.
  EXPECT_EQ(
      Work(
          "aten::_fused_adamw_", "[[[2,3],[4]],[[2,3],[4]],[[2,3],[4]],[[2,3],[4]],[],[[],[]]]",
          R"([["float","float"],["c10::BFloat16","c10::BFloat16"],["float","float"],["float","float"],"TensorList",["float","float"]])"),
      (Answer{130, 10 * (8 + 2 + 8 + 8)}));
  EXPECT_EQ(Work("aten::_fused_sgd_", "[[[5]],[[5]],[[5]],[]]",
                 R"([["float"],["float"],["float"],"Scalar"])"),
            (Answer{20, 5 * (8 + 4 + 8)}));
  EXPECT_EQ(Work("aten::_fused_sgd_", "[[[5]],[[5]],[],[]]",
                 R"([["float"],["float"],"TensorList","Scalar"])"),
            (Answer{10, 5 * (8 + 4)}));
  EXPECT_EQ(Work("aten::_fused_adagrad_", "[[[5]],[[5]],[[5]],[[]]]",
                 R"([["float"],["float"],["float"],["float"]])"),
            (Answer{35, 5 * (8 + 4 + 8)}));
  EXPECT_EQ(Work("aten::_fused_adam_", "[[],[],[],[],[],[]]", All("TensorList", 6)), kNone);
}

TEST(RooflineFormula, Attention) {
  const std::string types =
      R"(["c10::Half","c10::Half","c10::Half","Scalar","Scalar","Scalar","Scalar"])";
  // Queries of 4 heads, keys of 2 (grouped), 3 queries, 5 keys, sizes 8 and 6.
  const std::string dims = "[[2,4,3,8],[2,2,5,8],[2,2,5,6],[],[],[],[]]";
  EXPECT_EQ(Work("aten::_scaled_dot_product_flash_attention", dims, types,
                 R"(["","","","0.","False","False",""])"),
            (Answer{2 * 8 * 15 * 14, 2 * (192 + 160 + 120 + 144)}));
  // Causal: 1 + 2 + 3 pairs.
  EXPECT_EQ(Work("aten::_scaled_dot_product_flash_attention", dims, types,
                 R"(["","","","0.","True","False",""])"),
            (Answer{2 * 8 * 6 * 14, 2 * (192 + 160 + 120 + 144)}));
  EXPECT_EQ(Work("aten::_scaled_dot_product_flash_attention", dims, types), kNone);
  // More queries than keys: 1 + 2, then 2 each.
  EXPECT_EQ(Work("aten::_scaled_dot_product_flash_attention",
                 "[[1,1,4,8],[1,1,2,8],[1,1,2,8],[],[],[],[]]", types,
                 R"(["","","","0.","True","False",""])"),
            (Answer{2 * 7 * 16, 2 * (32 + 16 + 16 + 32)}));
  EXPECT_EQ(
      Work("aten::_flash_attention_forward", "[[2,3,4,8],[2,5,2,8],[2,5,2,6],[],[],[],[],[],[]]",
           R"(["c10::Half","c10::Half","c10::Half","","","Scalar","Scalar","Scalar","Scalar"])",
           R"(["","","","","","3","5","0.","False"])"),
      (Answer{2 * 8 * 15 * 14, 2 * (192 + 160 + 120 + 144)}));
  EXPECT_EQ(
      Work(
          "aten::_scaled_dot_product_flash_attention_backward",
          "[[2,4,3,6],[2,4,3,8],[2,2,5,8],[2,2,5,6],[2,4,3,6],[2,4,3],[],[],[],[],[],[]]",
          R"(["c10::Half","c10::Half","c10::Half","c10::Half","c10::Half","float","","","Scalar","Scalar","Scalar","Scalar"])",
          R"(["","","","","","","","","3","5","0.","False"])"),
      (Answer{2 * 8 * 15 * (24 + 12), 2 * (2 * (192 + 160 + 120) + 2 * 144)}));
}

TEST(RooflineFormula, Normalization) {
  EXPECT_EQ(Work("aten::layer_norm", "[[4,6],[],[6],[6],[],[]]",
                 R"(["float","ScalarList","float","float","Scalar","Scalar"])"),
            (Answer{5 * 24, 4 * (48 + 12)}));
  const std::string batch = "[[2,3,4],[3],[3],[3],[3],[],[],[],[]]";
  const std::string types =
      R"(["float","float","float","float","float","Scalar","Scalar","Scalar","Scalar"])";
  EXPECT_EQ(
      Work("aten::batch_norm", batch, types, R"(["","","","","","True","0.1","1e-5","True"])"),
      (Answer{5 * 24, 4 * (48 + 18)}));
  EXPECT_EQ(
      Work("aten::batch_norm", batch, types, R"(["","","","","","False","0.1","1e-5","True"])"),
      (Answer{2 * 24, 4 * (48 + 12)}));
  EXPECT_EQ(
      Work("aten::_fused_rms_norm", "[[4,6],[],[6],[]]", R"(["float","ScalarList","float",""])"),
      (Answer{4 * 24, 4 * (48 + 6)}));
  EXPECT_EQ(Work("aten::native_layer_norm_backward", "[[4,6],[4,6],[],[4,1],[4,1],[6],[6],[]]",
                 R"(["float","float","ScalarList","float","float","float","float","ScalarList"])",
                 R"(["","","[6]","","","","","[True, True, True]"])"),
            (Answer{9 * 24, 4 * (3 * 24 + 8 + 12 + 12)}));
  EXPECT_EQ(Work("aten::_fused_rms_norm_backward", "[[4,6],[4,6],[],[4,1],[6],[]]",
                 R"(["float","float","ScalarList","float","float","ScalarList"])",
                 R"(["","","[6]","","","[True, False]"])"),
            (Answer{8 * 24, 4 * (3 * 24 + 4 + 6)}));
  EXPECT_EQ(Work("aten::_fused_rms_norm_backward", "[[4,6],[4,6],[],[4,1],[6],[]]",
                 R"(["float","float","ScalarList","float","float","ScalarList"])",
                 R"(["","","[6]","","","[True, True]"])"),
            (Answer{10 * 24, 4 * (3 * 24 + 4 + 6 + 6)}));
}

TEST(RooflineFormula, Elementwise) {
  EXPECT_EQ(Work("aten::exp", "[[4,6]]", All("float", 1)), (Answer{24, 4 * 48}));
  EXPECT_EQ(Work("aten::add", "[[4,6],[6],[]]", R"(["float","float","Scalar"])"),
            (Answer{24, 4 * (24 + 6 + 24)}));
  EXPECT_EQ(Work("aten::add", "[[4,1],[6],[]]", R"(["c10::Half","float","Scalar"])"),
            (Answer{24, 2 * 4 + 4 * 6 + 4 * 24}));
  EXPECT_EQ(Work("aten::add", "[[4,6],[4,6],[]]", R"(["c10::Half","float","Scalar"])", "", true),
            (Answer{24, 2 * 24 + 4 * 24 + 2 * 24}));
  // A single number does not widen the result; it is of the type torch wraps it in.
  EXPECT_EQ(Work("aten::mul", "[[4,6],[]]", R"(["c10::Half","double"])"), (Answer{24, 2 * 48 + 8}));
  EXPECT_EQ(Work("aten::mul", "[[4,6],[]]", R"(["long int","float"])"),
            (Answer{24, 8 * 24 + 4 + 4 * 24}));
  EXPECT_EQ(Work("aten::mul", "[[4,6],[]]", R"(["c10::Half","Scalar"])"), (Answer{24, 2 * 48}));
  EXPECT_EQ(Work("aten::eq", "[[4,6],[4,6]]", All("float", 2)), (Answer{24, 4 * 48 + 24}));
  EXPECT_EQ(Work("aten::addcmul", "[[24],[24],[24],[]]", R"(["float","float","float","Scalar"])"),
            (Answer{72, 4 * 96}));
  EXPECT_EQ(Work("aten::where", "[[24],[24],[]]", R"(["bool","float","float"])"),
            (Answer{0, 24 + 96 + 4 + 96}));
  EXPECT_EQ(Work("aten::native_dropout", "[[24],[],[]]", R"(["float","Scalar","Scalar"])"),
            (Answer{48, 4 * 48 + 24}));
  EXPECT_EQ(
      Work("aten::mse_loss", "[[24],[24],[]]", R"(["float","float","Scalar"])", R"(["","","1"])"),
      (Answer{72, 4 * 49}));
  EXPECT_EQ(Work("aten::add", "[[4],[5],[]]", R"(["float","float","Scalar"])"), kNone);
  EXPECT_EQ(Work("aten::add", "[[4],[4],[]]", R"(["float","c10::Odd","Scalar"])"), kNone);
}

TEST(RooflineFormula, ReductionAndSoftmax) {
  const std::string types = R"(["float","ScalarList","Scalar",""])";
  EXPECT_EQ(Work("aten::sum", "[[2,3,4],[],[],[]]", types, R"(["","[0, -1]","False",""])"),
            (Answer{24, 4 * (24 + 3)}));
  EXPECT_EQ(Work("aten::sum", "[[2,3,4],[]]", R"(["float","Scalar"])", R"(["","6"])"),
            (Answer{24, 4 * 25}));
  EXPECT_EQ(Work("aten::mean", "[[2,3,4],[],[],[]]", types, R"(["","[]","False",""])"),
            (Answer{24, 4 * 25}));
  EXPECT_EQ(Work("aten::sum", "[[2,3,4],[],[],[]]", types), kNone);  // which axes?
  EXPECT_EQ(Work("aten::sum", "[[2,3,4],[],[],[]]", types, R"(["","[7]","False",""])"), kNone);
  EXPECT_EQ(
      Work("aten::max", "[[2,3],[],[]]", R"(["float","Scalar","Scalar"])", R"(["","-1","False"])"),
      (Answer{6, 4 * 6 + 2 * 12}));
  EXPECT_EQ(Work("aten::argmax", "[[2,3],[],[]]", R"(["float","Scalar","Scalar"])",
                 R"(["","-1","False"])"),
            (Answer{6, 4 * 6 + 2 * 8}));
  EXPECT_EQ(Work("aten::linalg_vector_norm", "[[2,3],[],[],[],[]]",
                 R"(["float","Scalar","ScalarList","Scalar",""])", R"(["","2","[-1]","True",""])"),
            (Answer{12, 4 * 8}));
  EXPECT_EQ(Work("aten::cumsum", "[[6],[],[]]", R"(["float","Scalar",""])"), (Answer{6, 48}));
  EXPECT_EQ(Work("aten::_softmax", "[[2,3],[],[]]", R"(["c10::Half","Scalar","Scalar"])",
                 R"(["","-1","False"])"),
            (Answer{30, 24}));
  EXPECT_EQ(Work("aten::_softmax", "[[2,3],[],[]]", R"(["c10::Half","Scalar","Scalar"])",
                 R"(["","-1","True"])"),
            (Answer{30, 36}));
  EXPECT_EQ(Work("aten::_softmax_backward_data", "[[2,3],[2,3],[],[]]",
                 R"(["float","float","Scalar","Scalar"])"),
            (Answer{24, 4 * 18}));
}

TEST(RooflineFormula, Data) {
  EXPECT_EQ(Work("aten::copy_", "[[6],[6],[]]", R"(["float","c10::Half","Scalar"])"),
            (Answer{0, 36}));
  EXPECT_EQ(Work("aten::fill_", "[[6],[]]", R"(["float","Scalar"])"), (Answer{0, 24}));
  EXPECT_EQ(Work("aten::cat", "[[[2,3],[4,3]],[]]", R"([["float","float"],"Scalar"])"),
            (Answer{0, 2 * 4 * 18}));
  EXPECT_EQ(Work("aten::cat", "[[],[]]", R"(["TensorList","Scalar"])"), kNone);
  EXPECT_EQ(Work("aten::embedding", "[[1000,8],[3,4]]", R"(["float","long int"])"),
            (Answer{0, 96 + 2 * 12 * 32}));
  EXPECT_EQ(
      Work("aten::embedding_dense_backward", "[[3,4,8],[3,4],[],[],[]]",
           R"(["float","long int","Scalar","Scalar","Scalar"])", R"(["","","1000","-1","False"])"),
      (Answer{96, 4 * 96 + 96 + 4 * 8000}));
  EXPECT_EQ(Work("aten::index_select", "[[10,8],[],[5]]", R"(["float","Scalar","long int"])",
                 R"(["","0",""])"),
            (Answer{0, 40 + 2 * 4 * 40}));
  EXPECT_EQ(Work("aten::gather", "[[10,8],[],[10,1]]", R"(["float","Scalar","long int"])"),
            (Answer{0, 80 + 2 * 40}));
}

TEST(RooflineFormula, FusedKernelsMoveEachTensorOnce) {
  EXPECT_EQ(Work("triton_poi_fused_add_mul_3", "[[4,6],[6],[4,6],[]]",
                 R"(["float","c10::Half","float","Scalar"])"),
            (Answer{0, 96 + 12 + 96}));
  EXPECT_FALSE(CountsFlops(FormulaFor("triton_red_fused_mean_0")->family));
  EXPECT_EQ(FormulaFor("triton_tem_fused_mm_0"), nullptr);
  EXPECT_EQ(Work("triton_poi_fused_add_0", "[[],[]]", All("Scalar", 2)), kNone);
}

TEST(RooflineFormula, NoInputMakesAFormulaFail) {
  // Every formula meets shapes that do not suit it; none may do more than decline.
  const char* const names[] = {"aten::mm",
                               "aten::addmm",
                               "aten::bmm",
                               "aten::matmul",
                               "aten::linear",
                               "aten::convolution",
                               "aten::convolution_backward",
                               "aten::_scaled_dot_product_flash_attention",
                               "aten::_scaled_dot_product_cudnn_attention_backward",
                               "aten::batch_norm",
                               "aten::native_layer_norm_backward",
                               "aten::add",
                               "aten::where",
                               "aten::sum",
                               "aten::max",
                               "aten::_softmax",
                               "aten::embedding",
                               "aten::index_select",
                               "aten::cat",
                               "aten::copy_",
                               "aten::native_dropout",
                               "aten::mse_loss"};
  const char* const shapes[] = {"[]",
                                "[[]]",
                                "[[],[],[]]",
                                "[[0],[0],[0],[0]]",
                                "[[-1,-2],[-2,-3],[-3,-4],[1]]",
                                "[[9223372036854775807,2],[2,9223372036854775807]]",
                                "[[1,1,1,1],[1,1,1,1],[1,1,1,1],[1],[1]]"};
  for (const char* name : names) {
    for (const char* dims : shapes) {
      for (const char* type : {"float", "Scalar", ""}) {
        const Answer answer = Work(name, dims, All(type, 11),
                                   R"(["","","","[0]","[0]","[0]","True","[0]","0","0","[True]"])");
        EXPECT_GE(answer.flops.value_or(0), 0) << name << dims;
        EXPECT_GE(answer.bytes.value_or(0), 0) << name << dims;
      }
    }
  }
}

}  // namespace
}  // namespace telltale
