// SPDX-License-Identifier: Apache-2.0
// Relative addresses everywhere, so that the page works below any --path_prefix.
import { defineConfig } from "vitest/config";

export default defineConfig({
  base: "./",
  build: {
    target: "es2022",
    outDir: "dist",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: true,
  },
  // `npm run dev` beside a running `telltale view`.
  server: { proxy: { "/api": "http://localhost:6006" } },
  test: { environment: "node", include: ["src/**/*.test.ts", "src/**/*.test.tsx"] },
});
