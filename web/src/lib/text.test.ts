// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { fileStems, kernelName, kernelNames, keyOf, plural, shortenMiddle, tailOf, visible } from "./text";

it("keeps both ends of a long name", () => {
  expect(shortenMiddle("abcdefghij", 10)).toBe("abcdefghij");
  const short = shortenMiddle("void cudnn::detail::dgrad_engine<float>(int, int)", 21);
  expect(short).toHaveLength(21);
  expect(short.startsWith("void cudnn::")).toBe(true);
  expect(short.endsWith("t, int)")).toBe(true);
});

it("shows what would move or hide text", () => {
  expect(visible("a\u202eb")).toBe("a\ufffdb");
  expect(visible("\u001b[31m")).toBe("␛[31m");
  expect(visible("tab\tend")).toBe("tab␉end");
  expect(visible("שלום")).toBe("שלום");
});

it("counts", () => {
  expect([plural(1, "step"), plural(2, "step"), plural(2, "copy", "copies")]).toEqual([
    "step",
    "steps",
    "copies",
  ]);
});

it("makes keys of names that fit an address and differ where names differ", () => {
  expect(keyOf("aten::mm")).toBe("aten::mm");
  const long = "A".repeat(1_000_000);
  expect(keyOf(long).length).toBeLessThan(300);
  expect(keyOf(long)).not.toBe(keyOf(`${long.slice(0, -1)}B`));
});

it("shows a kernel without what it returns and its argument list", () => {
  expect(
    kernelName(
      "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float, at::native::(anonymous namespace)::Epilogue>(float*, float const*, int)",
    ),
  ).toBe(
    "at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float, at::native::(anonymous namespace)::Epilogue>",
  );
  expect(kernelName("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)")).toBe("ncclDevKernel_Generic");
  expect(kernelName("void (anonymous namespace)::f<(Kind)0>(int, void (*)(int))")).toBe(
    "(anonymous namespace)::f<(Kind)0>",
  );
  expect(kernelName("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, 7>(T<int>)")).toBe(
    "internal::gemvx::kernel<int, 7>",
  );
  expect(kernelName("void ck::kernel_gemm<4>(float*) [clone .kd]")).toBe("ck::kernel_gemm<4>");
  expect(kernelName("void plain<4>")).toBe("plain<4>");
  expect(kernelName("no_arguments()")).toBe("no_arguments");
});

it("keeps what a kernel's own name holds in brackets", () => {
  const lambda =
    "at::native::elementwise<4, f(T&)::{lambda()#2}::operator()() const::{lambda(float)#1}, Array<char*, 2> >";
  expect(kernelName(`void ${lambda}(int, f(T&)::{lambda()#2}::operator()() const::{lambda(float)#1})`)).toBe(
    lambda,
  );
  const called = "run(int)::{lambda(float)#1}::operator()";
  expect(kernelName(`void ${called}() const`)).toBe(called);
  expect(kernelName(called)).toBe(called);
});

it("leaves names that are no signatures as they are", () => {
  for (const name of [
    "Memcpy HtoD (Pageable -> Device)",
    "Memset (Device)",
    "volta_sgemm_64x64_nt",
    "Cijk_Ailk_Bjlk_SB_MT64x32x64_MI16x16x1_SN",
    "aten::mm",
    "triton_poi_fused_add_0",
    "fusion(3)",
    "avoid this",
    "void ",
    "(anonymous namespace)",
    "a)",
    ")",
    "",
  ])
    expect(kernelName(name)).toBe(name);
});

it("tells kernels of one table apart", () => {
  const names = ["void f<1>(int)", "void f<1>(float)", "void g(int)", "void g(int)"];
  const shown = kernelNames(names);
  expect(names.map(shown)).toEqual(["f<1>(int)", "f<1>(float)", "g", "g"]);
  const hidden = ["void at::(anonymous namespace)::h<(anonymous namespace)::T>(int)", "at::k()"];
  expect(hidden.map(kernelNames(hidden))).toEqual(["at::h<T>", "at::k"]);
  const same = ["void at::(anonymous namespace)::k(int)", "at::k()"];
  expect(same.map(kernelNames(same))).toEqual(["at::(anonymous namespace)::k(int)", "at::k()"]);
});

it("lets the end of a shortened name begin with a word", () => {
  const shownTail = (name: string): string => name.slice(name.length - tailOf(name));
  expect(shownTail("worker0.1623143089861.pt.trace.json.gz")).toBe("trace.json.gz");
  expect(shownTail("at::native::reduce<512, at::native::MeanOps<float, float>")).toBe("float, float>");
  expect(shownTail("volta_scudnn_128x64_stridedB_interior_nn_v1")).toBe("interior_nn_v1");
  expect(shownTail("aten::cudnn_convolution_backward_weight")).toBe("weight");
  expect(shownTail("abcdefghijklmnopqrstuvwxyzabcdefghijkl")).toBe("yzabcdefghijkl");
  expect(shownTail("worker0.1623143089861")).toBe("1623143089861");
  expect(shownTail("TransformerEncoderLayer")).toBe("");
  expect(shownTail("volta_sgemm_64x64")).toBe("");
  expect(shownTail("a b................................")).toHaveLength(14);
});

it("shows files without what traces' names end in, as long as they differ", () => {
  const names = ["worker0.1.pt.trace.json.gz", "worker0.2.pt.trace.json", "out.prof"];
  expect(names.map(fileStems(names))).toEqual(["worker0.1", "worker0.2", "out.prof"]);
  const same = ["a.pt.trace.json", "a.pt.trace.json.gz"];
  expect(same.map(fileStems(same))).toEqual(same);
  expect(fileStems([".trace.json"])(".trace.json")).toBe(".trace.json");
});
