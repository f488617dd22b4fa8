// SPDX-License-Identifier: Apache-2.0
import { expect, it } from "vitest";
import { withChanges } from "./list_changes";

const list = ["a", "b", "c"].map((id) => ({ id, state: "found" }));
const after = (before: string | null, id: string, state = "found") => ({
  after: before,
  profile: { id, state },
});
const shown = (items: readonly { id: string; state: string }[]) =>
  items.map((p) => `${p.id} ${p.state}`).join(", ");

it("puts what is new in its place, also several in a row", () => {
  const changes = { changed: [after(null, "0"), after("a", "a1"), after("a1", "a2")], gone: [] };
  expect(shown(withChanges(list, changes))).toBe("0 found, a found, a1 found, a2 found, b found, c found");
});

it("replaces what changed, moves what got another place, leaves out what is gone", () => {
  expect(shown(withChanges(list, { changed: [after("a", "b", "ready")], gone: ["c"] }))).toBe(
    "a found, b ready",
  );
  expect(shown(withChanges(list, { changed: [after("c", "a")], gone: [] }))).toBe(
    "b found, c found, a found",
  );
});

it("changes nothing when it is told again", () => {
  const changes = { changed: [after("b", "x", "ready")], gone: ["c"] };
  const once = withChanges(list, changes);
  expect(withChanges(once, changes)).toEqual(once);
});
