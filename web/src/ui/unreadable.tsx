// SPDX-License-Identifier: Apache-2.0
// Why a profile could not be read. The message begins with the file it is about, which is the heading here.
import type { ProfileInfo } from "../api/types";
import { Failed } from "./page";

export function Unreadable({ profile }: { readonly profile: ProfileInfo }) {
  const error = profile.error ?? "The file could not be read.";
  const path = profile.paths.find((p) => error.startsWith(`${p}: `));
  return path === undefined ? (
    <Failed what={profile.paths[0] ?? profile.name} message={error} />
  ) : (
    <Failed what={path} message={error.slice(path.length + 2).replace(/^[a-z]/, (c) => c.toUpperCase())} />
  );
}
