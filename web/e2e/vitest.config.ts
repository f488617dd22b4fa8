// SPDX-License-Identifier: Apache-2.0
// Tests in a real browser against a real server: `TELLTALE=path/to/telltale npm run e2e`. One file at a time: they
// share a small machine with the server they test.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["e2e/**/*.test.ts"],
    environment: "node",
    fileParallelism: false,
    // Against hanging, not for speed: other tests run beside these on two cores.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
