// SPDX-License-Identifier: Apache-2.0
import { expect, test } from "vitest";
import { applied, classOf, marked, PLAIN, pieces, plainText } from "./ansi";

const told = (line: string) => pieces(line).map(({ text, style }) => [text, classOf(style)]);

test("colours last until they are taken back", () => {
  expect(told("a \u001b[31mred\u001b[0m b")).toEqual([
    ["a ", ""],
    ["red", "ansi-1"],
    [" b", ""],
  ]);
  expect(told("\u001b[1;4;92mx\u001b[22my")).toEqual([
    ["x", "ansi-10 ansi-bold ansi-underline"],
    ["y", "ansi-10 ansi-underline"],
  ]);
  expect(told("\u001b[mplain")).toEqual([["plain", ""]]);
});

test("colours of 256 and of any kind become the nearest that a theme knows", () => {
  expect(applied(PLAIN, "38;5;196").colour).toBe(1);
  expect(applied(PLAIN, "38;2;20;200;40").colour).toBe(2);
  expect(applied(PLAIN, "48;5;232").ground).toBe(0);
  expect(applied(PLAIN, "38;5;999").colour).toBeNull();
  expect(applied(PLAIN, "38;5").colour).toBeNull();
});

test("what sets no style is left out, and what is not whole does no harm", () => {
  expect(plainText("a\u001b[2Kb\u001b[10;20Hc")).toBe("abc");
  expect(plainText("\u001b]0;title\u0007text")).toBe("text");
  expect(plainText("\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\")).toBe("link");
  expect(plainText("cut \u001b[3")).toBe("cut ");
  expect(plainText("cut \u001b")).toBe("cut ");
  expect(plainText("\u001b]0;never ends")).toBe("");
});

test("text stays text; control characters become visible, tabs stay", () => {
  expect(pieces("<b>x</b>\u0007\ty")).toEqual([{ text: "<b>x</b>␇\ty", style: PLAIN }]);
  expect(pieces("")).toEqual([]);
});

test("a hit is marked across colours, without case where none is typed", () => {
  const parts = marked(pieces("one Er\u001b[31mror two error"), "error");
  expect(parts.filter(({ hit }) => hit).map(({ text }) => text)).toEqual(["Er", "ror", "error"]);
  expect(parts.map(({ text }) => text).join("")).toBe("one Error two error");
  expect(marked(pieces("error"), "Error").some(({ hit }) => hit)).toBe(false);
  expect(marked(pieces("abc"), "").map(({ hit }) => hit)).toEqual([false]);
});
