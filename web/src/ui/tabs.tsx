// SPDX-License-Identifier: Apache-2.0
// Several ways to look at the same thing, chosen in the address.
import { params, set } from "../state/route";

export interface Tab {
  readonly key: string;
  readonly title: string;
  readonly count?: number;
}

export interface TabsProps {
  readonly param: string; // of the address; the first tab is the default and leaves no trace there
  readonly tabs: readonly Tab[];
  readonly label: string;
}

export function chosenTab(param: string, tabs: readonly Tab[]): string {
  const asked = params.value[param];
  return tabs.find((tab) => tab.key === asked)?.key ?? tabs[0]?.key ?? "";
}

export function Tabs({ param, tabs, label }: TabsProps) {
  const chosen = chosenTab(param, tabs);
  const choose = (key: string): void => set({ [param]: key === tabs[0]?.key ? null : key });
  const move = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowRight" && event.key !== "ArrowLeft") return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.key === chosen);
    const next = tabs.at((at + (event.key === "ArrowRight" ? 1 : -1)) % tabs.length);
    if (!next) return;
    choose(next.key);
    const list = event.currentTarget as HTMLElement;
    list.querySelectorAll<HTMLElement>("[role=tab]")[tabs.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          type="button"
          key={tab.key}
          role="tab"
          aria-selected={tab.key === chosen}
          tabIndex={tab.key === chosen ? 0 : -1}
          onClick={() => choose(tab.key)}
        >
          {tab.title}
          {tab.count === undefined ? null : <span class="muted"> {tab.count.toLocaleString("en-US")}</span>}
        </button>
      ))}
    </div>
  );
}
