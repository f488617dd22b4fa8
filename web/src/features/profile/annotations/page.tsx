// SPDX-License-Identifier: Apache-2.0
// Your own ranges (record_function, profiler steps, optimizers): as a tree of what is inside what, or by name.
import { ANNOTATIONS, type AnnotationRow } from "../../../api/generated";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { answerUnlessEmpty, useReport } from "../../../state/report";
import { open } from "../../../state/route";
import { Empty, Page } from "../../../ui/page";
import { TablePanel } from "../../../ui/table_panel";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { PageProps } from "../../page_props";

const TABS = [
  { key: "tree", title: "As a tree" },
  { key: "flat", title: "By name" },
] as const;

interface AnnotationsReport {
  readonly annotations?: { readonly rows: readonly AnnotationRow[] };
}

const depthOf = (row: AnnotationRow): number => row.depth ?? 0;

export default function Annotations({ profile }: PageProps) {
  const tab = chosenTab("as", TABS);
  const report = useReport<AnnotationsReport>(profile, "annotations", { tree: tab === "tree" });
  const flat = useReport<AnnotationsReport>(profile, "annotations");
  const origin = useOrigin(profile);
  const named = flat.data && (flat.data.annotations?.rows ?? []);
  return (
    <Page title="Annotations" sentence={answerUnlessEmpty(flat, named, "This capture has no annotations.")}>
      {named?.length === 0 ? null : <Tabs param="as" tabs={TABS} label="Annotations" />}
      <TablePanel
        from={report}
        height="360px"
        of={ANNOTATIONS}
        id="an"
        label="Annotations"
        rows={report.data?.annotations?.rows}
        none={
          <Empty captured>
            <p>
              Wrap parts of the program, such as the loading of data or the loss, in{" "}
              <code>with torch.profiler.record_function("name"):</code> and capture again.
            </p>
          </Empty>
        }
        what={["annotation", "annotations"]}
        fill
        {...(tab === "tree" ? { depth: depthOf } : { sort: "-host_total_ns" })}
        onOpen={({ first_start_ns, mean_ns }) => {
          if (first_start_ns !== null) open(timelineAddress(origin, first_start_ns, mean_ns));
        }}
        remark="Enter or a click shows the first one in the timeline"
      />
    </Page>
  );
}
