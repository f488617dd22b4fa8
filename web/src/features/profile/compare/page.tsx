// SPDX-License-Identifier: Apache-2.0
// Compare two profiles of a kind: what got slower, faster, new, gone, the largest effect first, each with its share
// of the whole change and whether it is more than noise.
import type { ProfileInfo } from "../../../api/types";
import { type DiffDocument, type DiffTable, tableTitle } from "../../../lib/diff";
import { keyOf } from "../../../lib/text";
import { profiles } from "../../../state/profiles";
import { useJson } from "../../../state/resource";
import { changed, go, pageParams, params } from "../../../state/route";
import { Empty, Failed, Load, Page, Panel } from "../../../ui/page";
import { Table } from "../../../ui/table";
import { chosenTab, Tabs } from "../../../ui/tabs";
import { Unreadable } from "../../../ui/unreadable";
import type { PageProps } from "../../page_props";
import { diffColumns } from "./columns";
import "./compare.css";

function Choose({
  label,
  name,
  value,
  list,
}: {
  label: string;
  name: string;
  value: string;
  list: readonly ProfileInfo[];
}) {
  return (
    <label class="compare-choice">
      <span class="muted">{label}</span>
      <select value={value} onChange={(event) => go(changed({ [name]: event.currentTarget.value }))}>
        <option value="">Choose a profile</option>
        {list.map((p) => (
          <option key={p.id} value={p.id}>
            {p.name}
          </option>
        ))}
      </select>
    </label>
  );
}

// The one most likely meant: a profile of the same kind, in the same folder if there is one, of about the same size.
function likely(list: readonly ProfileInfo[], other: ProfileInfo): ProfileInfo | undefined {
  const kind = list.filter(
    (p) => p.id !== other.id && p.state !== "failed" && (p.kind === null || p.kind === other.kind),
  );
  const near = kind.some((p) => p.folder === other.folder)
    ? kind.filter((p) => p.folder === other.folder)
    : kind;
  const apart = (p: ProfileInfo): number => Math.abs(Math.log((p.bytes + 1) / (other.bytes + 1)));
  return near.toSorted((a, b) => apart(a) - apart(b))[0];
}

export default function Compare({ profile }: PageProps) {
  const list = profiles.value;
  const before = list.find((p) => p.id === params.value.before) ?? profile;
  const asked = list.find((p) => p.id === params.value.after);
  const after = asked ?? likely(list, before);
  const different =
    after !== undefined && before.kind !== null && after.kind !== null && before.kind !== after.kind;
  const unreadable = [before, after].find((p) => p?.state === "failed");
  const askable = after !== undefined && !different && unreadable === undefined;
  const diff = useJson<DiffDocument>(askable ? "diff" : null, {
    before: before.id,
    after: after?.id,
    steps: params.value.steps,
    rank: params.value.rank,
  });
  const sentence =
    after === undefined || different
      ? "Choose two profiles of the same kind to see what changed between them."
      : unreadable !== undefined
        ? "One of these two could not be read."
        : diff.state === "ready"
          ? diff.data.answer
          : diff.state === "failed"
            ? undefined
            : null;
  return (
    <Page title="Compare" sentence={sentence}>
      <div class="compare-choices">
        <Choose label="Before" name="before" value={before.id} list={list} />
        <button
          type="button"
          title="The other way round"
          disabled={after === undefined}
          onClick={() => go(changed({ before: after?.id ?? null, after: before.id }))}
        >
          ⇄ Swap
        </button>
        <Choose label="After" name="after" value={after?.id ?? ""} list={list} />
      </div>
      {after === undefined ? (
        <Empty what="There is no second profile to compare with." />
      ) : different ? (
        <Failed
          what="These two cannot be compared."
          message={`${before.name} holds ${before.kind}, ${after.name} holds ${after.kind}: only two of a kind can be compared.`}
        />
      ) : unreadable !== undefined ? (
        <Unreadable profile={unreadable} />
      ) : (
        <Load of={diff} height="420px">
          {(data) => <Tables diff={data} after={after} />}
        </Load>
      )}
    </Page>
  );
}

function Tables({ diff, after }: { readonly diff: DiffDocument; readonly after: ProfileInfo }) {
  const tabs = diff.tables.map((table) => ({
    key: table.table,
    title: tableTitle(table),
    count: table.rows.length,
  }));
  const chosen = chosenTab("table", tabs);
  const table = diff.tables.find((t) => t.table === chosen);
  if (table === undefined) return <Empty what="There is nothing that both could be compared by." />;
  return (
    <>
      <Tabs param="table" tabs={tabs} label="What is compared" />
      <Panel flush>
        <Table
          key={table.table}
          id={`diff_${table.table}`}
          label={tableTitle(table)}
          columns={diffColumns(table)}
          rows={table.rows}
          what={["row", "rows"]}
          fill
          {...opener(table, after)}
          note={`${diff.samples_before} and ${diff.samples_after} ${diff.basis === "step" ? "steps" : "samples"}, the largest effect first`}
        />
      </Panel>
      <ul class="muted compare-remarks">
        {diff.remarks.map((remark) => (
          <li key={remark}>{remark}</li>
        ))}
        <li>
          Slower and faster: the means differ by {diff.test.least_effect_share * 100} % or more, and by more
          than the steps scatter (Welch's test, p &lt; {diff.test.level}). With one step on a side nobody
          knows the noise.
        </li>
      </ul>
    </>
  );
}

function opener(table: DiffTable, after: ProfileInfo) {
  const page =
    table.table === "kernels" ? "kernels" : table.table.startsWith("operators") ? "operators" : null;
  if (page === null) return {};
  return {
    onOpen: (row: DiffTable["rows"][number]) => go(pageParams(page, { open: keyOf(row.name) }, after.id)),
  };
}
