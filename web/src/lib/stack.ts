// SPDX-License-Identifier: Apache-2.0
// Call stacks as torch writes them: frames "file.py(12): function", separated by ";" or line ends, innermost first.

export interface Frame {
  readonly file: string;
  readonly line: number | null;
  readonly name: string;
}

export function framesOf(stack: string): readonly Frame[] {
  return stack
    .slice(0, 100_000)
    .split(/[;\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .map((part) => {
      const match = /^(.*?)\((\d+)\):\s*(.*)$/.exec(part) ?? /^(.*?):(\d+):?\s*(.*)$/.exec(part);
      return match
        ? { file: match[1] as string, line: Number(match[2]), name: match[3] as string }
        : { file: "", line: null, name: part };
    });
}

// Shapes as in the file, on one line: [[64, 3, 7, 7], []].
export function shapesText(shapes: unknown): string | null {
  if (shapes === null || shapes === undefined) return null;
  if (typeof shapes === "string") return shapes;
  return JSON.stringify(shapes).replaceAll(",", ", ");
}
