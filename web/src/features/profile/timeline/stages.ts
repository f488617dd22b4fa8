// SPDX-License-Identifier: Apache-2.0
// Which stage draws a model, for tools that need the picture itself.
import type { TimelineModel } from "./model";
import type { Stage } from "./stage";

export const stages = new WeakMap<TimelineModel, Stage>();
