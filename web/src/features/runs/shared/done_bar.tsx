// SPDX-License-Identifier: Apache-2.0
// What was just changed, with the way back.
import { visible } from "../../../lib/text";
import { Icon } from "../../../ui/icon";
import { done } from "./edits";

export function DoneBar() {
  const last = done.value;
  return (
    <div class={last === null ? "runs-done runs-done-empty" : "runs-done"} role="status">
      {last === null ? null : (
        <>
          <span>{visible(last.what)}</span>
          {last.undo === null ? null : (
            <button type="button" onClick={() => last.undo?.()}>
              Undo
            </button>
          )}
          <button
            type="button"
            class="plain small"
            aria-label="Close"
            onClick={() => {
              done.value = null;
            }}
          >
            <Icon name="close" />
          </button>
        </>
      )}
    </div>
  );
}
