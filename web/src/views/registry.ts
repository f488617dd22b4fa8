// SPDX-License-Identifier: Apache-2.0
// Every page, in the order of the rail: one line each. A page is loaded when it is first opened. `needs` says, in
// the words of someone who made the capture, what a profile without data for the page lacks.
import type { ComponentType } from "preact";
import type { ProfileInfo } from "../api/types";

export interface PageProps {
  readonly profile: ProfileInfo;
}

export interface Page {
  readonly name: string; // the `view` parameter
  readonly title: string;
  readonly load: () => Promise<{ default: ComponentType<PageProps> }>;
  readonly needs: string;
}

export const pages: readonly Page[] = [];
