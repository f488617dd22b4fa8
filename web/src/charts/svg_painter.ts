// SPDX-License-Identifier: Apache-2.0
// A drawing as an SVG file.
import { FONT, HALO, type Painter, type Ring, type TextStyle } from "./painter";

const escaped = (text: string): string =>
  text.replace(/[<>&"]/g, (c) => (c === "<" ? "&lt;" : c === ">" ? "&gt;" : c === "&" ? "&amp;" : "&quot;"));
const n = (value: number): string => String(Math.round(value * 100) / 100);

const colours = (fill: string, stroke: string | undefined): string =>
  `fill="${fill || "none"}"${stroke === undefined ? "" : ` stroke="${stroke}"`}`;

export class SvgPainter implements Painter {
  private readonly parts: string[] = [];
  private readonly patterns = new Map<string, string>();

  constructor(private readonly measureText: (text: string, size?: number, bold?: boolean) => number) {}

  rect(x: number, y: number, w: number, h: number, fill: string, stroke?: string): void {
    this.parts.push(
      `<rect x="${n(x)}" y="${n(y)}" width="${n(w)}" height="${n(h)}" ${colours(fill, stroke)}/>`,
    );
  }

  hatch(x: number, y: number, w: number, h: number, colour: string): void {
    let id = this.patterns.get(colour);
    if (id === undefined) {
      id = `h${this.patterns.size}`;
      this.patterns.set(colour, id);
    }
    this.rect(x, y, w, h, `url(#${id})`);
  }

  ring({ cx, cy, r0, r1, a0, a1 }: Ring, fill: string, stroke?: string): void {
    const end = Math.min(a1, a0 + 2 * Math.PI - 1e-4);
    const large = end - a0 > Math.PI ? 1 : 0;
    const p = (r: number, a: number): string => `${n(cx + r * Math.sin(a))} ${n(cy - r * Math.cos(a))}`;
    this.parts.push(
      `<path d="M${p(r1, a0)}A${n(r1)} ${n(r1)} 0 ${large} 1 ${p(r1, end)}L${p(r0, end)}` +
        `A${n(r0)} ${n(r0)} 0 ${large} 0 ${p(r0, a0)}Z" ${colours(fill, stroke)}/>`,
    );
  }

  circle(cx: number, cy: number, r: number, fill: string, stroke?: string): void {
    this.parts.push(`<circle cx="${n(cx)}" cy="${n(cy)}" r="${n(r)}" ${colours(fill, stroke)}/>`);
  }

  line(points: readonly (readonly [number, number])[], stroke: string, width = 1, dash = 0): void {
    const dashes = dash > 0 ? ` stroke-dasharray="${dash} ${dash}"` : "";
    const text = points.map(([x, y]) => `${n(x)},${n(y)}`).join(" ");
    this.parts.push(
      `<polyline points="${text}" fill="none" stroke="${stroke}" stroke-width="${width}"${dashes}/>`,
    );
  }

  text(x: number, y: number, text: string, style: TextStyle): void {
    const anchor = style.align === "center" ? "middle" : style.align === "right" ? "end" : "start";
    const bold = style.bold ? ' font-weight="600"' : "";
    const turn =
      style.turn === undefined
        ? ""
        : ` transform="rotate(${n((style.turn * 180) / Math.PI)} ${n(x)} ${n(y)})"`;
    const halo =
      style.halo === undefined
        ? ""
        : ` stroke="${style.halo}" stroke-width="${HALO}" stroke-linejoin="round" paint-order="stroke"`;
    this.parts.push(
      `<text x="${n(x)}" y="${n(y)}" dy="0.35em" font-size="${style.size ?? 11}" text-anchor="${anchor}" ` +
        `fill="${style.fill}"${bold}${halo}${turn}>${escaped(text)}</text>`,
    );
  }

  measure(text: string, size?: number, bold?: boolean): number {
    return this.measureText(text, size, bold);
  }

  document(width: number, height: number, ground: string, title: string): string {
    const patterns = [...this.patterns].map(
      ([colour, id]) =>
        `<pattern id="${id}" width="6" height="6" patternUnits="userSpaceOnUse">` +
        `<path d="M0 6L6 0" stroke="${colour}" stroke-width="1.4"/></pattern>`,
    );
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
      `viewBox="0 0 ${width} ${height}" font-family="${escaped(FONT)}">\n<title>${escaped(title)}</title>` +
      `<defs>${patterns.join("")}</defs><rect width="100%" height="100%" fill="${ground}"/>\n` +
      `${this.parts.join("\n")}\n</svg>\n`
    );
  }
}
