// SPDX-License-Identifier: Apache-2.0
// A button without a frame that shows an icon; one that copies shows for a moment that it did.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { copyText } from "../lib/download";
import { Icon } from "./icon";

interface IconButtonProps {
  readonly icon: string;
  readonly label: string; // for those who cannot see it
  readonly title?: string; // on hover
  readonly class?: string;
  readonly disabled?: boolean;
  readonly expanded?: boolean;
  readonly onClick: () => void;
  readonly children?: ComponentChildren; // beside the icon
}

export function IconButton({ icon, label, title, expanded, children, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      title={title}
      aria-label={label}
      aria-expanded={expanded}
      disabled={rest.disabled}
      class={rest.class ?? "plain small"}
      onClick={rest.onClick}
    >
      <Icon name={icon} />
      {children}
    </button>
  );
}

export const CloseButton = ({ onClick }: Pick<IconButtonProps, "onClick">) => (
  <IconButton icon="close" label="Close" title="Close (Esc)" onClick={onClick} />
);

const SHOWN_MS = 1500;

// Whether it was copied just now, and what copies.
export function useCopied(): [boolean, (text: string) => void] {
  const [copied, setCopied] = useState(false);
  const copy = (text: string): void => {
    copyText(text).then((done) => {
      setCopied(done);
      setTimeout(() => setCopied(false), SHOWN_MS);
    });
  };
  return [copied, copy];
}
