// SPDX-License-Identifier: Apache-2.0
// Text that was logged, as the part of Markdown that we know. Made of elements, never of markup from a file.
import { type ComponentChildren, h } from "preact";
import { type Block, type Inline, markdown } from "../../../lib/runs/markdown";
import { visible } from "../../../lib/text";

const LONGEST = 100_000;

function inlines(parts: readonly Inline[]): ComponentChildren {
  return parts.map((part, i) => {
    switch (part.kind) {
      case "text":
        return part.text
          .split("\n")
          .map((line, k) => (k === 0 ? visible(line) : [<br key={k} />, visible(line)]));
      case "code":
        return <code key={i}>{visible(part.text)}</code>;
      case "strong":
        return <strong key={i}>{inlines(part.inside)}</strong>;
      case "em":
        return <em key={i}>{inlines(part.inside)}</em>;
      case "strike":
        return <s key={i}>{inlines(part.inside)}</s>;
      default:
        return (
          <a key={i} href={part.href} target="_blank" rel="noreferrer noopener">
            {inlines(part.inside)}
          </a>
        );
    }
  });
}

function blocks(list: readonly Block[]): ComponentChildren {
  return list.map((block, i) => {
    switch (block.kind) {
      case "heading":
        return h(
          `h${Math.min(6, block.level + 2)}`,
          { key: i, class: `md-heading md-heading-${block.level}` },
          inlines(block.inside),
        );
      case "paragraph":
        return <p key={i}>{inlines(block.inside)}</p>;
      case "code":
        return <pre key={i}>{block.text}</pre>;
      case "quote":
        return <blockquote key={i}>{blocks(block.blocks)}</blockquote>;
      case "rule":
        return <hr key={i} />;
      case "list": {
        const items = block.items.map((item, k) => <li key={k}>{blocks(item)}</li>);
        return block.ordered ? <ol key={i}>{items}</ol> : <ul key={i}>{items}</ul>;
      }
      default:
        return (
          <table key={i}>
            <thead>
              <tr>
                {block.head.map((cell, k) => (
                  <th key={k}>{inlines(cell)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, k) => (
                <tr key={k}>
                  {row.map((cell, c) => (
                    <td key={c}>{inlines(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        );
    }
  });
}

export function Markdown({ text }: { readonly text: string }) {
  const cut = text.length > LONGEST;
  return (
    <div class="md">
      {blocks(markdown(cut ? text.slice(0, LONGEST) : text))}
      {cut ? (
        <p class="muted">
          The first {LONGEST.toLocaleString("en-US")} characters of {text.length.toLocaleString("en-US")}.
        </p>
      ) : null}
    </div>
  );
}
