// SPDX-License-Identifier: Apache-2.0
// A few facts, name and value, aligned. Facts that are not known are left out.
import type { ComponentChildren } from "preact";

export type Fact = readonly [name: string, value: ComponentChildren];

export function KeyValue({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="key-value">
      {facts
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
