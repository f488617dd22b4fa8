// SPDX-License-Identifier: Apache-2.0
// Relative addresses everywhere, so that the page works below any --path_prefix.
import { basename } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// Compressed as the program holds them: the pages of a profile with all that every page needs, and the pages of runs,
// which come when one is opened. A build that needs more fails.
const PROFILE_BUDGET_BYTES = 150_000;
const RUNS_BUDGET_BYTES = 150_000;
const RUNS = /src\/(features\/(run|runs|workspace)|lib\/runs)\/|src\/(api|state)\/runs\./;

function budget(): Plugin {
  return {
    name: "budget",
    generateBundle: {
      order: "post", // the style sheets and the first page are added late
      handler(_, bundle) {
        let profile = 0;
        let runs = 0;
        for (const file of Object.values(bundle)) {
          const size = gzipSync(file.type === "chunk" ? file.code : file.source, { level: 9 }).length;
          if (/^runs[-_]/.test(basename(file.fileName))) runs += size;
          else profile += size;
        }
        const check = (what: string, taken: number, allowed: number): void => {
          const text = `${what}: ${(taken / 1000).toFixed(1)} kB of ${allowed / 1000} kB, compressed`;
          if (taken > allowed) this.error(text);
          this.info(text);
        };
        check("pages of a profile", profile, PROFILE_BUDGET_BYTES);
        check("pages of runs", runs, RUNS_BUDGET_BYTES);
      },
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [budget()],
  build: {
    target: "es2022",
    outDir: "dist",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
    // Few files, each of which compresses well: the first page needs base and tables; the rest comes when it is
    // asked for.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // One style sheet for all pages of a profile: it compresses better than one for each chunk.
            { name: "base", test: (id) => id.endsWith(".css") && !RUNS.test(id), priority: 11 },
            {
              name: "base",
              test: /node_modules\/@?preact|src\/(state|api|ui|app)\/(?!runs\.)/,
              priority: 10,
            },
            // What pictures of profiles and of runs are drawn with.
            {
              name: "painting",
              test: /src\/charts\/(painter|svg_painter|theme|parts|picture|picture_downloads)\.|src\/lib\/(scale|colour|tones)\./,
              priority: 9.5,
            },
            { name: "uplot", test: /node_modules\/uplot/, priority: 9 },
            { name: "timeline", test: /src\/(canvas|features\/profile\/timeline)\//, priority: 8 },
            {
              name: "charts",
              test: /src\/(charts|features\/profile\/(memory|modules|distributed|idle|critical_path|roofline|functions))\/|src\/features\/profile\/query\/charts/,
              priority: 7,
            },
            {
              name: "tables",
              test: /src\/features\/profile\/(any|shared|overview|causes|operators|kernels|steps|annotations|compare|query|diagnostics)\//,
              priority: 6,
            },
            { name: "runs", test: RUNS, priority: 5 }, // the last, so that it takes no part that others have
          ],
        },
      },
    },
  },
  // `npm run dev` beside a running `telltale view`.
  server: { proxy: { "/api": "http://localhost:6006" } },
  test: { environment: "node", include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
});
