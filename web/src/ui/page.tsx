// SPDX-License-Identifier: Apache-2.0
// What every page is made of: a title, the one sentence that answers, panels, and what stands in for data that is
// not there yet, could not be read or was not captured.
import type { ComponentChildren } from "preact";
import { saveFile } from "../lib/download";
import { shortenMiddle } from "../lib/text";
import type { Resource } from "../state/resource";
import { CutOff } from "./again";
import { Boundary } from "./boundary";
import { Menu } from "./menu";

export interface PageFrameProps {
  readonly title: string;
  readonly sentence?: ComponentChildren; // null: not known yet
  readonly aside?: string; // what there is, behind the sentence that says why it matters
  readonly actions?: ComponentChildren;
  readonly wide?: boolean; // the children take all the width and height there is: a canvas
  readonly children: ComponentChildren;
}

export function Page({ title, sentence, aside, actions, wide = false, children }: PageFrameProps) {
  return (
    <article class={wide ? "page page-wide" : "page"}>
      <header class="page-head">
        <h1>{title}</h1>
        {actions === undefined ? null : <div class="actions">{actions}</div>}
      </header>
      {sentence === undefined ? null : <Sentence aside={aside}>{sentence}</Sentence>}
      {children}
    </article>
  );
}

const LONGEST_WORD = 56; // a path of modules, a name without a space

// A number and its unit stay on one line; a word that would break the line is shortened.
export const together = (text: string): string =>
  text
    .replace(/(\d) (?=%|[nµm]?s\b|[KMGT]?i?B\b)/g, (_, digit: string) => `${digit}\u00a0`)
    .replace(/[^\s\u00a0]{57,}/g, (word) => shortenMiddle(word, LONGEST_WORD));

// The answer, in one plain sentence (two at most). null while it is not known.
export function Sentence({
  aside,
  children,
}: {
  readonly aside?: string;
  readonly children?: ComponentChildren;
}) {
  if (children === null || children === undefined) {
    return (
      <p class="sentence" aria-busy="true">
        <span class="bone bone-sentence" />
      </p>
    );
  }
  const text = typeof children === "string" ? together(children) : null;
  return (
    <p class="sentence" {...(text?.includes("…") ? { title: String(children) } : {})}>
      {text ?? children}
      {aside === undefined ? null : <span class="sentence-aside"> {together(aside)}</span>}
    </p>
  );
}

export interface PanelProps {
  readonly title?: ComponentChildren;
  readonly note?: ComponentChildren; // beside the title: units, what was left out
  readonly actions?: ComponentChildren;
  readonly flush?: boolean; // no inner margin: tables, canvases
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Panel({ title, note, actions, flush = false, children, ...rest }: PanelProps) {
  return (
    <section class={`panel${flush ? " panel-flush" : ""}${rest.class ? ` ${rest.class}` : ""}`}>
      {title === undefined && actions === undefined ? null : (
        <header class="panel-head">
          {title === undefined ? null : <h2>{title}</h2>}
          {note === undefined ? null : <span class="muted panel-note">{note}</span>}
          {actions === undefined ? null : <div class="actions">{actions}</div>}
        </header>
      )}
      <div class="panel-body">
        <Boundary what={typeof title === "string" ? title : "This part"}>{children}</Boundary>
      </div>
    </section>
  );
}

export interface EmptyProps {
  readonly what?: ComponentChildren; // "This capture has no memory events."; not where the sentence on top says it
  readonly flag?: string; // "profile_memory=True"
  readonly captured?: boolean; // about what a capture lacks; default: yes if there is a flag
  readonly children?: ComponentChildren;
}

// What was not captured, and what would have captured it.
export function Empty({ what, flag, captured = flag !== undefined, children }: EmptyProps) {
  return (
    <div class="empty">
      {what === undefined ? null : <p>{what}</p>}
      {flag === undefined ? null : (
        <p>
          Capture again with <code>{flag}</code> to see it here.
        </p>
      )}
      {children}
      {captured ? <CutOff /> : null}
    </div>
  );
}

export interface FailedProps {
  readonly message: string;
  readonly what?: string;
  readonly retry?: () => void;
}

export function Failed({ message, what = "This part could not be loaded.", retry }: FailedProps) {
  return (
    <div class="failed" role="alert">
      <strong>{what}</strong>
      <p>{message}</p>
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface Bones {
  readonly lines?: number;
  readonly height?: string; // of one, so that nothing jumps when the data comes
}

export function Skeleton({ lines = 6, height }: Bones) {
  if (height !== undefined) {
    return <div class="bone" style={{ height, width: "100%" }} aria-hidden="true" />;
  }
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, i) => (
        <div key={i} class="bone" style={{ width: `${94 - ((i * 37) % 45)}%` }} />
      ))}
    </div>
  );
}

interface LoadProps<T> extends Bones {
  readonly of: Resource<T>;
  readonly children: (data: T) => ComponentChildren;
}

// What was asked of the server: bones, a message, or the part itself.
export function Load<T>({ of, lines, height, children }: LoadProps<T>) {
  if (of.state === "loading") return <Skeleton lines={lines} height={height} />;
  if (of.state === "failed") return <Failed message={of.message} />;
  return <>{children(of.data)}</>;
}

export interface DownloadItem {
  readonly label: string; // "CSV"
  readonly file: string; // "operators.csv"
  readonly type?: string; // of text: "text/csv"
  readonly make: () => string | Blob | null | Promise<Blob | null>;
}

export function Download({
  items,
  label = "Download",
}: {
  readonly items: readonly DownloadItem[];
  readonly label?: string;
}) {
  return (
    <Menu
      label={label}
      title={label}
      icon="download"
      items={items.map((item) => ({
        label: item.label,
        hint: item.file,
        action: () => {
          Promise.resolve(item.make()).then((content) => {
            if (content !== null) saveFile(item.file, content, item.type);
          });
        },
      }))}
    />
  );
}
