// SPDX-License-Identifier: Apache-2.0
// A place in the source: file and line, to copy and to open in an editor.
import { useState } from "preact/hooks";
import { copyText } from "../lib/download";
import { shortenMiddle, visible } from "../lib/text";
import { Icon } from "./icon";
import { Name } from "./name";

export interface SourceLinkProps {
  readonly file: string;
  readonly line?: number | null;
  readonly name?: string; // of the function there
}

// Only what can be a path on a disk gets a link: built-ins are "~" or "<string>".
export function editorUrl(file: string, line: number | null | undefined): string | null {
  if (!/^(\/|[A-Za-z]:[\\/])/.test(file)) return null;
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/").replace("%3A", ":");
  return `vscode://file${path.startsWith("/") ? "" : "/"}${path}${line ? `:${line}` : ""}`;
}

export function SourceLink({ file, line, name }: SourceLinkProps) {
  const [copied, setCopied] = useState(false);
  const place = line ? `${file}:${line}` : file;
  const url = editorUrl(file, line);
  const text = visible(shortenMiddle(place, 80));
  return (
    <span class="source-link">
      {url === null ? (
        <Name text={place} mono />
      ) : (
        <a class="source-place" href={url} target="_self" aria-label={`Open ${text} in VS Code`}>
          <Name text={place} mono />
        </a>
      )}
      {name === undefined ? null : <span class="muted"> {visible(shortenMiddle(name, 80))}</span>}
      <button
        type="button"
        class="plain small"
        title="Copy file and line"
        aria-label={`Copy ${text}`}
        onClick={() => {
          copyText(place).then((done) => {
            setCopied(done);
            setTimeout(() => setCopied(false), 1500);
          });
        }}
      >
        <Icon name={copied ? "check" : "copy"} />
      </button>
    </span>
  );
}
