// SPDX-License-Identifier: Apache-2.0
// The event that is chosen: its outline and arrows in the scene, and all that is known of it for the panel.
import { signal } from "@preact/signals";
import { getJson } from "../../../api/client";
import type { Arrow, Box } from "../../../canvas/scene";
import type { EventRef } from "../../../lib/timeline_url";
import type { EventDocument, Place } from "./documents";
import type { TimelineModel } from "./model";

export interface Chosen {
  readonly ref: EventRef;
  readonly merged: number; // events in the block that was clicked
  readonly document: EventDocument | null;
  readonly problem: string;
}

export class Choice {
  readonly chosen = signal<Chosen | null>(null);
  private asked: AbortController | null = null;

  constructor(private readonly model: TimelineModel) {}

  // `box` is where it was clicked; without it the event is looked for and shown.
  load(ref: EventRef | null, box: Box | null = null, merged = 1): void {
    const { model } = this;
    const { scene } = model;
    this.asked?.abort();
    scene.selected = box;
    scene.arrows = [];
    model.redrawOver();
    if (ref === null) {
      this.chosen.value = null;
      return;
    }
    this.chosen.value = { ref, merged, document: null, problem: "" };
    this.asked = new AbortController();
    const { signal: stop } = this.asked;
    this.fetch(ref, stop).then(
      (document) => {
        if (stop.aborted) return;
        this.chosen.value = { ref, merged, document, problem: "" };
        scene.selected = boxOf(document);
        scene.arrows = document.arrows.map(
          (arrow): Arrow => ({ kind: arrow.kind, from: boxOf(arrow.from), to: boxOf(arrow.to) }),
        );
        if (box === null) model.show(document);
        model.redrawOver();
      },
      (error: unknown) => {
        if (stop.aborted) return;
        const problem = error instanceof Error ? error.message : String(error);
        this.chosen.value = { ref, merged, document: null, problem };
      },
    );
  }

  fetch({ file, row }: EventRef, stop?: AbortSignal): Promise<EventDocument> {
    return getJson<EventDocument>(`profiles/${this.model.profile}/timeline/event`, { file, row }, stop);
  }

  close(): void {
    this.asked?.abort();
  }
}

export const boxOf = (place: Place): Box => ({
  track: place.track,
  depth: place.depth,
  start: place.start_ns,
  duration: place.duration_ns,
});
