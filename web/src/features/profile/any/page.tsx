// SPDX-License-Identifier: Apache-2.0
// The page of a view that has none made for it: its sentence, and its table as the server describes it.
import { DEFAULT_PAGES } from "../../../api/generated";
import { answerUnlessEmpty, useReport } from "../../../state/report";
import { view } from "../../../state/route";
import { Page } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import type { PageProps } from "../../page_props";

type Row = Readonly<Record<string, unknown>>;

export default function AnyView({ profile }: PageProps) {
  const of = DEFAULT_PAGES.find((page) => page.name === view.value);
  const report = useReport<Readonly<Record<string, { readonly rows: readonly Row[] }>>>(
    profile,
    of?.name ?? null,
  );
  if (of === undefined) return null;
  const rows = report.data && (report.data[of.name]?.rows ?? []);
  return (
    <Page title={of.title} sentence={answerUnlessEmpty(report, rows, "This capture holds nothing of it.")}>
      {rows?.length === 0 ? null : (
        <TablePanel
          from={report}
          height="360px"
          of={of.table}
          id={of.name}
          label={of.title}
          rows={rows}
          what={["row", "rows"]}
          fill
        />
      )}
    </Page>
  );
}
