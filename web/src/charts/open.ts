// SPDX-License-Identifier: Apache-2.0
// Follows one of our addresses from a part of a picture, which is no link: the same as a click on a link to it.
import { go } from "../state/route";

export function open(href: string | undefined | null): void {
  if (href) go(Object.fromEntries(new URLSearchParams(href)));
}
