// SPDX-License-Identifier: Apache-2.0
// How busy each device was.
import { DEVICES, type DeviceRow } from "../../../api/generated";
import type { FileInfo } from "../../../state/report";
import { type Cells, Described } from "../../../ui/described";
import { Panel } from "../../../ui/page";

const WORDS: Readonly<Record<string, string>> = { cuda: "GPU", hip: "GPU", xpu: "GPU" };
const CELLS: Cells<DeviceRow> = { id: { value: (row) => `${WORDS[row.type] ?? row.type} ${row.id}` } };

export interface DevicesProps {
  readonly rows: readonly DeviceRow[];
  readonly files: readonly FileInfo[];
}

export function Devices({ rows, files }: DevicesProps) {
  return (
    <Panel title="Devices" flush>
      <Described
        of={DEVICES}
        id="devices"
        label="Devices"
        rows={rows}
        files={files}
        cells={CELLS}
        toolbar={rows.length > 8}
        what={["device", "devices"]}
      />
    </Panel>
  );
}
