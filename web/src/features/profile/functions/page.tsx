// SPDX-License-Identifier: Apache-2.0
// Functions: where the time of a Python program went, as icicle, flame, sunburst, in the order of time, as sandwich
// or table. Of a .prof, any other function profile, or the Python stack of a trace.
import { useOrigin } from "../../../state/clock";
import { useReport } from "../../../state/report";
import { StackAdvice } from "../../../ui/again";
import { rowLimit } from "../../../ui/cut_note";
import { Hints } from "../../../ui/hints";
import { Empty, Load, Panel } from "../../../ui/page";
import { chosenTab, Tabs } from "../../../ui/tabs";
import type { PageProps } from "../../page_props";
import { ReportPage } from "../shared/report_page";
import { type FunctionsReport, ROWS_ASKED, SHAPES } from "./data";
import { FunctionTable } from "./function_table";
import "./functions.css";
import { OnlyTime } from "./only_time";
import { Pictures, type Shape } from "./pictures";
import { ThreadPicker, threadQuery } from "./threads";
import { TimeOrder } from "./time_order";

export default function FunctionsPage({ profile }: PageProps) {
  const report = useReport<FunctionsReport>(profile, "functions", {
    limit: ROWS_ASKED,
    ...rowLimit(),
    ...threadQuery(),
  });
  const origin = useOrigin(profile.kind === "functions" ? null : profile);
  const functions = report.data?.functions ?? null;
  const empty = report.state === "ready" && !functions?.rows.length;
  const shape = chosenTab("shape", SHAPES);
  const table = (full: boolean) => (
    <Load of={report} lines={12}>
      {(data) =>
        data.functions && (
          <FunctionTable
            head={data}
            rows={data.functions.rows}
            unit={data.functions.unit ?? "ns"}
            full={full}
          />
        )
      }
    </Load>
  );
  const only = <OnlyTime between={functions?.between} />;
  const tabs = (
    <>
      <ThreadPicker functions={functions} />
      <Tabs param="shape" tabs={SHAPES} label="How functions are shown" />
    </>
  );
  return (
    <ReportPage
      title="Functions"
      of={report}
      origin={origin}
      empty={empty}
      sentence={empty && "This capture has no Python functions."}
      nothing={NOTHING}
      after={functions === null ? null : <Hints hints={HINTS} />}
    >
      {shape === "table" ? (
        <Panel actions={tabs} title="Functions" note="as pstats counts them" flush>
          {only}
          {table(true)}
        </Panel>
      ) : (
        <>
          <Panel actions={tabs} title={shape === "time" ? "Calls in the order of time" : "Call tree"}>
            {only}
            {shape === "time" ? (
              <TimeOrder profile={profile} />
            ) : (
              <Pictures profile={profile} functions={functions} shape={shape as Shape} />
            )}
          </Panel>
          <Panel title="Functions" note="as pstats counts them" flush>
            {table(false)}
          </Panel>
        </>
      )}
    </ReportPage>
  );
}

const HINTS = [
  <>
    Click a box to zoom to it, the top box or a name above the picture to go back. Press <kbd>/</kbd> to
    search.
  </>,
  <>
    Own code is in full colour, libraries are pale: follow the lowest full-coloured box down to find the line
    of yours that costs the time.
  </>,
];

const NOTHING = (
  <Empty captured>
    <StackAdvice />
    <p class="muted">
      Function profiles open here, too: <code>python -m cProfile -o x.prof train.py</code>, py-spy, viztracer,
      pyinstrument, speedscope files.
    </p>
  </Empty>
);
