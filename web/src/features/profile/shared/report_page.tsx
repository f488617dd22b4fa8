// SPDX-License-Identifier: Apache-2.0
// A page made of one report: its sentence, its parts, and what the rules of the view found. Where the capture has
// nothing for the parts, `nothing` stands in their place and says what it needs.
import type { ComponentChildren } from "preact";
import { type ReportHead, sentenceOf } from "../../../state/report";
import type { Resource } from "../../../state/resource";
import { Empty, Page, Panel } from "../../../ui/page";
import { Findings } from "./recommendations";

interface ReportPageProps {
  readonly title: string;
  readonly of: Resource<ReportHead>;
  readonly origin: number | null;
  readonly sentence?: string | false | null; // another one than the report's
  readonly empty: boolean;
  readonly nothing?: ComponentChildren;
  readonly rest?: ComponentChildren; // below it
  readonly after?: ComponentChildren; // behind what was found
  readonly children: ComponentChildren;
}

export function ReportPage(props: ReportPageProps) {
  const { title, of, origin, sentence, nothing, rest, after, children } = props;
  const empty = of.state === "ready" && props.empty;
  return (
    <Page title={title} sentence={sentence || sentenceOf(of)}>
      {empty ? <Panel>{nothing ?? <Empty captured />}</Panel> : children}
      {empty ? rest : null}
      <Findings of={of} origin={origin} />
      {empty ? null : after}
    </Page>
  );
}
