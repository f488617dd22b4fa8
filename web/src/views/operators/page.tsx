// SPDX-License-Identifier: Apache-2.0
// Stands in until the page is there.
import { Page, Skeleton } from "../../components/page";
import type { PageProps } from "../registry";

export default function StandIn({ profile }: PageProps) {
  return (
    <Page title="operators" sentence={null}>
      <Skeleton lines={8} />
      <p class="visually-hidden">{profile.name}</p>
    </Page>
  );
}
