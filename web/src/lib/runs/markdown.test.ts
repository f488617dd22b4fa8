// SPDX-License-Identifier: Apache-2.0
import { describe, expect, it } from "vitest";
import { inline, markdown } from "./markdown";

describe("markdown", () => {
  it("knows headings, lists, tables, code, quotes and rules", () => {
    const kinds = markdown(
      "# Title\n\ntext *x*\nmore\n\n- a\n- b\n  c\n\n1. one\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n```py\nx = `1`\n```\n\n> said\n\n---\n\n    code",
    ).map((block) => block.kind);
    expect(kinds).toEqual(["heading", "paragraph", "list", "list", "table", "code", "quote", "rule", "code"]);
  });
  it("reads the cells of a table", () => {
    const table = markdown("a | b\n--|--\n**1** | x\\|y")[0];
    expect(table?.kind === "table" && table.rows[0]).toEqual([
      [{ kind: "strong", inside: [{ kind: "text", text: "1" }] }],
      [{ kind: "text", text: "x|y" }],
    ]);
  });
  it("leaves HTML and links that could run something as text", () => {
    const [block] = markdown(
      '<script>alert(1)</script> [x](javascript:alert(1)) ![i](http://a/b.png) <img src=x onerror="1">',
    );
    expect(
      block?.kind === "paragraph" &&
        block.inside.every((part) => part.kind === "text" || part.kind === "link"),
    ).toBe(true);
    const links = block?.kind === "paragraph" ? block.inside.filter((part) => part.kind === "link") : [];
    for (const link of links) expect(link.href).toMatch(/^https?:/);
    expect(inline("[x](javascript:alert(1))").map((p) => p.kind)).not.toContain("link");
    expect(inline("[x](data:text/html,1)")).toEqual([{ kind: "text", text: "[x](data:text/html,1)" }]);
  });
  it("keeps what is escaped, and code as it is", () => {
    expect(inline("\\*not\\* `**x**`")).toEqual([
      { kind: "text", text: "*" },
      { kind: "text", text: "not* " },
      { kind: "code", text: "**x**" },
    ]);
  });
  it("comes to an end, however deep or odd the text", () => {
    expect(markdown(`${">".repeat(5000)} x`)).toHaveLength(1);
    expect(markdown("- ".repeat(2000))).not.toHaveLength(0);
    expect(markdown("**".repeat(3000) + "[".repeat(3000))).toHaveLength(1);
    expect(markdown("")).toEqual([]);
  });
});
