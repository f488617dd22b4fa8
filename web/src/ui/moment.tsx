// SPDX-License-Identifier: Apache-2.0
// A moment in the viewer's time zone, with UTC on hover.

const shown = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });

// Traces that do not know the date count from somewhere else: that is no moment.
const YEAR_2000_NS = 946_684_800e9;

export function Moment({ ns }: { readonly ns: number | null | undefined }) {
  if (ns === null || ns === undefined || ns < YEAR_2000_NS) return <span class="muted">not recorded</span>;
  const date = new Date(ns / 1e6);
  return (
    <time dateTime={date.toISOString()} title={`${date.toISOString().replace("T", " ").slice(0, 19)} UTC`}>
      {shown.format(date)}
    </time>
  );
}
