// SPDX-License-Identifier: Apache-2.0
// A place in the source: file and line, to copy and to open in an editor.
import { shortenMiddle, visible } from "../lib/text";
import { IconButton, useCopied } from "./icon_button";
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
  const [copied, copy] = useCopied();
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
      <IconButton
        icon={copied ? "check" : "copy"}
        label={`Copy ${text}`}
        title="Copy file and line"
        onClick={() => copy(place)}
      />
    </span>
  );
}
