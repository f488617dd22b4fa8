// SPDX-License-Identifier: Apache-2.0
// Overview: the answer, where a step goes, every step, devices, what to try, the top of the other pages.
import type { PageProps } from "../../page_props";
import { FunctionsOverview } from "./functions_overview";
import { MemoryOverview } from "./memory_overview";
import "./overview.css";
import { TraceOverview } from "./trace_overview";

export default function Overview({ profile }: PageProps) {
  if (profile.kind === "functions" || profile.first_view === "functions")
    return <FunctionsOverview profile={profile} />;
  if (profile.kind === "memory") return <MemoryOverview profile={profile} />;
  return <TraceOverview profile={profile} />;
}
