// SPDX-License-Identifier: Apache-2.0
// Something that is made when it comes near what is seen, and stays from then on.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { printing } from "../../../state/printing";

export function InView({
  height,
  children,
}: {
  readonly height: number;
  readonly children: () => ComponentChildren;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (element === null || seen) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setSeen(true);
      },
      { rootMargin: "300px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [seen]);
  const there = seen || printing.value;
  return (
    <div ref={box} class="in-view" style={there ? {} : { minHeight: `${height}px` }}>
      {there ? children() : null}
    </div>
  );
}
