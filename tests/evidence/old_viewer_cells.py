# SPDX-License-Identifier: Apache-2.0
"""The old viewer's tables as cells {(table, row, column): value}: from its saved output and from our profile."""
from old_viewer import Shown, only, percent, put_device_properties
from old_viewer_host import is_plain_operator
from old_viewer_steps import CATEGORIES

FIELDS = ("kernel", "memcpy", "memset", "communication", "runtime", "dataloader", "cpu_exec", "other")


def put_overview(cells, overview):
    columns = [c["name"] for c in overview["steps"]["columns"] if c["type"] == "number"]
    seen = {}
    for row in overview["steps"]["rows"]:
        seen[row[0]] = seen.get(row[0], 0) + 1
        name = row[0] if seen[row[0]] == 1 else f"{row[0]} (again)"
        shown = dict(zip(columns, row[1::2]))
        for category in CATEGORIES:             # a column with nothing in any step is left out
            cells["steps", name, category] = float(shown.get(category, 0))
    average = overview["performance"][0]
    cells["average step", "", "Total"] = average["value"]
    shown = {child["name"]: child["value"] for child in average["children"]}
    for category in CATEGORIES:
        cells["average step", "", category] = shown.get(category, 0)


def put_gpu_summary(cells, lines):
    device = None
    for line in lines or []:
        if line["title"].startswith("GPU ") and line["title"].endswith(":"):
            device = line["title"][4:-1]
        elif "Tensor Cores" not in line["title"]:
            number = line["value"].replace(" %", "").replace(" GB", "")
            cells["gpu", device, line["title"]] = line["value"] if number == line["value"] else float(number)


def put_operators(cells, table, rows):
    for row in rows:
        name = row["name"] if table == "operators" else f"{row['name']}###{row['input_shape']}"
        for column, value in row.items():
            if column == "calls" or column.endswith("_duration"):
                cells[table, name, column] = value


def put_kernels(cells, kernels):
    titles = [c["name"] for c in kernels["columns"]]
    for row in kernels["rows"]:
        for column, value in zip(titles[2:], row[2:]):
            cells["kernels", row[0], column] = value


def put_launchers(cells, kernels, by_operator):
    launchers = {row[0]: {} for row in kernels["rows"]}
    total = [c["name"] for c in by_operator["columns"]].index("Total Duration (us)") if by_operator["rows"] else 0
    for row in by_operator["rows"]:
        if row[1] not in ("CallTreeRoot", "N/A"):
            time = launchers.setdefault(row[0], {})
            time[row[1]] = time.get(row[1], 0) + row[total]
    for name, times in launchers.items():
        cells["kernel launcher", name, "Operator"] = only(times)


def golden_cells(golden):
    """Cells of one saved output of the old viewer."""
    cells = {}
    nothing = {"columns": [], "rows": []}
    kernels = (golden.get("kernel_table") or {}).get("data") or nothing
    put_overview(cells, golden["overview"])
    put_gpu_summary(cells, golden.get("gpu_summary"))
    put_operators(cells, "operators", golden["op_table"]["data"])
    put_operators(cells, "operators by shape", golden["op_table_shape"]["data"])
    put_kernels(cells, kernels)
    put_launchers(cells, kernels, (golden.get("kernel_op_table") or {}).get("data") or nothing)
    return cells


def our_cells(document, by_shape):
    """The same cells from our profile, by name and by shape."""
    cells = {}
    steps = document["steps"]
    complete = [row for row in steps["rows"] if row["complete"]]
    seen = {}
    for row in complete:
        seen[row["name"]] = seen.get(row["name"], 0) + 1
        name = row["name"] if seen[row["name"]] == 1 else f"{row['name']} (again)"
        for category, field in zip(CATEGORIES, FIELDS):
            cells["steps", name, category] = Shown(row["categories"][field] / 1000, None)
    if complete:
        cells["average step", "", "Total"] = Shown(sum(r["duration_ns"] for r in complete) / len(complete) / 1000)
        for category, field in zip(CATEGORIES, FIELDS):
            mean = sum(row["categories"][field] for row in complete) / len(complete)
            cells["average step", "", category] = Shown(mean / 1000)
    for row in document["devices"]:
        if not row["kernel_count"]:
            continue
        major, _, minor = (row["compute_capability"] or "").partition(".")
        put_device_properties(cells, row["id"], {
            "name": row["name"], "totalGlobalMem": row["memory_bytes"],
            "computeMajor": major or None, "computeMinor": minor or None})
        for title, field in (("GPU Utilization", "utilization_share"), ("Est. SM Efficiency", "sm_efficiency_share"),
                             ("Est. Achieved Occupancy", "achieved_occupancy_share")):
            if row[field] is not None:
                cells["gpu", str(row["id"]), title] = percent(row[field])
    has_device = bool(document["devices"])
    for table, rows in (("operators", document["operators"]), ("operators by shape", by_shape["operators"])):
        sums = {}
        for row in rows:
            if is_plain_operator(row["kind"], row["name"]):
                shapes = [] if row["input_shapes"] is None else row["input_shapes"]
                key = row["name"] if table == "operators" else f"{row['name']}###{shapes}"
                total = sums.setdefault(key, dict.fromkeys(("calls", "device_self_ns", "device_total_ns",
                                                            "host_self_ns", "host_total_ns"), 0))
                for field in total:
                    total[field] += row[field]
        for key, total in sums.items():
            cells[table, key, "calls"] = total["calls"]
            for field in ("device_self", "device_total", "host_self", "host_total"):
                if has_device or field.startswith("host"):
                    cells[table, key, field + "_duration"] = Shown(total[field + "_ns"] / 1000)
    for row in document["kernels"]:
        name = row["name"]
        cells["kernels", name, "Calls"] = row["calls"]
        cells["kernels", name, "Total Duration (us)"] = Shown(row["total_ns"] / 1000)
        cells["kernels", name, "Mean Duration (us)"] = Shown(row["total_ns"] / row["calls"] / 1000)
        cells["kernels", name, "Max Duration (us)"] = Shown(row["max_ns"] / 1000)
        cells["kernels", name, "Min Duration (us)"] = Shown(row["min_ns"] / 1000)
        if row["mean_blocks_per_sm"] is not None:
            cells["kernels", name, "Mean Blocks Per SM"] = Shown(row["mean_blocks_per_sm"], 2)
        if row["mean_achieved_occupancy_share"] is not None:
            occupancy = Shown(row["mean_achieved_occupancy_share"] * 100, 2)
            cells["kernels", name, "Mean Est. Achieved Occupancy (%)"] = occupancy
        cells["kernel launcher", name, "Operator"] = row["operator"]
    return cells
