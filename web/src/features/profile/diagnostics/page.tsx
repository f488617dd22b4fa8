// SPDX-License-Identifier: Apache-2.0
// What was wrong in the files and where, which files these are, and what the capture lacks.
import { useMemo } from "preact/hooks";
import { DIAGNOSTICS, type DiagnosticRow } from "../../../api/generated";
import { plural, visible } from "../../../lib/text";
import { profiles } from "../../../state/profiles";
import { type FileInfo, useReport } from "../../../state/report";
import { ofProfile, pageAddress } from "../../../state/route";
import { field } from "../../../ui/columns";
import type { Cells } from "../../../ui/described";
import { Load, Page, Panel } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";
import { TablePanel } from "../../../ui/table_panel";
import { Unreadable } from "../../../ui/unreadable";
import type { PageProps } from "../../page_props";
import { Captured } from "../shared/captured";

const SEVERITIES: Readonly<Record<string, string>> = { error: "error", loss: "data lost", info: "note" };

const cellsOf = (files: readonly FileInfo[]): Cells<DiagnosticRow> => ({
  severity: {
    width: 104,
    cell: (row) => (
      <span class={`badge badge-${row.severity}`}>{SEVERITIES[row.severity] ?? row.severity}</span>
    ),
  },
  kind: { mono: true },
  file: { value: (row) => (row.file === null ? null : (files[row.file]?.path ?? null)) },
});

const fileColumns: readonly Column<FileInfo>[] = [
  field("path", "File", "text"),
  field("format", "Format", "text", { width: 130, whole: true }),
  field("compression", "Compression", "text", { width: 110, spare: 2 }),
  field("bytes", "Size", "bytes"),
  field("decoded_bytes", "Decoded", "bytes"),
  field("events", "Events", "count"),
  field("worker", "Worker", "text", { width: 120, spare: 1 }),
  field("rank", "Rank", "text", { width: 64 }),
];

function answer(rows: readonly DiagnosticRow[], files: readonly FileInfo[]): string {
  const bad = rows.filter((row) => row.severity !== "info");
  const which = files.length === 1 ? "The file" : `The ${files.length} files`;
  if (bad.length === 0)
    return `Everything in ${which.toLowerCase()} could be used${rows.length > 0 ? `; ${rows.length} ${plural(rows.length, "note")} below` : ""}.`;
  const worst = bad.find((row) => row.severity === "error") ?? (bad[0] as DiagnosticRow);
  return `${bad.length} ${plural(bad.length, "problem")} in ${which.toLowerCase()}: ${visible(worst.message)}.`;
}

export default function Diagnostics({ profile }: PageProps) {
  const report = useReport<object>(profile.state === "failed" ? null : profile, "diagnostics", {}, false);
  const files = report.data?.files ?? [];
  const cells = useMemo(() => cellsOf(files), [files]);
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
                <TablePanel
                  title="Found while reading"
                  of={DIAGNOSTICS}
                  id="diag"
                  label="Diagnostics"
                  files={files}
                  cells={cells}
                  rows={data.diagnostics}
                  toolbar={data.diagnostics.length > 10}
                  what={["finding", "findings"]}
                />
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
                <a href={pageAddress("diagnostics", {}, ofProfile(p.id))}>{visible(p.name)}</a>
                <span class="muted">{visible(p.error ?? "")}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Page>
  );
}
