// SPDX-License-Identifier: Apache-2.0
// Layouts of custom charts, of which every run may have its own: one of all, as TensorBoard joins them.
import type { Margin } from "./margins";

export interface LayoutChart {
  readonly title: string;
  readonly multiline?: { readonly tag: readonly string[] };
  readonly margin?: { readonly series: readonly Margin[] };
}
export interface LayoutCategory {
  readonly title: string;
  readonly closed: boolean;
  readonly chart: readonly LayoutChart[];
}
export interface Layout {
  readonly category: readonly LayoutCategory[];
}

// Categories of one title become one; the same chart is there once.
export function mergedLayout(layouts: readonly Layout[]): Layout {
  const categories = new Map<string, { closed: boolean; charts: Map<string, LayoutChart> }>();
  for (const { category } of layouts)
    for (const { title, closed, chart } of category) {
      const of = categories.get(title) ?? { closed, charts: new Map<string, LayoutChart>() };
      categories.set(title, of);
      for (const one of chart) of.charts.set(JSON.stringify(one), one);
    }
  return {
    category: [...categories].map(([title, { closed, charts }]) => ({
      title,
      closed,
      chart: [...charts.values()],
    })),
  };
}
