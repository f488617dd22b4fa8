// SPDX-License-Identifier: Apache-2.0
// A table, and beside it (in a narrow window: above it) what was opened from it.
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Boundary } from "./boundary";
import { CloseButton } from "./icon_button";
import { Name } from "./name";

export interface SplitProps {
  readonly aside: ComponentChildren | null;
  readonly children: ComponentChildren;
}

export function Split({ aside, children }: SplitProps) {
  return (
    <div class={aside === null ? "split" : "split split-open"}>
      <div class="split-main">{children}</div>
      {aside === null ? null : <div class="split-aside">{aside}</div>}
    </div>
  );
}

export interface DetailProps {
  readonly title: string;
  readonly shown?: string; // a shorter form of the title
  readonly onClose: () => void;
  readonly mono?: boolean;
  readonly children: ComponentChildren;
}

// What is known of one row.
export function Detail({ title, shown = title, onClose, mono = false, children }: DetailProps) {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    // What is open above it, and what is typed into, has the key first.
    const onEscape = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement | null;
      if (event.key !== "Escape" || event.defaultPrevented || target?.closest("input,textarea,select,dialog"))
        return;
      close.current();
    };
    document.addEventListener("keydown", onEscape);
    return () => document.removeEventListener("keydown", onEscape);
  }, []);
  return (
    <section class="panel detail" aria-label={title.slice(0, 200)}>
      <header class="detail-head">
        <h2>
          <Name text={title} shown={shown} mono={mono} />
        </h2>
        <CloseButton onClick={onClose} />
      </header>
      <Boundary what="This part" key={title}>
        {children}
      </Boundary>
    </section>
  );
}
