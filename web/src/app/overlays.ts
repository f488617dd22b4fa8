// SPDX-License-Identifier: Apache-2.0
// Which of the overlays that any place can open is open.
import { signal } from "@preact/signals";

export const paletteOpen = signal(false);
export const keysOpen = signal(false);
