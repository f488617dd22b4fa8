// SPDX-License-Identifier: Apache-2.0
// Your own ranges (record_function, profiler steps, optimizers): as a tree of what is inside what, or by name.
import { ANNOTATIONS, type AnnotationRow } from "../../../api/generated";
import { timelineAddress, useOrigin } from "../../../state/clock";
import { answerUnlessEmpty, useReport } from "../../../state/report";
import { go } from "../../../state/route";
import { Described } from "../../../ui/described";
import { Empty, Load, Page, Panel } from "../../../ui/page";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { PageProps } from "../../page_props";

const TABS = [
  { key: "tree", title: "As a tree" },
  { key: "flat", title: "By name" },
] as const;

export default function Annotations({ profile }: PageProps) {
  const tab = chosenTab("as", TABS);
  const report = useReport<{ annotations?: { readonly rows: readonly AnnotationRow[] } }>(
    profile,
    "annotations",
    { tree: tab === "tree" },
  );
  const flat = useReport<{ annotations?: { readonly rows: readonly AnnotationRow[] } }>(
    profile,
    "annotations",
  );
  const origin = useOrigin(profile);
  const rows = report.state === "ready" ? (report.data.annotations?.rows ?? []) : [];
  const named = flat.state === "ready" ? (flat.data.annotations?.rows ?? []) : null;
  return (
    <Page title="Annotations" sentence={answerUnlessEmpty(flat, named, "This capture has no annotations.")}>
      {named !== null && named.length === 0 ? null : <Tabs param="as" tabs={TABS} label="Annotations" />}
      <Panel flush>
        <Load of={report} height="360px">
          {() =>
            rows.length === 0 ? (
              <Empty captured>
                <p>
                  Wrap parts of the program, such as the loading of data or the loss, in{" "}
                  <code>with torch.profiler.record_function("name"):</code> and capture again.
                </p>
              </Empty>
            ) : (
              <Described
                of={ANNOTATIONS}
                id="an"
                label="Annotations"
                rows={rows}
                what={["annotation", "annotations"]}
                fill
                {...(tab === "tree" ? { depth: depthOf } : { sort: "-host_total_ns" })}
                onOpen={(row) => {
                  const to =
                    row.first_start_ns === null
                      ? undefined
                      : timelineAddress(origin, row.first_start_ns, row.mean_ns);
                  if (to !== undefined) go(Object.fromEntries(new URLSearchParams(to)));
                }}
                note="Enter or a click shows the first one in the timeline"
              />
            )
          }
        </Load>
      </Panel>
    </Page>
  );
}

const depthOf = (row: AnnotationRow): number => row.depth ?? 0;
