// SPDX-License-Identifier: Apache-2.0
// A choice of one among many: typing filters, arrow keys and Enter choose, Escape leaves it as it was.
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { rank } from "../lib/palette";
import "./combobox.css";
import { Name } from "./name";

export interface Choice {
  readonly key: string;
  readonly name: string; // what is shown and searched
  readonly hint?: string;
}

export interface ComboboxProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string; // key of what is chosen; "": nothing yet
  readonly choices: readonly Choice[];
  readonly onChoose: (key: string) => void;
}

const SHOWN = 60;

export function Combobox({ label, placeholder, value, choices, onChoose }: ComboboxProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null); // null: closed
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const chosen = choices.find((choice) => choice.key === value);
  const open = typed !== null;
  const found = useMemo(() => (typed === null ? [] : rank(choices, typed, SHOWN)), [choices, typed]);
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }, [at, open]);
  const show = (): void => {
    if (open) return;
    setTyped("");
    setAt(
      Math.max(
        0,
        rank(choices, "", SHOWN).findIndex((choice) => choice.key === value),
      ),
    );
  };
  const choose = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    setTyped(null);
    if (choice.key !== value) onChoose(choice.key);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!open) show();
      else setAt(Math.min(found.length - 1, Math.max(0, at + (event.key === "ArrowDown" ? 1 : -1))));
    } else if (event.key === "Enter" && open) choose(found[at]);
    else if (event.key === "Escape" && open) setTyped(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="combobox">
      <label class="muted" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded={open}
        aria-controls={`${id}-list`}
        aria-activedescendant={open && found.length > 0 ? `${id}-${at}` : undefined}
        placeholder={open && chosen !== undefined ? chosen.name : placeholder}
        title={chosen?.name}
        value={typed ?? chosen?.name ?? ""}
        onFocus={show}
        onClick={show}
        onBlur={() => setTyped(null)}
        onKeyDown={key}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
      />
      {open ? (
        <div class="combobox-list" id={`${id}-list`} role="listbox" aria-label={label} ref={list}>
          {found.map((choice, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
            <div
              key={choice.key}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(choice)}
            >
              <Name text={choice.name} />
              {choice.hint === undefined ? null : <span class="muted">{choice.hint}</span>}
            </div>
          ))}
          {found.length === 0 ? <p class="muted">Nothing by that name.</p> : null}
        </div>
      ) : null}
    </div>
  );
}
