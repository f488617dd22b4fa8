// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { kernelName, kernelNames } from "./kernel_names";

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
