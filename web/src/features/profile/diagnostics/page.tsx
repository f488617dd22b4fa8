// SPDX-License-Identifier: Apache-2.0
// What was wrong in the files and where, which files these are, and what the capture lacks.
import { useMemo } from "preact/hooks";
import { plural, visible } from "../../../lib/text";
import { profiles } from "../../../state/profiles";
import { type Diagnostic, type FileInfo, useReport } from "../../../state/report";
import { pageAddress } from "../../../state/route";
import { Load, Page, Panel } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";
import { Unreadable } from "../../../ui/unreadable";
import type { PageProps } from "../../page_props";
import { Captured } from "../shared/captured";

const SEVERITIES = { error: "error", loss: "data lost", info: "note" } as const;

function diagnosticColumns(files: readonly FileInfo[]): readonly Column<Diagnostic>[] {
  return [
    {
      key: "severity",
      title: "Severity",
      quantity: "text",
      width: 104,
      value: (row) => row.severity,
      cell: (row) => <span class={`badge badge-${row.severity}`}>{SEVERITIES[row.severity]}</span>,
    },
    { key: "message", title: "What was found", quantity: "text", value: (row) => row.message },
    { key: "kind", title: "Kind", quantity: "text", width: 180, mono: true, value: (row) => row.kind },
    { key: "count", title: "Times", quantity: "count", width: 80, value: (row) => row.count },
    {
      key: "first_offset",
      title: "First at byte",
      quantity: "count",
      sum: false,
      width: 130,
      help: "Of the decoded text",
      value: (row) => row.first_offset,
    },
    {
      key: "file",
      title: "File",
      quantity: "text",
      width: 240,
      hidden: files.length < 2,
      value: (row) => (typeof row.file === "number" ? (files[row.file]?.path ?? null) : (row.file ?? null)),
    },
  ];
}

const fileColumns: readonly Column<FileInfo>[] = [
  { key: "path", title: "File", quantity: "text", value: (row) => row.path },
  { key: "format", title: "Format", quantity: "text", width: 130, whole: true, value: (row) => row.format },
  {
    key: "compression",
    title: "Compression",
    quantity: "text",
    width: 110,
    spare: 2,
    value: (row) => row.compression,
  },
  { key: "bytes", title: "Size", quantity: "bytes", width: 104, value: (row) => row.bytes },
  {
    key: "decoded_bytes",
    title: "Decoded",
    quantity: "bytes",
    width: 104,
    value: (row) => row.decoded_bytes,
  },
  { key: "events", title: "Events", quantity: "count", value: (row) => row.events },
  { key: "worker", title: "Worker", quantity: "text", width: 120, spare: 1, value: (row) => row.worker },
  {
    key: "rank",
    title: "Rank",
    quantity: "text",
    width: 64,
    value: (row) => (row.rank === null ? null : String(row.rank)),
  },
];

function answer(rows: readonly Diagnostic[], files: readonly FileInfo[]): string {
  const bad = rows.filter((row) => row.severity !== "info");
  const which = files.length === 1 ? "The file" : `The ${files.length} files`;
  if (bad.length === 0)
    return `Everything in ${which.toLowerCase()} could be used${rows.length > 0 ? `; ${rows.length} ${plural(rows.length, "note")} below` : ""}.`;
  const worst = bad.find((row) => row.severity === "error") ?? (bad[0] as Diagnostic);
  return `${bad.length} ${plural(bad.length, "problem")} in ${which.toLowerCase()}: ${visible(worst.message)}.`;
}

export default function Diagnostics({ profile }: PageProps) {
  const report = useReport<object>(profile.state === "failed" ? null : profile, "diagnostics", {}, false);
  const files = report.state === "ready" ? report.data.files : [];
  const columns = useMemo(() => diagnosticColumns(files), [files]);
  const unreadable = profiles.value.filter((p) => p.state === "failed" && p.id !== profile.id);
  const failed = profile.state === "failed";
  return (
    <Page
      title="Diagnostics"
      sentence={
        failed
          ? "This profile could not be read."
          : report.state === "ready"
            ? answer(report.data.diagnostics, files)
            : report.state === "failed"
              ? undefined
              : null
      }
    >
      {failed ? (
        <Unreadable profile={profile} />
      ) : (
        <Load of={report} height="200px">
          {(data) => (
            <>
              {data.diagnostics.length === 0 ? null : (
                <Panel title="Found while reading" flush>
                  <Table
                    id="diag"
                    label="Diagnostics"
                    columns={columns}
                    rows={data.diagnostics}
                    toolbar={data.diagnostics.length > 10}
                    what={["finding", "findings"]}
                  />
                </Panel>
              )}
              <Panel title={plural(files.length, "File", "Files")} flush>
                <Table
                  id="files"
                  label="Files"
                  columns={fileColumns}
                  rows={files}
                  toolbar={files.length > 10}
                  what={["file", "files"]}
                />
              </Panel>
              {profile.kind === "functions" || profile.kind === "memory" ? null : (
                <Panel title="What was captured">
                  <Captured profile={profile} head={data} />
                </Panel>
              )}
            </>
          )}
        </Load>
      )}
      {unreadable.length === 0 ? null : (
        <Panel title="Other files that could not be read">
          <ul class="unreadable">
            {unreadable.slice(0, 200).map((p) => (
              <li key={p.id}>
                <a href={pageAddress("diagnostics", {}, p.id)}>{visible(p.name)}</a>
                <span class="muted">{visible(p.error ?? "")}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Page>
  );
}
