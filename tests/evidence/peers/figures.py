#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""figures.py tb|hta FILE: what torch_tb_profiler or HTA computes from one trace, as JSON {cell: value} on stdout.

Runs inside the environment that scripts/bench --peers makes; convert_peers.py starts it. A view that fails is a cell
with the kind of its error, so that a converted file must fail in the same way as its original.
"""
import collections
import json
import logging
import math
import os
import sys
import tempfile
import warnings


def plain(value):
    """A value of numpy or Python as JSON: numbers stay numbers, what is no number becomes None."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        if not math.isfinite(value):
            return None
        return int(value) if value.is_integer() else value  # 7 and 7.0: the columns' types follow the first rows
    return value if isinstance(value, (int, bool, str, type(None))) else str(value)


def table(cells, name, columns, rows, keys):
    """One cell for each value of each row; rows are known by the text of their key columns."""
    names = [column["name"] if isinstance(column, dict) else str(column) for column in columns]
    seen = collections.Counter()
    for row in rows:
        key = " | ".join(str(plain(row[i])) for i in keys)
        seen[key] += 1
        for i, value in enumerate(row):
            if i not in keys:
                cells[f"{name} / {key} #{seen[key]} / {names[i] if i < len(names) else i}"] = plain(value)


def torch_tb_profiler(path):
    from torch_tb_profiler.profiler.data import RunProfileData
    from torch_tb_profiler.profiler.run_generator import RunGenerator
    cells = {}
    with tempfile.TemporaryDirectory() as cache:
        data = RunProfileData.parse("worker", None, path, cache)
        profile = RunGenerator("worker", None, data).generate_run_profile()
    cells["views"] = ",".join(view.display_name for view in profile.views)
    cells["events"] = len(data.events)
    steps = profile.overview["steps"]
    numbers = [i for i, column in enumerate(steps["columns"]) if column["type"] == "number"]
    for row in steps["rows"]:
        for i in numbers:
            cells[f"step / {row[0]} / {steps['columns'][i]['name']}"] = plain(row[i])
    for line in profile.overview["performance"][0].get("children", []):
        cells[f"average / {line['name']}"] = plain(line["value"])
    for number, line in enumerate(profile.gpu_summary or []):
        cells[f"GPU summary / {number} {line['title']}"] = plain(line["value"])
    for name, operators in (("operator", profile.operation_table_by_name),
                            ("operator and shape", profile.operation_table_by_name_input)):
        for row in operators["data"]:
            key = f"{row['name']} {row.get('input_shape', '')}"
            for field, value in row.items():
                if field not in ("name", "input_shape", "call_stack"):
                    cells[f"{name} / {key} / {field}"] = plain(value)
    if profile.has_kernel:
        found = profile.kernel_table["data"]
        table(cells, "kernel", found["columns"], found["rows"], (0,))
        found = profile.kernel_op_table["data"]
        table(cells, "kernel and operator", found["columns"], sorted(found["rows"], key=repr), (0, 1, 2, 3))
        for row in profile.tc_pie["total"]["rows"]:
            cells[f"tensor cores / {row[0]}"] = plain(row[1])
    cells["counters"] = len(profile.gpu_metrics or [])
    if profile.memory_snapshot is not None:
        for device, statistics in profile.memory_snapshot.get_memory_statistics(profile.tid2tree).items():
            for name, row in statistics.items():
                for number, value in enumerate(row):
                    cells[f"memory / {device} {name} / {number}"] = plain(value)
    for number, row in enumerate(profile.module_stats or []):
        for field, value in vars(row).items() if hasattr(row, "__dict__") else enumerate(row):
            if isinstance(value, (int, float)):
                cells[f"module / {number} / {field}"] = plain(value)
    return cells


def hta(path):
    from hta.trace_analysis import TraceAnalysis
    analysis = TraceAnalysis(trace_files={0: path}, trace_dir=os.path.dirname(path), include_last_profiler_step=True)
    frame = analysis.t.get_trace(0)
    symbols = analysis.t.symbol_table.get_sym_table()
    cells = {"rows": len(frame), "columns": ",".join(sorted(frame.columns))}
    # The frame is what all of HTA works on: its rows as a multiset, texts in place of symbols, links by name.
    names = dict(zip(frame["index"], (symbols[i] for i in frame["name"])))
    skip = {"index", "iteration", "index_correlation", "python_parent_id"}
    columns = sorted(set(frame.columns) - skip)
    rows = collections.Counter()
    for row in frame[columns].itertuples(index=False):
        fields = dict(zip(columns, row))
        fields["name"], fields["cat"] = symbols[fields["name"]], symbols[fields["cat"]]
        rows[" ".join(f"{k}={plain(v)}" for k, v in fields.items())] += 1
    for row, count in rows.items():
        cells[f"frame / {row}"] = count
    links = collections.Counter((names[i], names.get(j, j)) for i, j in zip(frame["index"], frame["index_correlation"])
                                if j > 0)
    for (left, right), count in links.items():
        cells[f"link / {left} -> {right}"] = count

    def view(name, call):
        try:
            call()
        except Exception as error:  # noqa: BLE001: HTA fails in many ways, the file decides
            cells[f"{name} / fails"] = type(error).__name__

    def rows_of(name, found, keys):
        rows = [tuple(row) for row in found.itertuples(index=False)]
        table(cells, name, list(found.columns), sorted(rows, key=repr), keys)

    view("breakdown", lambda: rows_of("breakdown", analysis.get_temporal_breakdown(visualize=False), (0,)))

    def kernels():
        kinds, found = analysis.get_gpu_kernel_breakdown(visualize=False, num_kernels=1000)
        rows_of("kernel kinds", kinds, (0,))
        rows_of("kernels", found[[c for c in found.columns]], (0, 1))
    view("kernels", kernels)
    view("idle", lambda: rows_of("idle", analysis.get_idle_time_breakdown(visualize=False)[0], (0, 1, 2)))
    view("overlap", lambda: rows_of("overlap", analysis.get_comm_comp_overlap(visualize=False), (0,)))

    def queues():
        found = analysis.get_queue_length_summary()
        if found is not None:
            rows_of("queue", found.reset_index(), (0, 1))
    view("queue", queues)

    def launches():
        for rank, found in analysis.get_cuda_kernel_launch_stats(visualize=False).items():
            rows_of(f"launch {rank}", found, (0,))
    view("launch", launches)
    return cells


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.CRITICAL)
    peer, path = sys.argv[1:3]
    stdout, sys.stdout = sys.stdout, sys.stderr  # the peers print
    try:
        cells = {"tb": torch_tb_profiler, "hta": hta}[peer](os.path.abspath(path))
    except ImportError as error:
        cells = {"missing": str(error)}
    except Exception as error:  # noqa: BLE001: so does the original, or the script fails
        cells = {"fails": f"{type(error).__name__}: {error}"[:200]}
    json.dump(cells, stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
