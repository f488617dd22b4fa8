// SPDX-License-Identifier: Apache-2.0
// Runs one of the browser tests written in TypeScript: node e2e/run.mjs frames http://localhost:6006/ PROFILE
import { runnerImport } from "vite";

const name = process.argv[2] ?? "";
if (!/^[a-z_]+$/.test(name)) {
  console.error("usage: node e2e/run.mjs TEST ADDRESS [PROFILE]");
  process.exit(2);
}
await runnerImport(new URL(`./${name}.ts`, import.meta.url).pathname, {
  configFile: false,
  logLevel: "error",
});
