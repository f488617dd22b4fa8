// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { litCategories, litNames } from "./timeline_lit";
import { NameTable } from "./timeline_names";

it("lights categories that are known", () => {
  const all = ["kernel", "memcpy", "idle"];
  expect(litCategories(all, "kernel,idle")).toEqual(Uint8Array.of(1, 0, 1));
  expect(litCategories(["operator", "annotation", "kernel"], "cpu_exec")).toEqual(Uint8Array.of(1, 0, 0));
  expect(litCategories(["operator", "annotation", "kernel"], "other")).toEqual(Uint8Array.of(0, 1, 0));
  expect(litCategories(all, "nonsense")).toBeNull();
  expect(litCategories(all, "")).toBeNull();
});

it("lights names by a part of them or as a whole, in either case", () => {
  const names = new NameTable();
  for (const name of ["aten::add", "aten::Add_", "cudaLaunchKernel"]) names.intern(name);
  expect(litNames(names, "ADD", false)).toEqual(Uint8Array.of(1, 1, 0));
  expect(litNames(names, "aten::add", true)).toEqual(Uint8Array.of(1, 0, 0));
  expect(litNames(names, "", false)).toBeNull();
});
