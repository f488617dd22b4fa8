// SPDX-License-Identifier: Apache-2.0
// Nothing is waited for without end, and nothing that was started outlives its measurement.
import { type ChildProcess, spawn } from "node:child_process";

// The promise, or an error that names what took too long.
export async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} takes more than ${ms / 1000} s`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const running = new Set<ChildProcess>();

function kill(child: ChildProcess): void {
  running.delete(child);
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL"); // its whole group: what it started itself as well
  } catch {
    // It has ended by itself.
  }
}

process.on("exit", () => {
  for (const child of running) kill(child);
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => process.exit(1));

// Runs a program beside the work and ends it afterwards, whatever comes of the work. Of the pipes of this process it
// gets none: whoever reads them sees their end when this process ends.
export async function beside<T>(
  program: string,
  args: readonly string[],
  work: (child: ChildProcess) => Promise<T>,
): Promise<T> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], detached: true });
  running.add(child);
  child.on("error", () => running.delete(child));
  try {
    return await work(child);
  } finally {
    kill(child);
  }
}

// The first output of a program that matches.
export async function output(child: ChildProcess, pattern: RegExp): Promise<string> {
  return await new Promise((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (data: Buffer) => {
      text += data.toString();
      const found = pattern.exec(text)?.[0];
      if (found !== undefined) resolve(found);
    });
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`${child.spawnfile} ended with ${code} before it was ready`)),
    );
  });
}
