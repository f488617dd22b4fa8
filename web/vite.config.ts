// SPDX-License-Identifier: Apache-2.0
// Relative addresses everywhere, so that the page works below any --path_prefix.
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

// The whole app, compressed. A build that needs more fails.
const BUDGET_BYTES = 150_000;

function budget(): Plugin {
  return {
    name: "budget",
    generateBundle: {
      order: "post", // the style sheet and the first page are added late
      handler(_, bundle) {
        let total = 0;
        for (const file of Object.values(bundle))
          total += gzipSync(file.type === "chunk" ? file.code : file.source).length;
        const text = `the app takes ${(total / 1000).toFixed(1)} kB of ${BUDGET_BYTES / 1000} kB, compressed`;
        if (total > BUDGET_BYTES) this.error(text);
        this.info(text);
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
    cssCodeSplit: false, // compresses better than one for each chunk
    reportCompressedSize: true,
    // Few files, each of which compresses well: the first page needs base and tables; the rest comes when it is
    // asked for.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "base", test: /node_modules\/@?preact|src\/(state|api|ui|app)\//, priority: 10 },
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
          ],
        },
      },
    },
  },
  // `npm run dev` beside a running `telltale view`.
  server: { proxy: { "/api": "http://localhost:6006" } },
  test: { environment: "node", include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
});
