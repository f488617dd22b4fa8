// SPDX-License-Identifier: Apache-2.0
// The answer on top of the page of memory.
import { visible } from "../../../lib/text";
import { bytes, percent } from "../../../lib/units";
import { categoryTitle, deviceName, type Memory, type MemoryDevice } from "./data";

export function sentenceOf(memory: Memory, device: MemoryDevice): string {
  const where = deviceName(device.type, device.id);
  const step = device.peak_step === null ? "" : ` in step ${device.peak_step}`;
  const of =
    device.memory_bytes && device.peak_allocated_bytes !== null
      ? ` (${percent(device.peak_allocated_bytes / device.memory_bytes)} of the device)`
      : "";
  const relative = device.curve !== null && !device.curve.captured ? " above where the recording began" : "";
  const parts = holders(device);
  const list = parts.length === 0 ? "" : `: ${parts.join(", ")}`;
  const leak = memory.leaks.flatMap((l) => l.rows).sort((a, b) => b.bytes - a.bytes)[0];
  const left =
    leak === undefined
      ? ""
      : ` Every step leaves ${bytes(leak.bytes / Math.max(1, leak.steps.length))} of ${visible(leak.operator ?? "unknown origin")} behind.`;
  return `Peak ${bytes(device.peak_allocated_bytes)}${relative} on ${where}${step}${of}${list}.${left}`;
}

function holders(device: MemoryDevice): string[] {
  const peak = device.at_peak;
  if (peak === null) return [];
  const rows = (peak.operators ?? peak.frames ?? peak.categories ?? []).map((h) => ({
    text:
      peak.categories !== null && peak.operators === null && peak.frames === null
        ? categoryTitle(h.name ?? "")
        : `of ${visible(h.name ?? "unknown origin")}`,
    bytes: h.bytes,
  }));
  if ((peak.before_bytes ?? 0) > 0)
    rows.push({ text: "from before the recording", bytes: peak.before_bytes ?? 0 });
  return rows
    .sort((a, b) => b.bytes - a.bytes)
    .slice(0, 3)
    .map((row) => `${percent(row.bytes / (device.peak_allocated_bytes || 1))} ${row.text}`);
}
