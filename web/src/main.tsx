// SPDX-License-Identifier: Apache-2.0
import { render } from "preact";
import "./style/tokens.css";
import "./style/base.css";
import { watchProfiles } from "./state/profiles";
import { followLinks } from "./state/route";

watchProfiles();
document.addEventListener("click", followLinks);
const root = document.getElementById("app");
if (root) render(<p>Telltale</p>, root);
