// SPDX-License-Identifier: Apache-2.0
// The files of a run's folder: a folder at a time, a preview of what can be read, and the file itself.
import { useEffect, useMemo, useState } from "preact/hooks";
import { apiUrl, getText, messageOf } from "../../../api/client";
import type { Folder, FolderEntry } from "../../../api/runs";
import { parseCsv } from "../../../lib/runs/csv_rows";
import { plural, visible } from "../../../lib/text";
import { bytes } from "../../../lib/units";
import { pageAddress, params } from "../../../state/route";
import { useRunsJson } from "../../../state/runs";
import { Icon } from "../../../ui/icon";
import { Name } from "../../../ui/name";
import { Empty, Failed, Load, Page, Panel, Skeleton } from "../../../ui/page";
import { type Column, Table } from "../../../ui/table";
import type { PageProps } from "../../page_props";
import "../shared/runs.css";
import "../shared/icons";
import { useRuns } from "../shared/scope_runs";
import "./files.css";

const PREVIEW_BYTES = 200_000;
const IMAGES = /\.(png|jpe?g|gif|webp)$/i;
const TABLES = /\.(csv|tsv)$/i;

const joined = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`);

export default function FilesPage({ run }: PageProps<"run">) {
  const folder = params.value.path ?? "";
  const file = params.value.file;
  useRuns([run]); // its name, for the way at the top
  const list = useRunsJson<Folder>(`runs/${run}/files`, { path: folder });
  const entries = list.state === "ready" ? list.data.files : [];
  const files = entries.filter((entry) => entry.kind !== "folder");
  const size = files.reduce((sum, entry) => sum + (entry.bytes ?? 0), 0);
  const folders = entries.length - files.length;
  const sentence =
    list.state === "failed"
      ? undefined
      : list.state === "loading"
        ? null
        : `${files.length.toLocaleString("en-US")} ${plural(files.length, "file")} of ${bytes(size)}${folders > 0 ? ` and ${folders} ${plural(folders, "folder")}` : ""} in ${folder === "" ? "the run's folder" : folder}.`;
  const parts = folder === "" ? [] : folder.split("/");
  const columns = useMemo<readonly Column<FolderEntry>[]>(
    () => [
      {
        key: "name",
        title: "Name",
        quantity: "text",
        value: ({ name }) => name,
        cell: (entry) => (
          <a
            class="file-link"
            href={pageAddress(
              "files",
              entry.kind === "folder"
                ? { path: joined(folder, entry.name) }
                : { ...(folder === "" ? {} : { path: folder }), file: entry.name },
            )}
          >
            <Icon name={entry.kind === "folder" ? "folder" : "files"} />
            <Name text={entry.name} />
          </a>
        ),
      },
      { key: "bytes", title: "Size", quantity: "bytes", value: (entry) => entry.bytes, width: 110 },
    ],
    [folder],
  );
  return (
    <Page title="Files" sentence={sentence}>
      <nav class="file-crumbs" aria-label="Folder">
        <a href={pageAddress("files")}>run</a>
        {parts.map((part, i) => (
          <span key={i}>
            {" / "}
            <a href={pageAddress("files", { path: parts.slice(0, i + 1).join("/") })}>{visible(part)}</a>
          </span>
        ))}
      </nav>
      <div class="files">
        <Panel flush>
          <Load of={list}>
            {({ total }) => (
              <Table
                id="files"
                label="Files"
                columns={columns}
                rows={entries}
                what={["file", "files"]}
                fill
                isOpen={(entry) => entry.name === file}
                {...(total > entries.length ? { note: `the first ${entries.length} of ${total}` } : {})}
              />
            )}
          </Load>
        </Panel>
        {file === undefined ? (
          <Empty what="Choose a file to look into it." />
        ) : (
          <Preview
            key={`${folder}/${file}`}
            run={run}
            path={joined(folder, file)}
            entry={entries.find((entry) => entry.name === file)}
          />
        )}
      </div>
    </Page>
  );
}

function Preview({
  run,
  path,
  entry,
}: {
  readonly run: string;
  readonly path: string;
  readonly entry: FolderEntry | undefined;
}) {
  const url = apiUrl(`runs/${run}/file`, { path });
  const whole = `${apiUrl(`runs/${run}/file`, { path })}&limit=0`;
  return (
    <Panel
      title={<Name text={path} />}
      {...(entry?.bytes ? { note: bytes(entry.bytes) } : {})}
      actions={
        <a class="button" href={whole} download={path.split("/").at(-1)}>
          <Icon name="download" /> Download
        </a>
      }
    >
      {IMAGES.test(path) ? (
        <img class="file-image" src={whole} alt={path} />
      ) : (
        <TextPreview run={run} path={path} url={url} size={entry?.bytes ?? null} />
      )}
    </Panel>
  );
}

function TextPreview({
  run,
  path,
  size,
}: {
  readonly run: string;
  readonly path: string;
  readonly url: string;
  readonly size: number | null;
}) {
  const [text, setText] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const abort = new AbortController();
    getText(`runs/${run}/file`, { path, limit: PREVIEW_BYTES }, abort.signal).then(
      setText,
      (error: unknown) => {
        if (!abort.signal.aborted) setProblem(messageOf(error));
      },
    );
    return () => abort.abort();
  }, [run, path]);
  if (problem !== null) return <Failed message={problem} />;
  if (text === null) return <Skeleton lines={12} />;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell what is no text
  if (/[\u0000-\u0008]/.test(text.slice(0, 4000)) || text.slice(0, 4000).split("\ufffd").length > 20)
    return <Empty what="This file holds no text." />;
  const cut =
    size !== null && size > PREVIEW_BYTES ? (
      <p class="muted">
        The first {bytes(PREVIEW_BYTES)} of {bytes(size)}.
      </p>
    ) : null;
  if (TABLES.test(path)) {
    const { head, rows } = parseCsv(text, /\.tsv$/i.test(path) ? "\t" : ",");
    if (head.length > 0)
      return (
        <>
          {cut}
          <CsvTable head={head} rows={rows} />
        </>
      );
  }
  return (
    <>
      {cut}
      <pre class="file-text">{text}</pre>
    </>
  );
}

function CsvTable({
  head,
  rows,
}: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}) {
  const columns = useMemo(
    () =>
      head.map(
        (title, i): Column<readonly string[]> => ({
          key: `c${i}`,
          title: visible(title),
          quantity: "text",
          width: 120,
          value: (row) => {
            const text = row[i] ?? "";
            return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
          },
          shown: (row) => row[i] ?? "",
        }),
      ),
    [head],
  );
  return <Table id="csv" label="Rows" columns={columns} rows={rows} maxRows={24} />;
}
