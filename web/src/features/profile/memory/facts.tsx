// SPDX-License-Identifier: Apache-2.0
// Numbers of a device: peak, reserved, unused, counts; of a snapshot also the state of the allocator at its end.

import { bytes, count, percent, time } from "../../../lib/units";
import { KeyValue } from "../../../ui/key_value";
import type { MemoryDevice } from "./data";

const known = (value: number | null | undefined, text: (v: number) => string): string | null =>
  value === null || value === undefined ? null : text(value);

export function Facts({ device, base }: { readonly device: MemoryDevice; readonly base: number }) {
  const s = device.segments;
  return (
    <KeyValue
      facts={[
        ["Device", device.name],
        ["Its memory", known(device.memory_bytes, bytes)],
        ["Peak allocated", bytes(device.peak_allocated_bytes)],
        [
          "When",
          known(
            device.peak_ns,
            (ns) => `${time(ns - base)}${device.peak_step === null ? "" : `, step ${device.peak_step}`}`,
          ),
        ],
        ["Peak reserved", known(device.peak_reserved_bytes, bytes)],
        ["Reserved, not used at the peak", known(device.fragmentation_at_peak_bytes, bytes)],
        ["Most reserved, not used", known(device.fragmentation_max_bytes, bytes)],
        ["Allocations", known(device.allocation_count, count)],
        ["Releases", known(device.release_count, count)],
        ["Never released", known(device.never_released_count, count)],
        [
          "From before the recording",
          known(device.released_from_before_count, (n) => `${count(n)} released`),
        ],
        ["Segments at the end", known(s?.segment_count, count)],
        [
          "Free in segments",
          s
            ? `${bytes(s.free_bytes)} of ${bytes(s.reserved_bytes)} (${percent((s.free_bytes ?? 0) / (s.reserved_bytes || 1))})`
            : null,
        ],
        ["Largest free block", known(s?.largest_free_bytes, bytes)],
        ["Out of memory", known(s?.out_of_memory_count, (n) => `${count(n)} times`)],
      ]}
    />
  );
}
