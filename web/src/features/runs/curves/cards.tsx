// SPDX-License-Identifier: Apache-2.0
// The cards of all charts, of which those in view are there. A card dropped on another makes a chart of both.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../../../api/runs";
import { cardRows, rowsWithin } from "../../../lib/runs/card_rows";
import { type CurveView, type Group, rangeText, zoomsText } from "../../../lib/runs/curve_view";
import { chartKey, type Section } from "../../../lib/runs/tags";
import { set } from "../../../state/route";
import { Icon } from "../../../ui/icon";
import { Name } from "../../../ui/name";
import { CurveCard } from "../shared/curve_card";

export interface Card {
  readonly key: string;
  readonly tags: readonly string[];
  readonly title: string;
  readonly note: string;
}

const HEAD = 38; // px
const CARD = 282; // with the gap below it
const GAP = 12;
const LEAST_WIDTH = 340;
const SPARE = 300; // px drawn above and below what is seen
const OPEN_AT_FIRST = 40; // sections: with more of them, only those that one opens

export interface CardsProps {
  readonly sections: readonly Section<Card>[];
  readonly runs: readonly Run[];
  readonly groups: readonly Group<Run>[] | null;
  readonly view: CurveView;
}

export function Cards({ sections, runs, groups, view }: CardsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 900, width: 0 });
  const [over, setOver] = useState<string | null>(null); // chart that another is dragged over
  useEffect(() => {
    const element = box.current;
    const scroller = element?.closest("main") ?? null;
    if (element === null || scroller === null) return;
    const look = (): void => {
      const top = scroller.getBoundingClientRect().top - element.getBoundingClientRect().top;
      setSeen((old) =>
        old.top === top && old.height === scroller.clientHeight && old.width === element.clientWidth
          ? old
          : { top, height: scroller.clientHeight, width: element.clientWidth },
      );
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    observer.observe(scroller);
    scroller.addEventListener("scroll", look, { passive: true });
    look();
    return () => {
      observer.disconnect();
      scroller.removeEventListener("scroll", look);
    };
  }, []);
  const columns = Math.max(1, Math.floor((seen.width + GAP) / (LEAST_WIDTH + GAP)));
  const layout = useMemo(() => {
    const many = sections.length > OPEN_AT_FIRST;
    return cardRows(
      sections.map(({ name, members }, i) => ({
        name,
        cards: members,
        open: many && i >= OPEN_AT_FIRST ? view.closed.has(`+${name}`) : !view.closed.has(name),
      })),
      columns,
      HEAD,
      CARD,
      ({ key }) => view.wide.includes(key),
    );
  }, [sections, columns, [...view.closed].join(), view.wide.join()]);
  const rows = rowsWithin(layout, seen.top - SPARE, seen.top + seen.height + SPARE);

  const toggled = (list: readonly string[], key: string): string | null =>
    (list.includes(key) ? list.filter((k) => k !== key) : [...list, key]).join(",") || null;
  const toggleSection = (name: string, index: number): void => {
    const key = sections.length > OPEN_AT_FIRST && index >= OPEN_AT_FIRST ? `+${name}` : name;
    set({ closed: toggled([...view.closed].map(encodeURIComponent), encodeURIComponent(key)) });
  };
  const zoomY = (key: string, range: readonly [number, number] | null): void => {
    const zooms = new Map(view.zoomY);
    if (range === null) zooms.delete(key);
    else zooms.set(key, range);
    set({ zoomy: zoomsText(zooms) });
  };
  const dropped = (onto: Card, event: DragEvent): void => {
    setOver(null);
    const tags = event.dataTransfer?.getData("text/x-telltale-tags");
    if (!tags) return;
    event.preventDefault();
    const joined = [...new Set([...onto.tags, ...(JSON.parse(tags) as string[])])];
    if (joined.length < 2) return;
    const without = view.joined.filter((key) => key !== onto.key);
    set({ charts: [...new Set([...without, chartKey(joined)])].join(",") });
  };
  const card = (of: Card, section: string) => {
    const pinned = view.pinned.includes(of.key);
    const joined = section === "Several tags";
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: dragging has a written way beside it, "Chart of …"
      <div
        key={of.key}
        class={over === of.key ? "curve-slot curve-over" : "curve-slot"}
        onDragOver={(event) => {
          if (!event.dataTransfer?.types.includes("text/x-telltale-tags")) return;
          event.preventDefault();
          setOver(of.key);
        }}
        onDragLeave={() => setOver(null)}
        onDrop={(event) => dropped(of, event)}
      >
        <CurveCard
          id={of.key}
          title={of.title}
          tags={of.tags}
          note={of.note}
          runs={runs}
          groups={groups}
          view={view}
          height={(view.wide.includes(of.key) ? 2 * CARD : CARD) - GAP}
          onZoom={(range) => set({ zoom: rangeText(range) })}
          onZoomY={(range) => zoomY(of.key, range)}
          actions={
            <>
              <span
                class="curve-grip"
                draggable
                title="Drag onto another chart to see both in one"
                aria-hidden="true"
                onDragStart={(event) =>
                  event.dataTransfer?.setData("text/x-telltale-tags", JSON.stringify(of.tags))
                }
              >
                ⠿
              </span>
              <button
                type="button"
                class="plain small"
                aria-label={`${pinned ? "Unpin" : "Pin"} ${of.title}`}
                aria-pressed={pinned}
                title={pinned ? "Unpin" : "Pin above the others"}
                onClick={() => set({ pinned: toggled(view.pinned, of.key) })}
              >
                <Icon name="pin" />
              </button>
              <button
                type="button"
                class="plain small"
                aria-label={`${view.wide.includes(of.key) ? "Small" : "Large"} ${of.title}`}
                aria-pressed={view.wide.includes(of.key)}
                title={view.wide.includes(of.key) ? "Small again" : "Large"}
                onClick={() => set({ wide: toggled(view.wide, of.key) })}
              >
                <Icon name="wide" />
              </button>
              {joined ? (
                <button
                  type="button"
                  class="plain small"
                  aria-label={`Take ${of.title} away`}
                  title="Take this chart away"
                  onClick={() =>
                    set({ charts: view.joined.filter((key) => key !== of.key).join(",") || null })
                  }
                >
                  <Icon name="close" />
                </button>
              ) : null}
            </>
          }
        />
      </div>
    );
  };
  return (
    <div class="curve-cards" ref={box} style={{ height: `${layout.height}px`, "--columns": columns }}>
      {rows.map((row) =>
        row.kind === "head" ? (
          <h2
            key={`head ${row.section.name}`}
            class="curve-section"
            style={{ top: `${row.top}px`, height: `${HEAD}px` }}
          >
            <button
              type="button"
              class="plain"
              aria-expanded={row.section.open}
              onClick={() =>
                toggleSection(
                  row.section.name,
                  sections.findIndex(({ name }) => name === row.section.name),
                )
              }
            >
              <span class={row.section.open ? "twist twist-open" : "twist"}>
                <Icon name="chevron" />
              </span>
              <Name text={row.section.name} />
              <span class="muted">{row.section.cards.length.toLocaleString("en-US")}</span>
            </button>
          </h2>
        ) : (
          <div
            key={`cards ${row.cards.map(({ key }) => key).join()}${row.top}`}
            class="curve-row"
            style={{ top: `${row.top}px`, height: `${row.height - GAP}px` }}
          >
            {row.cards.map((of) =>
              card(of, sections.find(({ members }) => members.includes(of))?.name ?? ""),
            )}
          </div>
        ),
      )}
    </div>
  );
}
