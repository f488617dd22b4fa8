// SPDX-License-Identifier: Apache-2.0
// What every page says above itself of the files it is made from: being read, changed, gone, or only partly readable.
// What was read before stays in view meanwhile.
import { useEffect } from "preact/hooks";
import { getText } from "../api/client";
import { isRead, type ProfileInfo } from "../api/types";
import { shortenMiddle, visible } from "../lib/text";
import { bytes, percent } from "../lib/units";
import { useReport } from "../state/report";
import { pageAddress } from "../state/route";
import { Icon } from "./icon";

// A changed file is read again as soon as any part of it is asked for: this asks for the least.
export function useReadAgain(profile: ProfileInfo | undefined): void {
  const changed = profile?.state === "changed" ? `${profile.id} ${profile.modified} ${profile.bytes}` : "";
  useEffect(() => {
    if (profile === undefined || changed === "") return;
    // What comes of it is told by the list of profiles.
    getText(`profiles/${profile.id}/report`, { view: "diagnostics" }).catch(() => {});
  }, [changed]);
}

export function FileState({ profile: shown }: { readonly profile: ProfileInfo }) {
  useReadAgain(shown);
  if (shown.state === "loading") return <Reading profile={shown} />;
  if (shown.state === "changed") {
    return (
      <div class="reading" role="status">
        Changed on disk: it is read again.
      </div>
    );
  }
  if (shown.state === "gone") {
    return (
      <div class="partly" role="status">
        <Icon name="diagnostics" />
        <span>This file is gone: moved or deleted. What is shown was read before that.</span>
      </div>
    );
  }
  if (shown.growing && isRead(shown)) {
    return (
      <div class="reading" role="status">
        The file is being written: it is read again when it stays as it is.
      </div>
    );
  }
  return null;
}

function Reading({ profile: shown }: { readonly profile: ProfileInfo }) {
  if (shown.total_bytes === 0) return null;
  const share = shown.loaded_bytes / shown.total_bytes;
  return (
    <div class="reading" role="status">
      {isRead(shown) ? "Changed on disk: reading it again, " : "Reading "}
      {bytes(shown.loaded_bytes)} of {bytes(shown.total_bytes)} ({percent(share)})
      <span class="reading-bar" style={{ width: `${share * 100}%` }} />
    </div>
  );
}

// What could not be used of the files is said on every page that is made from the rest.
export function Partly({ profile: shown }: { readonly profile: ProfileInfo }) {
  const report = useReport(shown, "diagnostics", {}, false);
  const found = report.data?.diagnostics.filter((d) => d.severity !== "info") ?? [];
  const worst = found.find((d) => d.severity === "error") ?? found[0];
  if (worst === undefined) return null;
  return (
    <div class="partly" role="note">
      <Icon name="diagnostics" />
      <span>
        Not everything could be read{found.length > 1 ? ` (${found.length} problems)` : ""}:{" "}
        {shortenMiddle(visible(worst.message), 160)}.
      </span>
      <a href={pageAddress("diagnostics")}>Diagnostics</a>
    </div>
  );
}
