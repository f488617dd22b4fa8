// SPDX-License-Identifier: Apache-2.0
// Whether the page is being put on paper: what is drawn only as far as it is seen is drawn whole then.
import { signal } from "@preact/signals";

export const printing = signal(false);
addEventListener("beforeprint", () => {
  printing.value = true;
});
addEventListener("afterprint", () => {
  printing.value = false;
});
