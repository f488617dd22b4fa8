// SPDX-License-Identifier: Apache-2.0
// The way from a whole down to the part of it that a picture shows; each step leads back there.
import "./way.css";

interface Step {
  readonly key: string | number;
  readonly name: string;
  readonly value?: string; // of the last one
  readonly href: string;
}

interface WayProps {
  readonly label: string;
  readonly whole: string;
  readonly href: string; // of the whole
  readonly steps: readonly Step[];
}

export function Way({ label, whole, href, steps }: WayProps) {
  return (
    <nav class="way" aria-label={label}>
      {steps.length === 0 ? <span aria-current="true">{whole}</span> : <a href={href}>{whole}</a>}
      {steps.map(({ key, name, value, href: to }, i) => (
        <span key={key}>
          <span class="muted" aria-hidden="true">
            {" › "}
          </span>
          {i < steps.length - 1 ? (
            <a href={to}>{name}</a>
          ) : (
            <span aria-current="true">
              {name}
              {value === undefined ? null : <span class="muted"> {value}</span>}
            </span>
          )}
        </span>
      ))}
    </nav>
  );
}
