// SPDX-License-Identifier: Apache-2.0
// What can be done with the runs that are selected.
import { useState } from "preact/hooks";
import type { Run } from "../../../api/runs";
import { CHOICES } from "../../../lib/runs/colours";
import { plural } from "../../../lib/text";
import { go, ofRun, pageParams } from "../../../state/route";
import { Icon } from "../../../ui/icon";
import { Popover } from "../../../ui/menu";
import { edit } from "../shared/edits";

export interface ActionsProps {
  readonly runs: readonly Run[]; // selected ones that are known
  readonly count: number; // selected
  readonly ids: readonly string[];
  readonly deleted: boolean; // the list is that of deleted runs
  readonly onClear: () => void;
}

export function Actions({ runs, count, ids, deleted, onClear }: ActionsProps) {
  const hidden = runs.length > 0 && runs.every((run) => run.hidden);
  const pinned = runs.length > 0 && runs.every((run) => run.pinned);
  const scope = count === 1 ? ofRun(ids[0] as string) : ({ kind: "runs", ids } as const);
  return (
    <div class="runs-actions" role="toolbar" aria-label="With the selected runs">
      <strong>
        {count.toLocaleString("en-US")} {plural(count, "run")} selected
      </strong>
      <button type="button" class="primary" onClick={() => go(pageParams("curves", {}, scope))}>
        <Icon name="curves" /> Curves
      </button>
      {count < 2 ? null : (
        <button type="button" onClick={() => go(pageParams("overview", {}, scope))}>
          <Icon name="compare" /> Compare
        </button>
      )}
      <Popover label="Colour" icon="colour" align="start">
        {(close) => (
          <div class="runs-colours">
            {CHOICES.map((colour) => (
              <button
                type="button"
                key={colour}
                class="runs-colour"
                aria-label={`Colour ${colour}`}
                style={{ background: colour }}
                onClick={() => {
                  edit(runs, { color: colour });
                  close();
                }}
              />
            ))}
            <button
              type="button"
              onClick={() => {
                edit(runs, { color: "" });
                close();
              }}
            >
              By itself
            </button>
          </div>
        )}
      </Popover>
      <Popover label="Tag" icon="tag" align="start">
        {(close) => <TagForm runs={runs} onDone={close} />}
      </Popover>
      <button type="button" onClick={() => edit(runs, { pinned: !pinned })}>
        <Icon name="pin" /> {pinned ? "Unpin" : "Pin"}
      </button>
      <button type="button" onClick={() => edit(runs, { hidden: !hidden })}>
        <Icon name="hide" /> {hidden ? "Show" : "Hide"}
      </button>
      <button
        type="button"
        onClick={() => {
          edit(runs, { deleted: !deleted });
          onClear();
        }}
      >
        <Icon name="trash" /> {deleted ? "Restore" : "Delete"}
      </button>
      <button type="button" class="plain" onClick={onClear}>
        Select none
      </button>
    </div>
  );
}

function TagForm({ runs, onDone }: { readonly runs: readonly Run[]; readonly onDone: () => void }) {
  const [text, setText] = useState("");
  const given = [...new Set(runs.flatMap((run) => run.tags))];
  return (
    <form
      class="runs-tags"
      onSubmit={(event) => {
        event.preventDefault();
        const tags = text
          .split(",")
          .map((tag) => tag.trim())
          .filter(Boolean);
        if (tags.length > 0) edit(runs, { add_tags: tags });
        onDone();
      }}
    >
      <label>
        Add a tag{" "}
        <input type="text" autofocus value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" class="primary">
        Add
      </button>
      {given.map((tag) => (
        <button
          type="button"
          key={tag}
          title={`Take the tag ${tag} away`}
          onClick={() => {
            edit(runs, { remove_tags: [tag] });
            onDone();
          }}
        >
          {tag} <Icon name="close" />
        </button>
      ))}
    </form>
  );
}
