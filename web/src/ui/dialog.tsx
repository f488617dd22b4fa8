// SPDX-License-Identifier: Apache-2.0
// Something over the page that takes the keyboard until it is closed (the browser's own dialog does the work).
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface DialogProps {
  readonly open: Signal<boolean>;
  readonly label: string;
  readonly class?: string;
  readonly children: () => ComponentChildren; // made while it is open
}

export function Dialog({ open, label, children, ...rest }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const isOpen = open.value;
  useEffect(() => {
    const dialog = element.current;
    if (!dialog) return;
    if (isOpen && !dialog.open) dialog.showModal();
    if (!isOpen && dialog.open) dialog.close();
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it, by the browser itself
    <dialog
      ref={element}
      class={rest.class}
      aria-label={label}
      onClose={() => {
        open.value = false;
      }}
      onClick={(event) => {
        if (event.target === element.current) open.value = false;
      }}
    >
      {isOpen ? children() : null}
    </dialog>
  );
}
