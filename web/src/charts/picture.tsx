// SPDX-License-Identifier: Apache-2.0
// A drawn picture with parts: hover shows what a part is and lights its kin, click or Enter opens it, arrow keys
// go from part to part, a screen reader hears a summary and the part that has the focus.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import "./picture.css";
import { dark } from "../state/theme";
import { CanvasPainter, type Painter } from "./painter";
import { contains, hitArea, nextPart, type Part } from "./parts";
import { PictureDownloads } from "./picture_downloads";
import { colour } from "./theme";

export interface PictureProps {
  readonly name: string; // of files made from it
  readonly summary: string; // for those who cannot see it
  readonly height: number | ((width: number) => number);
  // Draws, and says where the parts are.
  readonly draw: (painter: Painter, width: number, height: number) => readonly Part[];
  readonly onHover?: (part: Part | null) => void;
  readonly children?: ComponentChildren; // left of the downloads
}

export function Picture({ name, summary, height, draw, onHover, children }: PictureProps) {
  const box = useRef<HTMLDivElement>(null);
  const base = useRef<HTMLCanvasElement>(null);
  const over = useRef<HTMLCanvasElement>(null);
  const parts = useRef<readonly Part[]>([]);
  const [width, setWidth] = useState(0);
  const [shown, setShown] = useState<{ part: Part; x: number; y: number } | null>(null);
  const tall = Math.round(typeof height === "function" ? height(width) : height);
  const shade = dark.value;

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    setWidth(element.clientWidth);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const painter = prepared(base.current, width, tall);
    if (painter === null) return;
    parts.current = draw(painter, width, tall);
    setShown(null);
  }, [draw, width, tall, shade]);

  useLayoutEffect(() => {
    const painter = prepared(over.current, width, tall);
    if (painter === null || shown === null) return;
    const line = colour("--text");
    for (const part of parts.current) if (isKin(part, shown.part)) outline(painter, part, line);
  }, [shown, width, tall, shade]);

  const show = (part: Part | null, x = 0, y = 0): void => {
    setShown(part === null ? null : { part, x, y });
    onHover?.(part);
  };
  const move = (event: PointerEvent): void => {
    const x = event.offsetX;
    const y = event.offsetY;
    let hit: Part | null = null;
    for (const part of parts.current) if (contains(part, x, y)) hit = part;
    show(hit, x, y);
  };
  const key = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && shown?.part.open) {
      shown.part.open();
      event.preventDefault();
      return;
    }
    if (event.key === "Escape" && shown) {
      show(null);
      return;
    }
    const next = nextPart(parts.current, shown?.part ?? null, event.key);
    if (next === null) return;
    event.preventDefault();
    const [x, y] = hitArea(next);
    show(next, x, y);
  };
  const downloads = useMemo(
    () => ({ name, summary, draw, width, height: tall }),
    [name, summary, draw, width, tall],
  );
  return (
    <div class="picture">
      <div
        class="picture-area"
        ref={box}
        style={{ height: `${tall}px` }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys walk through the parts
        tabIndex={0}
        role="application"
        aria-roledescription="chart"
        aria-label={`${summary} Arrow keys go through its parts.`}
        onKeyDown={key}
        onBlur={() => show(null)}
      >
        <canvas ref={base} />
        <canvas
          ref={over}
          onPointerMove={move}
          onPointerLeave={() => show(null)}
          onClick={() => shown?.part.open?.()}
          style={{ cursor: shown?.part.open ? "pointer" : "default" }}
        />
        {shown && <Tip lines={shown.part.lines} x={shown.x} y={shown.y} width={width} />}
        <span class="visually-hidden" aria-live="polite">
          {shown ? shown.part.lines.join(", ") : ""}
        </span>
      </div>
      <div class="picture-foot">
        <div class="picture-notes">{children}</div>
        <PictureDownloads {...downloads} />
      </div>
    </div>
  );
}

const isKin = (part: Part, other: Part): boolean =>
  part === other || (part.group !== undefined && part.group === other.group);

function prepared(canvas: HTMLCanvasElement | null, width: number, height: number): CanvasPainter | null {
  if (canvas === null || width <= 0 || height <= 0) return null;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  if (context === null) return null;
  context.scale(ratio, ratio);
  return new CanvasPainter(context);
}

function outline(painter: Painter, part: Part, line: string): void {
  const a = part.area;
  if (a.kind === "rect") painter.rect(a.x, a.y, a.w, a.h, "rgba(127,127,127,0.25)", line);
  else if (a.kind === "ring") painter.ring(a, "rgba(127,127,127,0.25)", line);
  else painter.circle(a.cx, a.cy, a.r + 1.5, "", line);
}

function Tip({
  lines,
  x,
  y,
  width,
}: {
  readonly lines: readonly string[];
  readonly x: number;
  readonly y: number;
  readonly width: number;
}) {
  const side = x > width * 0.6 ? { right: `${width - x + 12}px` } : { left: `${x + 12}px` };
  return (
    <div class="picture-tip" style={{ ...side, top: `${y + 14}px` }} aria-hidden="true">
      {lines.map((line, i) => (
        <div key={`${i}:${line}`} class={i === 0 ? "picture-tip-title" : ""}>
          {line}
        </div>
      ))}
    </div>
  );
}
