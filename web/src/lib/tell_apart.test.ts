// SPDX-License-Identifier: Apache-2.0
// The names are of traces of TraceLens and of Lightning's profiler.
import { expect, it } from "vitest";
import { kernelNames } from "./kernel_names";
import { listedFiles, tellApart } from "./tell_apart";
import { shortenMiddle } from "./text";

const IGEMM = [
  "igemm_bwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x128x32_wt32x32x8_ws1x1_wr2x1_ta1x8x1x1_1x4x1x64_tb1x8x1x2_1x4x1x64_mh_gkgs",
  "igemm_bwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1_wr2x2_ta1x8x2x1_1x4x1x64_tb1x8x1x2_1x4x1x64_mh_gkgs",
];
const TILES = [
  "Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1_SN_LDSB0_AFC1_AFEM1_AFEM1_ASEM1_CLR1",
  "Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x64_MI16x16x1_SN_LDSB0_AFC1_AFEM1_AFEM1_ASEM1_CLR1",
  "Cijk_Ailk_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x256x64_MI32x32x1_SN_LDSB0_AFC1_AFEM1_AFEM1_ASEM1_CLR1",
];
const CAT = [2, 8].map(
  (size) =>
    `void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<at::native::(anonymous namespace)::OpaqueType<${size}u>, unsigned int, 1, 128, 1>(at::native::(anonymous namespace)::OpaqueType<${size}u>*, int, unsigned int, unsigned int)`,
);
const WMMA = ["64x1", "32x1"].map((k) => {
  const name = `cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_${k}_nn_align8`;
  return `void cutlass::Kernel2<${name}>(${name}::Params)`;
});

const ROOM = 44;
const differ = (forms: readonly string[]): boolean => new Set(forms).size === forms.length;

it.each([
  ["tiles of igemm", IGEMM],
  ["tiles of Tensile", TILES],
  ["template arguments", CAT],
  ["tiles of cutlass", WMMA],
])("tells %s apart where the middle is left out", (_, names) => {
  expect(differ(names.map((name) => shortenMiddle(name, ROOM)))).toBe(false);
  const forms = names.map(tellApart(names, ROOM));
  expect(differ(forms)).toBe(true);
  for (const form of forms) expect(form.length).toBeLessThanOrEqual(ROOM + 4);
  const shown = names.map(kernelNames(names));
  expect(differ(shown.map((name) => shortenMiddle(name, ROOM)))).toBe(true);
});

it("shows the word that differs", () => {
  expect(TILES.map(tellApart(TILES, ROOM))).toEqual([
    expect.stringContaining("…MT256x256x64_MI16x16x1"),
    expect.stringContaining("…MT128x256x64_MI16x16x1"),
    expect.stringContaining("…MT128x256x64_MI32x32x1"),
  ]);
});

it("leaves names alone that differ anyway, and those that fit", () => {
  const names = ["volta_sgemm_64x64_nt", "volta_sgemm_128x64_nt", ...IGEMM.slice(0, 1)];
  expect(names.map(tellApart(names, ROOM))).toEqual(names);
  expect(["a", "a"].map(tellApart(["a", "a"], ROOM))).toEqual(["a", "a"]);
});

it("tells Lightning's files apart in a narrow list", () => {
  const hooks = [
    "on_train_batch_end",
    "on_train_batch_start",
    "on_validation_batch_end",
    "on_train_epoch_end",
  ];
  const files = ["ModelSummary", "TQDMProgressBar", "ModelCheckpoint"].flatMap((callback) =>
    hooks.map((hook) => `fit-advanced-[Callback]${callback}.${hook}.prof`),
  );
  expect(differ(files.map((name) => shortenMiddle(name, 24)))).toBe(false);
  const shown = files.map(listedFiles(files, 24));
  expect(differ(shown)).toBe(true);
  expect(shown[0]).toMatch(/^…ModelS/);
});

it("leaves few files as they are", () => {
  const names = ["worker0.1.pt.trace.json.gz", "worker0.2.pt.trace.json.gz"];
  expect(names.map(listedFiles(names, 24))).toEqual(["worker0.1", "worker0.2"]);
});
