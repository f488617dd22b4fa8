// SPDX-License-Identifier: Apache-2.0
// What every page gets.
import type { ProfileInfo } from "../api/types";

export interface PageProps {
  readonly profile: ProfileInfo;
}
