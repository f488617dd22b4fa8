// SPDX-License-Identifier: Apache-2.0
// Small profiles made for the tests: a GPU trace with steps, shapes, stacks and memory; the same run a little
// faster; a trace whose names are hostile; a profile of functions; a broken file.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export type Event = Readonly<Record<string, unknown>>;

const STEPS = 4;
const STEP_US = 10_000;

export function training(loaderUs: number): readonly Event[] {
  const events: Event[] = [];
  let correlation = 0;
  const host = (cat: string, name: string, ts: number, dur: number, args: object = {}): void => {
    events.push({ ph: "X", cat, name, pid: 100, tid: 1, ts, dur, args });
  };
  const launch = (op: string, kernel: string, ts: number, dur: number, kernelUs: number): void => {
    correlation += 1;
    host("cpu_op", op, ts, dur, {
      "Input Dims": [
        [64, 128],
        [128, 32 + (correlation % 3)],
      ],
      "Call stack": "model.py(12): forward;train.py(40): step",
    });
    host("cuda_runtime", "cudaLaunchKernel", ts + 2, 5, { correlation });
    events.push({
      ph: "X",
      cat: "kernel",
      name: kernel,
      pid: 0,
      tid: 7,
      ts: ts + 20,
      dur: kernelUs,
      args: {
        correlation,
        device: 0,
        stream: 7,
        grid: [80, 1, 1],
        block: [128, 1, 1],
        "blocks per SM": 1.5,
        "est. achieved occupancy %": 40,
      },
    });
    events.push({
      ph: "i",
      s: "t",
      cat: "cpu_instant_event",
      name: "[memory]",
      pid: 100,
      tid: 1,
      ts: ts + 1,
      args: {
        "Device Type": 1,
        "Device Id": 0,
        Addr: 4096 * correlation,
        Bytes: 4096,
        "Total Allocated": 4096 * correlation,
        "Total Reserved": 1048576,
      },
    });
  };
  let at = 1000;
  for (let s = 0; s < STEPS; ++s) {
    const length = STEP_US + loaderUs + s * 150;
    host("user_annotation", `ProfilerStep#${s + 2}`, at, length);
    host(
      "user_annotation",
      "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
      at + 10,
      loaderUs + s * 100,
    );
    const begin = at + 20 + loaderUs + s * 100;
    host("user_annotation", "forward", begin, 5000);
    for (let i = 0; i < 6; ++i) {
      launch(
        "aten::mm",
        "void gemm_kernel<float, 128, 64>(int, float const*, float*)",
        begin + 10 + i * 600,
        100,
        400 + i * 10,
      );
      launch(
        "aten::add",
        "void vectorized_elementwise_kernel<4, AddFunctor<float>>(int)",
        begin + 310 + i * 600,
        60,
        90,
      );
    }
    correlation += 1;
    host("cuda_runtime", "cudaMemcpyAsync", begin + 4200, 10, { correlation });
    events.push({
      ph: "X",
      cat: "gpu_memcpy",
      name: "Memcpy HtoD (Pageable -> Device)",
      pid: 0,
      tid: 7,
      ts: begin + 4220,
      dur: 300,
      args: { correlation, device: 0, stream: 7, bytes: 1_000_000 },
    });
    at += length;
  }
  return events;
}

export const HOSTILE: readonly string[] = [
  "<img src=x onerror=alert(1)>",
  "<script>alert(2)</script>",
  "\u202egnp.exe evil\u202c",
  "مرحبا aten::mm שלום",
  "aten::x\u001b[31mred",
  "\"'`&amp;{{7*7}}",
  "A".repeat(1_000_000),
];

function hostile(): readonly Event[] {
  const events: Event[] = [
    { ph: "X", cat: "user_annotation", name: "ProfilerStep#1", pid: 1, tid: 1, ts: 0, dur: 2000 },
  ];
  HOSTILE.forEach((name, i) => {
    const ts = 10 + i * 200;
    const args = { correlation: i + 1 };
    events.push(
      { ph: "X", cat: "cpu_op", name, pid: 1, tid: 1, ts, dur: 100 + i },
      { ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1, ts: ts + 2, dur: 3, args },
      {
        ph: "X",
        cat: "kernel",
        name: `kernel ${name}`,
        pid: 0,
        tid: 7,
        ts: ts + 20,
        dur: 60,
        args: { ...args, device: 0, stream: 7 },
      },
      { ph: "X", cat: "user_annotation", name: `range ${name}`, pid: 1, tid: 1, ts: ts + 120, dur: 5 },
    );
  });
  return events;
}

export const trace = (traceEvents: readonly Event[], more: object = {}): string =>
  JSON.stringify({
    ...more,
    schemaVersion: 1,
    deviceProperties: [
      {
        id: 0,
        name: "Made-up GPU",
        totalGlobalMem: 34359738368,
        computeMajor: 8,
        computeMinor: 0,
        numSms: 108,
      },
    ],
    traceEvents,
  });

// name → file, all below `folder`.
export function makeProfiles(
  folder: string,
): Readonly<Record<"before" | "after" | "hostile" | "functions" | "broken", string>> {
  // Each in a folder of its own: traces beside each other may count as the ranks of one run.
  const place = (name: string, file: string): string => {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name, file);
  };
  const files = {
    before: place("before", "before.json"),
    after: place("after", "after.json"),
    hostile: place("hostile", "hostile.json"),
    functions: place("functions", "functions.collapsed.txt"),
    broken: place("broken", "broken.json"),
  };
  writeFileSync(files.before, trace(training(4000)));
  writeFileSync(files.after, trace(training(500)));
  writeFileSync(files.hostile, trace(hostile()));
  writeFileSync(files.functions, "main;train;forward 120\nmain;train;backward 240\nmain;load 60\nmain 5\n");
  writeFileSync(files.broken, trace(training(100)).slice(0, 9000));
  return files;
}
