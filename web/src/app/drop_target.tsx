// SPDX-License-Identifier: Apache-2.0
// A file dropped anywhere on the page is opened.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { shortenMiddle, visible } from "../lib/text";
import { bytes, percent } from "../lib/units";
import { type Giving, give, giving } from "../state/given";

const over = signal(false);

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;

export function DropTarget() {
  useEffect(() => {
    const onOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      over.value = true;
    };
    const onLeave = (event: DragEvent): void => {
      if (event.relatedTarget === null) over.value = false;
    };
    const onDrop = (event: DragEvent): void => {
      over.value = false;
      if (!hasFiles(event)) return;
      event.preventDefault();
      void give([...(event.dataTransfer?.files ?? [])]);
    };
    document.addEventListener("dragover", onOver);
    document.addEventListener("dragleave", onLeave);
    document.addEventListener("drop", onDrop);
    return () => {
      document.removeEventListener("dragover", onOver);
      document.removeEventListener("dragleave", onLeave);
      document.removeEventListener("drop", onDrop);
    };
  }, []);
  if (over.value) return <div class="drop-here">Drop a trace or profile to open it</div>;
  return giving.value === null ? null : <Progress of={giving.value} />;
}

function Progress({ of }: { readonly of: Giving }) {
  const name = visible(shortenMiddle(of.name, 60));
  if (of.problem === "") {
    return (
      <div class="drop-state" role="status">
        Opening {name}: {bytes(of.sent)} of {bytes(of.bytes)} (
        {percent(of.bytes === 0 ? 1 : of.sent / of.bytes)})
      </div>
    );
  }
  return (
    <div class="drop-state" role="alert">
      {name} was not opened: {visible(of.problem)}.{" "}
      <button
        type="button"
        class="plain small"
        onClick={() => {
          giving.value = null;
        }}
      >
        Close
      </button>
    </div>
  );
}
