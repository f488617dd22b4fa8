// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import "../style/tokens.css";
import "../style/base.css";
import "../style/shell.css";
import "../style/page.css";
import "../style/table.css";
import "../style/print.css";
import { watchProfiles } from "../state/profiles";
import { followLinks } from "../state/route";
import { Shell } from "./shell";

watchProfiles();
document.addEventListener("click", followLinks);
const root = document.getElementById("app");
if (root) render(<Shell />, root);
