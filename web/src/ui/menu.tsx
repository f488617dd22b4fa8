// SPDX-License-Identifier: Apache-2.0
// A button that opens something below itself: a list of actions, or anything else (Popover).
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { Icon } from "./icon";

export interface PopoverProps {
  readonly label: ComponentChildren;
  readonly title?: string; // of the button, where the label is an icon or a value
  readonly icon?: string;
  readonly align?: "start" | "end";
  readonly plain?: boolean; // without a border
  readonly children: (close: () => void) => ComponentChildren;
}

export function Popover({ label, title, icon, align = "end", plain = false, children }: PopoverProps) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const close = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  useEffect(() => {
    if (!open) return;
    const outside = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const onEscape = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    };
    document.addEventListener("pointerdown", outside, true);
    document.addEventListener("keydown", onEscape, true);
    const first = root.current?.querySelector<HTMLElement>(
      ".popover [autofocus], .popover a, .popover button, .popover input",
    );
    first?.focus();
    return () => {
      document.removeEventListener("pointerdown", outside, true);
      document.removeEventListener("keydown", onEscape, true);
    };
  }, [open]);
  return (
    <div class="popover-root" ref={root}>
      <button
        type="button"
        ref={button}
        class={plain ? "plain" : ""}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label === "" ? title : undefined}
        title={title}
        onClick={() => setOpen(!open)}
      >
        {icon === undefined ? null : <Icon name={icon} />}
        <span class="button-label">{label}</span>
      </button>
      {open ? (
        <div class={`popover popover-${align}`} id={id}>
          {children(close)}
        </div>
      ) : null}
    </div>
  );
}

export interface MenuItem {
  readonly label: ComponentChildren;
  readonly hint?: string;
  readonly checked?: boolean;
  readonly href?: string;
  readonly keepOpen?: boolean;
  readonly action?: () => void;
}

export interface MenuProps extends Omit<PopoverProps, "children"> {
  readonly items: readonly MenuItem[];
}

// Arrow keys move through the items; the browser does the rest.
function step(event: KeyboardEvent): void {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  event.preventDefault();
  const list = event.currentTarget as HTMLElement;
  const all = [...list.querySelectorAll<HTMLElement>("a,button")];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all.at((at + (event.key === "ArrowDown" ? 1 : -1)) % all.length)?.focus();
}

export function Menu({ items, ...popover }: MenuProps) {
  return (
    <Popover {...popover}>
      {(close) => (
        <ul class="menu" onKeyDown={step}>
          {items.map((item, i) => (
            <li key={i}>
              {item.href !== undefined ? (
                <a href={item.href} onClick={close}>
                  <span>{item.label}</span>
                  {item.hint === undefined ? null : <span class="muted">{item.hint}</span>}
                </a>
              ) : (
                <button
                  type="button"
                  aria-pressed={item.checked}
                  onClick={() => {
                    item.action?.();
                    if (!item.keepOpen) close();
                  }}
                >
                  {item.checked === undefined ? null : (
                    <span class="menu-check">{item.checked ? <Icon name="check" /> : null}</span>
                  )}
                  <span>{item.label}</span>
                  {item.hint === undefined ? null : <span class="muted">{item.hint}</span>}
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Popover>
  );
}
