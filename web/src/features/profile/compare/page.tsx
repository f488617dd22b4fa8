// SPDX-License-Identifier: Apache-2.0
// Compare two profiles of a kind: what got slower, faster, new, gone, the largest effect first, each with its share
// of the whole change and whether it is more than noise.
import { useMemo } from "preact/hooks";
import type { ProfileInfo } from "../../../api/types";
import { type DiffDocument, type DiffTable, tableTitle } from "../../../lib/diff";
import { comparable } from "../../../lib/related";
import { keyOf } from "../../../lib/text";
import { profiles } from "../../../state/profiles";
import { type Resource, useJson } from "../../../state/resource";
import { go, ofProfile, pageParams, params } from "../../../state/route";
import { useReadAgain } from "../../../ui/file_state";
import { Empty, Failed, Load, Page, Panel } from "../../../ui/page";
import { Table } from "../../../ui/table";
import { chosenTab, Tabs } from "../../../ui/tabs";
import { Unreadable } from "../../../ui/unreadable";
import type { PageProps } from "../../page_props";
import { Changes } from "./changes";
import { Choices, Offers } from "./choices";
import { diffColumns } from "./columns";
import "./compare.css";

export default function Compare({ profile }: PageProps) {
  const list = profiles.value;
  const before = list.find((p) => p.id === params.value.before) ?? profile;
  const after = list.find((p) => p.id === params.value.after);
  useReadAgain(before);
  useReadAgain(after);
  const different = after !== undefined && !comparable(before, after);
  const unreadable = [before, after].find((p) => p?.state === "failed");
  const askable = after !== undefined && !different && unreadable === undefined;
  const diff = useJson<DiffDocument>(askable ? "diff" : null, {
    before: before.id,
    after: after?.id,
    steps: params.value.steps,
    rank: params.value.rank,
  });
  const sentence =
    after === undefined
      ? `Choose what ${before.name} is to be compared with.`
      : different
        ? "Choose two profiles of the same kind to see what changed between them."
        : unreadable !== undefined
          ? "One of these two could not be read."
          : answerOf(diff);
  return (
    <Page title="Compare" sentence={sentence}>
      <Choices list={list} before={before} after={after} />
      {after === undefined ? (
        list.length < 2 ? (
          <Empty what="There is no second profile to compare with." />
        ) : (
          <Offers list={list} before={before} />
        )
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

const answerOf = (diff: Resource<DiffDocument>): string | null | undefined =>
  diff.state === "ready" ? diff.data.answer : diff.state === "failed" ? undefined : null;

function Tables({ diff, after }: { readonly diff: DiffDocument; readonly after: ProfileInfo }) {
  const tabs = diff.tables.map((table) => ({
    key: table.table,
    title: tableTitle(table),
    count: table.rows_total,
  }));
  const chosen = chosenTab("table", tabs);
  const table = diff.tables.find((t) => t.table === chosen);
  const opens = useMemo(() => (table === undefined ? {} : opener(table, after.id)), [table, after.id]);
  if (table === undefined) return <Empty what="There is nothing that both could be compared by." />;
  return (
    <>
      <Tabs param="table" tabs={tabs} label="What is compared" />
      <Panel title="What changed">
        <Changes key={table.table} table={table} unit={diff.unit} {...opens} />
      </Panel>
      <Panel flush>
        <Table
          key={table.table}
          id={`diff_${table.table}`}
          label={tableTitle(table)}
          columns={diffColumns(table, diff.unit)}
          rows={table.rows}
          what={["row", "rows"]}
          fill
          {...opens}
          note={basis(diff, table)}
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

function basis(diff: DiffDocument, table: DiffTable): string {
  const cut =
    table.rows.length < table.rows_total ? `the first of ${table.rows_total.toLocaleString("en-US")}, ` : "";
  if (diff.basis === "step")
    return `${cut}${diff.samples_before} and ${diff.samples_after} steps, the largest effect first`;
  return `${cut}${diff.unit === "samples" ? "in samples, " : ""}the largest effect first`;
}

function opener(table: DiffTable, after: string) {
  const page =
    table.table === "kernels" ? "kernels" : table.table.startsWith("operators") ? "operators" : null;
  if (page === null) return {};
  return {
    onOpen: (row: DiffTable["rows"][number]) =>
      go(pageParams(page, { open: keyOf(row.name) }, ofProfile(after))),
  };
}
