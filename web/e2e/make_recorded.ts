// SPDX-License-Identifier: Apache-2.0
// Run folders as `telltale run` leaves them, made up here: run.json, args.txt, curves, hardware and logs of a run that
// ended well, one that failed, one that is under way, one with a very long log, and a log folder of another tool. Every
// value follows from its step or sample. `node e2e/run.mjs make_recorded FOLDER` makes them to be looked at.
import { appendFileSync, closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { bytes, double, event, record, scalar } from "./make_runs";
import { makeSamples } from "./make_samples";

export const RECORDED_START = Date.UTC(2026, 10, 15, 20, 45, 1) / 1000;
const STEP_S = 0.25;
export const STEPS = 1200;
const SPIKE = 700; // this step takes long
export const stepTime = (step: number): number =>
  step === 0 ? 1.5 : step === SPIKE ? 6 : STEP_S * (1 + 0.1 * Math.sin(step / 9));
export const waitTime = (step: number): number => stepTime(step) * (step === SPIKE ? 0.9 : 0.3);
const lossOf = (step: number): number =>
  0.2 + 2.2 * Math.exp(-step / 300) + ((step * 37) % 17) * 0.006 + (step === SPIKE ? 1 : 0);

const iso = (seconds: number): string => new Date(Math.round(seconds * 1000)).toISOString();
// What a program prints: colours, warnings, a progress bar that stands still in the end.
export function lineOf(step: number): string {
  if (step === SPIKE) return "\u001b[33mWARNING\u001b[0m dataloader: batch 700 took 5.4 s to load";
  if (step % 100 === 0)
    return `\u001b[1;36m[epoch ${step / 100}]\u001b[0m lr=\u001b[32m0.001\u001b[0m <b>not bold</b>`;
  if (step % 40 === 7)
    return "torch/utils/data/dataloader.py:557: UserWarning: This DataLoader will create 8 worker processes";
  return `step ${step}: loss ${lossOf(step).toFixed(4)}`;
}

interface Facts {
  readonly name: string;
  readonly start: number;
  readonly end: number | null;
  readonly status: string;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly pid?: number;
}

function writeRunJson(folder: string, { name, start, end, status, more = {}, pid = 4242 }: Facts): void {
  writeFileSync(
    join(folder, "run.json"),
    JSON.stringify({
      schema: 1,
      id: `id${name.replace(/\W/g, "")}`,
      name,
      experiment: "mnist",
      group: null,
      tags: ["sample"],
      note: null,
      status,
      command: ["python", "train.py", "--lr", "0.001"],
      cwd: "/home/somebody/project",
      git: null,
      versions: { telltale: "0.3.0", python: "3.11.7", torch: "2.5.0" },
      host: hostname(),
      ranks: [{ rank: 0, local_rank: 0, host: hostname(), pid, status, exit_code: null, signal: null }],
      start: iso(start),
      end: end === null ? null : iso(end),
      exit_code: status === "Completed" ? 0 : null,
      signal: null,
      error: null,
      ...more,
    }),
  );
}

class Events {
  private parts: Buffer[] = [];
  constructor(
    private readonly file: string,
    start: number,
  ) {
    writeFileSync(file, record(Buffer.concat([double(1, start), bytes(3, "brain.Event:2")])));
  }
  add(wall: number, step: number, values: Readonly<Record<string, number>>): void {
    const all = Object.entries(values).map(([tag, value]) => scalar(tag, value));
    this.parts.push(event(wall, step, Buffer.concat(all)));
  }
  flush(): void {
    appendFileSync(this.file, Buffer.concat(this.parts));
    this.parts = [];
  }
}

const GIB = 2 ** 30;
// A sample of a machine with two GPUs, the second of which has little to do.
function hardwareAt(sample: number, gpus: boolean): Readonly<Record<string, number>> {
  const busy = 80 + 15 * Math.sin(sample / 11);
  const host = {
    "monitor/cpu/system_percent": busy,
    "monitor/process/cpu_percent": busy * 0.9,
    "monitor/memory/used_bytes": (9 + sample / 200) * GIB,
    "monitor/process/rss_bytes": (3 + sample / 300) * GIB,
    "monitor/disk/read_bytes_per_s": sample % 20 < 3 ? 400e6 : 12e6,
    "monitor/network/received_bytes_per_s": 3e5 + (sample % 7) * 1e4,
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, core) => [
        `monitor/cpu/core_${core}_percent`,
        Math.max(0, Math.min(100, busy + 20 * Math.sin(sample / 5 + core))),
      ]),
    ),
  };
  if (!gpus) return host;
  const gpu = (n: number): Readonly<Record<string, number>> => {
    const load = n === 0 ? 62 + 25 * Math.sin(sample / 4) : 8;
    return {
      [`monitor/gpu/${n}/utilization_percent`]: load,
      [`monitor/gpu/${n}/memory_used_bytes`]: (n === 0 ? 18 : 2) * GIB,
      [`monitor/gpu/${n}/power_w`]: 70 + load * 2.3,
      [`monitor/gpu/${n}/energy_j`]: (70 + 62 * 2.3 * (n === 0 ? 1 : 0.1)) * sample,
      [`monitor/gpu/${n}/temperature_c`]: 45 + load / 4,
    };
  };
  return { ...host, ...gpu(0), ...gpu(1) };
}

function folderOf(root: string, name: string): string {
  const folder = join(root, name);
  for (const below of ["events", "monitor", "logs"]) mkdirSync(join(folder, below), { recursive: true });
  writeFileSync(join(folder, "args.txt"), "lr: 0.001\nbatch_size: 64\nmodel: vae\n");
  return folder;
}

class Recording {
  readonly folder: string;
  readonly wall: (step: number) => number;
  private readonly events: Events;
  private readonly monitor: Events;
  private readonly walls: number[] = [];
  private samples = 0;

  constructor(
    root: string,
    name: string,
    readonly start: number,
    private readonly gpus: boolean,
  ) {
    this.folder = folderOf(root, name);
    this.events = new Events(
      join(this.folder, `events/events.out.tfevents.${Math.floor(start)}.host.1.telltale`),
      start,
    );
    this.monitor = new Events(
      join(this.folder, `monitor/events.out.tfevents.${Math.floor(start)}.host.1.monitor`),
      start,
    );
    this.wall = (step) => {
      for (let i = this.walls.length; i <= step; ++i)
        this.walls.push((this.walls[i - 1] ?? start) + stepTime(i));
      return this.walls[step] as number;
    };
  }

  steps(from: number, to: number, log = "logs/driver.log"): void {
    let text = "";
    for (let step = from; step < to; ++step) {
      const wall = this.wall(step);
      this.events.add(wall, step, {
        "train/loss": lossOf(step),
        "telltale/step_time_s": stepTime(step),
        "telltale/data_wait_s": waitTime(step),
        ...(step % 100 === 99
          ? { "val/loss": lossOf(step) + 0.05, "val/accuracy": 1 - Math.exp(-step / 400) }
          : {}),
      });
      text += `${iso(wall)} ${lineOf(step)}\n`;
    }
    this.events.flush();
    appendFileSync(join(this.folder, log), text);
    for (; this.start + this.samples < this.wall(to - 1); ++this.samples)
      this.monitor.add(this.start + this.samples, this.samples, hardwareAt(this.samples, this.gpus));
    this.monitor.flush();
  }
}

export interface Recorded {
  readonly names: Readonly<Record<"done" | "failed" | "live" | "foreign" | "long", string>>;
  readonly total: number; // steps that the run under way means to do
  readonly live: { readonly steps: () => number; readonly go: (steps: number) => void };
}

// `longLines`: of the very long log; 0: none is made.
export function makeRecorded(root: string, longLines = 0): Recorded {
  const done = new Recording(root, "2026-11-15T204501Z_vae", RECORDED_START, true);
  done.steps(0, STEPS);
  writeRunJson(done.folder, {
    name: "VAE on faces",
    start: RECORDED_START,
    end: done.wall(STEPS - 1) + 2,
    status: "Completed",
    more: { steps: STEPS },
  });

  // Two minutes of loading, then of training.
  mkdirSync(join(root, "2026-11-15T204501Z_vae", "profiler"), { recursive: true });
  writeFileSync(
    join(root, "2026-11-15T204501Z_vae", "profiler", "samples.tts"),
    makeSamples(
      RECORDED_START * 1000,
      Array.from({ length: 240 }, (_, second) => (second < 120 ? "load_batch" : "train_step")),
    ),
  );
  const failed = new Recording(root, "2026-11-15T211501Z_crash", RECORDED_START + 1800, false);
  failed.steps(0, 300);
  const end = failed.wall(299) + 0.5;
  const trace = [
    "Traceback (most recent call last):",
    '  File "/home/somebody/project/train.py", line 88, in <module>',
    "    main()",
    '  File "/home/somebody/project/train.py", line 61, in main',
    "    loss = criterion(output, target)",
    "ValueError: Expected input batch_size (64) to match target batch_size (32).",
  ];
  appendFileSync(
    join(failed.folder, "logs/driver.log"),
    trace.map((line, i) => `${iso(end + i / 1000)} ${line}\n`).join(""),
  );
  for (const rank of [0, 1])
    writeFileSync(
      join(failed.folder, `logs/rank-${rank}.log`),
      Array.from({ length: 50 }, (_, i) => `${iso(RECORDED_START + 1800 + i)} rank ${rank} line ${i}\n`).join(
        "",
      ),
    );
  writeRunJson(failed.folder, {
    name: "crash",
    start: RECORDED_START + 1800,
    end: end + 1,
    status: "Failed",
    more: {
      steps: 300,
      exit_code: 1,
      error: {
        type: "ValueError",
        message: "Expected input batch_size (64) to match target batch_size (32).",
        frames: [
          { file: "/home/somebody/project/train.py", line: 88, function: "<module>" },
          { file: "/home/somebody/project/train.py", line: 61, function: "main" },
        ],
      },
      ranks: [0, 1].map((rank) => ({
        rank,
        local_rank: rank,
        host: hostname(),
        pid: 4000 + rank,
        status: rank === 0 ? "Failed" : "Canceled",
        exit_code: rank === 0 ? 1 : null,
        signal: rank === 0 ? null : "SIGTERM",
      })),
    },
  });

  // Under way as long as this process is; its start lies behind that of the process.
  const began = Date.now() / 1000;
  const live = new Recording(root, "2026-11-17T000000Z_live", began, false);
  live.steps(0, 40);
  const total = 400;
  writeRunJson(live.folder, {
    name: "live",
    start: began,
    end: null,
    status: "Running",
    pid: process.pid,
    more: { total_steps: total },
  });
  let at = 40;

  const foreign = join(root, "plain");
  mkdirSync(foreign, { recursive: true });
  const file = new Events(join(foreign, "events.out.tfevents.1790000000.host.1.0"), 1_790_000_000);
  for (let step = 0; step < 100; ++step) file.add(1_790_000_000 + step, step, { loss: lossOf(step) });
  file.flush();
  writeFileSync(
    join(foreign, "train.log"),
    Buffer.concat([
      Buffer.from(
        Array.from({ length: 300 }, (_, i) => `2026-11-15 20:45:01,123 INFO plain line ${i}\n`).join(""),
      ),
      Buffer.from([0xff, 0xfe, 0x20, 0x62, 0x61, 0x64, 0x0a]), // no UTF-8
      Buffer.from(
        `  0%|          |\r 50%|█████     |\r100%|██████████| done\r\n${"wide ".repeat(4000)}\nthe end`,
      ),
    ]),
  );

  const long = "2026-11-15T220001Z_long";
  if (longLines > 0) {
    const folder = folderOf(root, long);
    const start = RECORDED_START + 7200;
    const out = openSync(join(folder, "logs/driver.log"), "w");
    let text = "";
    for (let i = 0; i < longLines; ++i) {
      const what =
        i % 100_000 === 77_777
          ? "ERROR lost the needle"
          : `step ${i}: loss ${(1 / (1 + i / 1000)).toFixed(6)}`;
      text += `${iso(start + i * 0.004)} ${what}\n`;
      if (text.length > 1 << 20) {
        writeSync(out, text);
        text = "";
      }
    }
    writeSync(out, text);
    closeSync(out);
    writeRunJson(folder, { name: "long", start, end: start + longLines * 0.004, status: "Completed" });
  }

  return {
    names: { done: "vae", failed: "crash", live: "live", foreign: "plain", long: "long" },
    total,
    live: {
      steps: () => at,
      go: (steps) => {
        live.steps(at, at + steps);
        at += steps;
      },
    },
  };
}

if (process.argv[2] === "make_recorded") {
  const [folder, lines] = process.argv.slice(3);
  if (folder === undefined) throw new Error("usage: node e2e/run.mjs make_recorded FOLDER [LINES]");
  const made = makeRecorded(folder, Number(lines ?? 1_000_000));
  console.log("made; the run called live goes on until this is stopped");
  setInterval(() => {
    if (made.live.steps() < made.total - 5) made.live.go(2);
  }, 500);
}
