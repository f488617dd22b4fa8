#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""usage: fuzz/make_seeds.py

Writes the seeds of all fuzz targets to fuzz/corpus/: a tiny trace for every era and feature of the format, good and
broken. Files there that this script does not know (past crashes) stay. The first byte of a seed is for the target:
it chooses the size of the blocks or chunks.
"""
import gzip
import struct
import marshal
import struct
import json
import subprocess
import zlib
from pathlib import Path

CORPUS = Path(__file__).resolve().parent / "corpus"


def document(events, head='"schemaVersion": 1,', tail=""):
    return '{' + head + '"traceEvents": [' + ",\n".join(events) + "]" + tail + "}"


OPERATOR = '{"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 7, "tid": 7, "ts": 10.125, "dur": 5.5}'
STEP = '{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "pid": 7, "tid": 7, "ts": 9, "dur": 40}'

JSON = {
    "empty": "",
    "empty_object": "{}",
    "empty_array": "[]",
    "no_events": '{"traceEvents": []}',
    "one_operator": document([OPERATOR]),
    "white_space": ' \t\r\n{ "traceEvents" : [ ' + OPERATOR + " , \n\n" + STEP + " ] }\r\n",
    "bare_array": "[" + OPERATOR + ", " + STEP + "]",
    "bare_array_lines": "[\n" + OPERATOR + ",\n" + STEP + "\n]\n",
    "bare_array_torch_1_13": '[{"name": "aten::ones", "ph": "X", "ts": 71.0, "dur": 9.4, "tid": 1, '
                             '"pid": "CPU functions", "args": {}},'
                             '{"name": "launch", "ph": "s", "ts": 72.0, "tid": 1, "pid": "CPU functions", '
                             '"id": 5, "cat": "cpu_to_gpu", "args": {}}]',
    "metadata_events": document([
        '{"name": "process_name", "ph": "M", "ts": 1, "pid": 7, "tid": 0, "args": {"name": "python"}}',
        '{"name": "process_labels", "ph": "M", "pid": 7, "args": {"labels": "CPU"}}',
        '{"name": "process_sort_index", "ph": "M", "pid": 7, "tid": 0, "args": {"sort_index": 7}}',
        '{"name": "thread_name", "ph": "M", "pid": 0, "tid": "stream 7", "args": {"name": "stream 7 "}}',
        '{"name": "thread_sort_index", "ph": "M", "pid": 7, "tid": 7, "args": {"sort_index": -3}}',
        OPERATOR]),
    "era_2021": document([
        '{"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": 25738, "tid": "25738", "ts": 1621401187223005, '
        '"dur": 113, "args": {"Device": 25738, "External id": 2, "Trace name": "PyTorch Profiler", '
        '"Trace iteration": 0, "Input dims": [[4, 8], [8, 2]], "Input type": ["float", "float"], '
        '"Call stack": "a.py(3): f;b.py(9): <module>"}}',
        '{"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 25738, "tid": "25738", '
        '"ts": 1621401187223050, "dur": 9, "args": {"cbid": 211, "correlation": 331, "external id": 2, '
        '"external ts": 1621401187223005}}',
        '{"ph": "X", "cat": "Kernel", "name": "volta_sgemm_128x32_tn", "pid": 0, "tid": "stream 7", '
        '"ts": 1621401187223060, "dur": 14, "args": {"queued": 0, "device": 0, "context": 1, "stream": 7, '
        '"correlation": 331, "external id": 2, "registers per thread": 57, "shared memory": 16384, '
        '"warps per SM": 0.1, "blocks per SM": 0.05, "grid": [1, 1, 1], "block": [256, 1, 1], '
        '"theoretical occupancy %": 25, "est. achieved occupancy %": 0}}',
        '{"ph": "s", "id": 331, "pid": 25738, "tid": 25738, "ts": 1621401187223050, "cat": "async", '
        '"name": "launch", "bp": "e"}',
        '{"ph": "f", "id": 331, "pid": 0, "tid": "stream 7", "ts": 1621401187223060, "cat": "async", '
        '"name": "launch", "bp": "e"}',
        '{"ph": "X", "cat": "Memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": "stream 7", '
        '"ts": 1621401187223080, "dur": 3, "args": {"device": 0, "stream": 7, "correlation": 334, '
        '"external id": 3, "bytes": 1024, "memory bandwidth (GB/s)": 0.34}}',
        '{"ph": "X", "cat": "Memset", "name": "Memset (Device)", "pid": 0, "tid": "stream 7", '
        '"ts": 1621401187223090, "dur": 1, "args": {"device": 0, "stream": 7, "correlation": 335, "bytes": 16}}',
        '{"ph": "X", "cat": "Trace", "ts": 1621401187223000, "dur": 200, "pid": "Traces", '
        '"tid": "Trace PyTorch Profiler", "name": "PyTorch Profiler (0)", "args": {"Op count": 0}}',
        '{"ph": "i", "s": "t", "name": "[memory]", "pid": 25738, "tid": 25738, "ts": 1621401187223020, '
        '"args": {"Device Type": 1, "Device Id": 0, "Bytes": 512}}',
        '{"name": "Iteration Start: PyTorch Profiler", "ph": "i", "s": "g", "pid": "Traces", '
        '"tid": "Trace PyTorch Profiler", "ts": 1621401187223000}'],
        head='"schemaVersion": 1, "computeProperties": [{"id": 0, "name": "Tesla V100", "totalGlobalMem": 16945512448, '
             '"major": 7, "minor": 0, "numSms": 80, "warpSize": 32}],'),
    "era_2022": document([
        '{"ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "pid": 1, "tid": 1, "ts": 1664500000000001, "dur": 50, '
        '"args": {"External id": 1025, "Input Dims": [[1, 3, 8, 8], [], []], "Input type": ["float", "", ""], '
        '"Sequence number": 41, "Fwd thread id": 0, "Ev Idx": 3}}',
        '{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 1664500000000010, '
        '"dur": 4, "args": {"External id": 88, "cbid": 211, "correlation": 88}}',
        '{"ph": "X", "cat": "kernel", "name": "void cudnn::ops<float>(int, \\"x\\")", "pid": 0, "tid": 7, '
        '"ts": 1664500000000020, "dur": 6, "args": {"External id": 88, "correlation": 88, "device": 0, "stream": 7, '
        '"grid": [2, 1, 1], "block": [32, 4, 1], "est. achieved occupancy %": 31}}',
        '{"ph": "s", "id": 88, "pid": 1, "tid": 1, "ts": 1664500000000010, "cat": "async_cpu_to_gpu", '
        '"name": "async_cpu_to_gpu"}',
        '{"ph": "f", "id": 88, "pid": 0, "tid": 7, "ts": 1664500000000020, "cat": "async_cpu_to_gpu", '
        '"name": "async_cpu_to_gpu", "bp": "e"}',
        '{"ph": "s", "id": 4, "pid": 1, "tid": 1, "ts": 1664500000000002, "cat": "forward_backward", '
        '"name": "forward_backward"}',
        '{"ph": "f", "id": 4, "pid": 1, "tid": 2, "ts": 1664500000000042, "cat": "forward_backward", '
        '"name": "forward_backward", "bp": "e"}',
        '{"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, '
        '"ts": 1664500000000003, "args": {"Total Reserved": 2097152, "Total Allocated": 1024, "Bytes": -512, '
        '"Addr": 140141398851584, "Device Id": 0, "Device Type": 1, "Ev Idx": 4}}'],
        head='"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A100", "totalGlobalMem": 42505273344, '
             '"computeMajor": 8, "computeMinor": 0, "numSms": 108, "warpSize": 32}], '
             '"distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, "with_stack": 1,'),
    "era_2024_ns": document([
        '{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#10", "pid": 9, "tid": 9, '
        '"ts": 4926432163312.459, "dur": 1000.001, "args": {"External id": 1, "Ev Idx": 0}}',
        '{"ph": "X", "cat": "cuda_driver", "name": "cuLaunchKernel", "pid": 9, "tid": 9, "ts": 4926432163313.0, '
        '"dur": 2.125, "args": {"cbid": 307, "correlation": 12}}',
        '{"ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#10", "pid": 0, "tid": 7, '
        '"ts": 4926432163314.459, "dur": 900.003, "args": {"External id": 1}}',
        '{"ph": "X", "cat": "cuda_sync", "name": "Stream Wait Event", "pid": 0, "tid": 7, "ts": 4926432163400.1, '
        '"dur": 0.001, "args": {"cuda_sync_kind": "Stream Wait Event", "stream": 7, "correlation": 15, '
        '"device": 0, "wait_on_stream": 20, "wait_on_cuda_event_record_corr_id": 14, "wait_on_cuda_event_id": 3}}',
        '{"ph": "s", "id": 12, "pid": 9, "tid": 9, "ts": 4926432163313.0, "cat": "ac2g", "name": "ac2g"}',
        '{"ph": "f", "id": 12, "pid": 0, "tid": 7, "ts": 4926432163320.0, "cat": "ac2g", "name": "ac2g", "bp": "e"}',
        '{"ph": "X", "cat": "overhead", "name": "Activity Buffer Request", "pid": -1, "tid": 0, '
        '"ts": 4926432163312.0, "dur": 800.5}'],
        tail=',"traceName": "/tmp/trace.json", "displayTimeUnit": "ms", "baseTimeNanoseconds": 1727970000000000000'),
    "era_2026": " " + document([
        '{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", '
        '"pid": 0, "tid": 20, "ts": 1.001, "dur": 5.5, "args": {"External id": 3, "queued": 0, "device": 0, '
        '"context": 1, "stream": 20, "correlation": 9, "registers per thread": 96, "shared memory": 82240, '
        '"Collective name": "allreduce", "In msg nelems": 1048576, "Out msg nelems": 1048576, "Group size": 8, '
        '"dtype": "BFloat16", "In split size": "[]", "Out split size": "[]", "Process Group Name": "0", '
        '"Process Group Description": "default_pg", "Process Group Ranks": "[0, 1, 2, 3, 4, 5, 6, 7]", "Seq": 5, '
        '"Comms Id": 18446744073709551615, "Src Rank": 1, "Dst Rank": 2, "graph id": 4, "graph node id": 77, '
        '"occupancy": {"limitingFactors": ["blocks"], "blocks": 2}, "grid": [8, 1, 1], "block": [512, 1, 1], '
        '"warps per SM": 0.97, "blocks per SM": 0.06, "est. achieved occupancy %": 2, "priority": 0}}',
        '{"ph": "C", "cat": "hardware_counters", "name": "sm__cycles_active.avg", "pid": "GPU 0 Counters", "ts": 2.5, '
        '"args": {"value": 12.5, "other": 3}}',
        '{"ph": "X", "cat": "python_function", "name": "a.py(3): f", "pid": 5, "tid": 5, "ts": 0.5, "dur": 9, '
        '"args": {"Python id": 2, "Python parent id": 1, "Python thread": 0, "Ev Idx": 1, "CallFrom": "b.py(2)"}}',
        '{"ph": "X", "cat": "python_function", "name": "nn.Module: Linear_0", "pid": 5, "tid": 5, "ts": 0.6, '
        '"dur": 8, "args": {"Python id": 3, "Python parent id": 2, "Python module id": 0}}',
        '{"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 5, "tid": 5, "ts": 0.7, "dur": 1, '
        '"args": {"External id": 3, "Record function id": 0, "Concrete Inputs": ["", "0", "[1, 2]"], '
        '"Input Strides": [[], []], "Collective name": "allreduce", "finished": false}}'],
        head='"schemaVersion": 1, "displayTimeUnit": "ms", "baseTimeNanoseconds": 1776556800000000000, '
             '"host_name": "node", "deviceProperties": [{"id": 0, "name": "NVIDIA B200", "totalGlobalMem": 191504408576, '
             '"computeMajor": 10, "computeMinor": 0, "maxThreadsPerBlock": 1024, "numSms": 148, "warpSize": 32}], '
             '"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 8, "pg_count": 1, '
             '"pg_config": [{"pg_name": "0", "ranks": [0, 1]}], "nccl_version": "2.27"},'),
    "rocm": document([
        '{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 3, "tid": 3, "ts": 5.5, "dur": 2, '
        '"args": {"kernel": "Cijk_Ailk_Bljk_SB_MT64x64x16_MI32x32x1x2", "stream": "0x55d0", "correlation": 4, '
        '"grid": "[64, 1, 1]", "block": "[256, 1, 1]", "shared memory": 0}}',
        '{"ph": "X", "cat": "kernel", "name": "Cijk_Ailk_Bljk_SB_MT64x64x16_MI32x32x1x2", "pid": 2, "tid": 0, '
        '"ts": 8.25, "dur": 3, "args": {"device": 2, "stream": 0, "correlation": 4, "kind": "Dispatch Kernel"}}',
        '{"ph": "X", "cat": "gpu_memcpy", "name": "CopyHostToDevice", "pid": 2, "tid": 0, "ts": 12, "dur": 1, '
        '"args": {"device": 2, "stream": 0, "correlation": 6, "bytes": 4096}}',
        '{"ph": "i", "s": "t", "name": "[memory]", "pid": 3, "tid": 3, "ts": 5, "args": {"Device Type": 6, '
        '"Device Id": 2, "Bytes": 64, "Addr": 1}}']),
    "mtia_xpu": document([
        '{"ph": "X", "cat": "mtia_runtime", "name": "runFunction", "pid": 1, "tid": 1, "ts": 1, "dur": 4, '
        '"args": {"correlation": 3}}',
        '{"ph": "X", "cat": "mtia_ccp_events", "name": "fn", "pid": 0, "tid": 2, "ts": 2, "dur": 2, '
        '"args": {"correlation": 3, "device": 0, "stream": 2}}',
        '{"ph": "X", "cat": "xpu_runtime", "name": "urEnqueueKernelLaunch", "pid": 1, "tid": 1, "ts": 6, "dur": 1, '
        '"args": {"correlation": 5}}',
        '{"ph": "X", "cat": "xpu_sync", "name": "sync", "pid": 0, "tid": 1000007, "ts": 7, "dur": 1}',
        '{"ph": "X", "cat": "privateuse1_driver", "name": "launch", "pid": 1, "tid": 1, "ts": 9, "dur": 1}']),
    "begin_end": '[{"ph": "B", "name": "a", "pid": 1, "tid": 1, "ts": 1}, {"ph": "B", "name": "b", "pid": 1, "tid": 1, '
                 '"ts": 2}, {"ph": "E", "pid": 1, "tid": 1, "ts": 3}, {"ph": "E", "name": "a", "pid": 1, "tid": 1, '
                 '"ts": 4}, {"ph": "E", "pid": 1, "tid": 1, "ts": 5}, {"ph": "B", "name": "open", "pid": 1, "tid": 2, '
                 '"ts": 6}]',
    "async_and_instant": '{"traceEvents": [{"ph": "b", "cat": "c", "id": "0x1a", "name": "a", "pid": 1, "tid": 1, '
                         '"ts": 1}, {"ph": "n", "cat": "c", "id": "0x1a", "name": "a", "pid": 1, "tid": 1, "ts": 2}, '
                         '{"ph": "e", "cat": "c", "id": "0x1a", "name": "a", "pid": 1, "tid": 1, "ts": 3}, '
                         '{"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 2, "s": "p"}, '
                         '{"ph": "I", "name": "old", "pid": 1, "tid": 1, "ts": 2}, '
                         '{"ph": "t", "id": 7, "cat": "f", "name": "f", "pid": 1, "tid": 1, "ts": 2}, '
                         '{"ph": "q", "name": "unknown phase", "pid": 1, "tid": 1, "ts": 2}]}',
    "counters": '[{"ph": "C", "name": "memory", "pid": 1, "ts": 1, "args": {"allocated": 5, "reserved": 1.5e3, '
                '"text": "x"}}, {"ph": "C", "name": "empty", "pid": 1, "ts": 2, "args": {}}]',
    "viztracer": '{"traceEvents": [{"ph": "M", "pid": 1, "tid": 1, "name": "process_name", "args": {"name": "MainProcess"}}, '
                 '{"pid": 1, "tid": 1, "ts": 27.4, "ph": "X", "dur": 1.5, "name": "f (/a/b.py:3)", "cat": "FEE", '
                 '"caller_lineno": 7}], "viztracer_metadata": {"version": "0.16.0"}, "file_info": {"files": {"a": ["x", 3]}}}',
    "string_ids": '[{"ph": "X", "cat": "cpu_op", "name": "a", "pid": "12", "tid": "34", "ts": "5.5", "dur": "2"}, '
                  '{"ph": "X", "cat": "cpu_op", "name": "b", "pid": 12.0, "tid": 3.4e1, "ts": 6, "dur": 1}, '
                  '{"ph": "X", "name": "c", "pid": "Spans", "tid": "", "ts": 1e3, "dur": 0}, '
                  '{"ph": "s", "id": "abc", "cat": "f", "name": "f", "pid": null, "tid": true, "ts": 7}]',
    "numbers": document([
        '{"ph": "X", "cat": "cpu_op", "name": "n", "pid": 1, "tid": 1, "ts": 1700000000123456.7891, "dur": 0.0005}',
        '{"ph": "X", "cat": "cpu_op", "name": "n", "pid": -1, "tid": 18446744073709551615, "ts": -5.5, "dur": -1}',
        '{"ph": "X", "cat": "cpu_op", "name": "n", "pid": 1, "tid": 1, "ts": 1.5E+2, "dur": 25e-1}',
        '{"ph": "X", "cat": "cpu_op", "name": "n", "pid": 1, "tid": 1, "ts": 99999999999999999999999, "dur": 1}',
        '{"ph": "X", "cat": "cpu_op", "name": "n", "pid": 1, "tid": 1, "ts": 1e400, "dur": 1e-400}',
        '{"ph": "X", "cat": "cpu_op", "name": "n", "pid": 1, "tid": 1, "ts": 0, "dur": 0}',
        '{"ph": "X", "cat": "cpu_op", "name": "n", "pid": 1, "tid": 1, "ts": 9223372036854775.807, "dur": 1}']),
    "missing_fields": '[{"ph": "X"}, {"name": "x"}, {"ph": "X", "name": "no ts", "pid": 1, "tid": 1, "dur": 1}, '
                      '{"ph": "X", "name": "no dur", "pid": 1, "tid": 1, "ts": 1}, {"ph": "X", "pid": 1, "tid": 1, '
                      '"ts": 1, "dur": 1}, {}, 5, "text", null, [1], {"ph": 5, "ts": {}, "name": [], "args": "x"}]',
    "repeated_keys": '[{"ph": "X", "ph": "i", "name": "a", "name": "b", "ts": 1, "ts": 2, "args": {"correlation": 1, '
                     '"correlation": 2}, "args": {}}]',
    "surrogate_pairs": r'[{"ph": "X", "name": "\ud83d\ude00 \u00e9 \ud83d x \ude00 \u0000 \uD83D\u0041", "ts": 1, "dur": 1}]',
    "escapes": r'[{"ph": "X", "na\u006de": "a\"b\\c\/d\b\f\n\r\t\q\u12", "ts": 1, "dur": 1, "cat": "cpu\u005fop"}]',
    "utf8": '[{"ph": "X", "name": "größe 模型 😀", "ts": 1, "dur": 1}]',
    "invalid_utf8": b'[{"ph": "X", "name": "a\xff\xfe\xc3 \xe2\x82 \xed\xa0\x80 \xf8", "ts": 1, "dur": 1}]',
    "byte_order_mark": b"\xef\xbb\xbf" + document([OPERATOR]).encode(),
    "control_characters": '[{"ph": "X", "name": "a\tb\nc\x01d", "ts": 1, "dur": 1}]',
    "nul_bytes": "[" + OPERATOR + "]\0\0\0\0",
    "unescaped_quotes": document([
        '{"ph": "X", "cat": "cpu_op", "name": "say "hello" now", "pid": 1, "tid": 1, "ts": 1, "dur": 1}',
        '{"ph": "X", "cat": "kernel", "name": "f(char const*, "a, b": 1)", "pid": 0, "tid": 7, "ts": 2, "dur": 1}',
        OPERATOR]),
    "unescaped_quotes_in_metadata": document([OPERATOR], tail=',"note": "a "quoted" word", "x": 1'),
    "windows_paths": r'[{"ph": "X", "name": "C:\Users\new\x.py", "ts": 1, "dur": 1}]',
    "bare_words": document([
        '{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 1, "args": {"bytes": N/A, '
        '"memory bandwidth (GB/s)": inf, "est. achieved occupancy %": nan, "warps per SM": -Infinity, '
        '"blocks per SM": NaN, "device": None}}', OPERATOR]),
    "trailing_commas": '{"traceEvents": [' + OPERATOR + ',], "a": [1, 2,], "b": {"c": 1,},}',
    "double_commas": "[" + OPERATOR + ",,\n," + STEP + "]",
    "missing_comma": "[" + OPERATOR + " " + STEP + "]",
    "nested_args": document([
        '{"ph": "X", "cat": "cpu_op", "name": "deep", "pid": 1, "tid": 1, "ts": 1, "dur": 1, "args": {"a": {"b": '
        '[[{"c": [{}, [], {"correlation": 5, "ts": 9, "ph": "B"}]}]]}, "Input Dims": [[[1, 2], [3]], [], [[]]], '
        '"Concrete Inputs": ["]", "}", "\\"", "[1, {"], "External id": 6}}', OPERATOR]),
    "events_inside_values": document([OPERATOR], head='"x": {"traceEvents": [{"ph": "X", "ts": 1}]},'),
    "braces_in_strings": '[{"ph": "X", "name": "}{][,:\\\\", "ts": 1, "dur": 1}, {"ph": "X", "name": "\\\\\\"}", "ts": 2, '
                         '"dur": 1}]',
    "deep_nesting": '[{"ph": "X", "name": "a", "ts": 1, "dur": 1, "args": ' + '{"a": [' * 600 + "]}" * 600 + "}]",
    "deep_nesting_open": "[" * 5000,
    "long_name": '[{"ph": "X", "name": "' + "x" * 3000 + '", "ts": 1, "dur": 1}]',
    "metadata_last": '{"traceEvents": [' + OPERATOR + '], "deviceProperties": [], "baseTimeNanoseconds": 5, '
                     '"distributedInfo": {}, "traceName": "x", "with_flops": 1}',
    "metadata_wrong_types": '{"deviceProperties": {"id": 1}, "distributedInfo": [1], "baseTimeNanoseconds": "7", '
                            '"schemaVersion": null, "traceEvents": [' + OPERATOR + "]}",
    "events_wrong_type": '{"traceEvents": {"a": 1}}',
    "two_event_lists": '{"traceEvents": [' + OPERATOR + '], "traceEvents": [' + STEP + "]}",
    "trailing_data": document([OPERATOR]) + "\n{}garbage",
    "truncated_in_event": document([STEP, OPERATOR])[:-30],
    "truncated_in_string": document([STEP, OPERATOR])[:90],
    "truncated_after_comma": '{"traceEvents": [' + OPERATOR + ",",
    "truncated_escape": '[{"ph": "X", "name": "abc\\u00',
    "missing_brackets": '{"traceEvents": [' + OPERATOR,
    "closing_brackets_only": "]}",
    "html": "<!DOCTYPE html>\n<html><body>404 Not Found</body></html>",
    "other_json": '{"name": "package", "version": "1.0", "dependencies": {"a": "1"}}',
    "json_lines": OPERATOR + "\n" + STEP + "\n",
    "number": "42",
    "string": '"traceEvents"',
}


def text_bytes(text):
    return text if isinstance(text, bytes) else text.encode()


def zstd(data, *options):
    return subprocess.run(["zstd", "-q", "-c", *options], input=data, capture_output=True, check=True).stdout


def compressed_seeds():
    text = document([OPERATOR, STEP] * 8).encode()
    packed_gzip = {
        "one_member": gzip.compress(text, mtime=0),
        "stored": gzip.compress(text, 0, mtime=0),
        "two_members": gzip.compress(text, mtime=0) + gzip.compress(b"tail", mtime=0),
        "empty_member": gzip.compress(b"", mtime=0),
        "zero_padding": gzip.compress(text, mtime=0) + bytes(64),
        "garbage_after": gzip.compress(text, mtime=0) + b"garbage",
        "named": b"\x1f\x8b\x08\x1e\0\0\0\0\0\xff" + b"\x03\0abc" + b"trace.json\0" + b"comment\0" + b"\0\0"
                 + gzip.compress(text, mtime=0)[10:],
        "truncated": gzip.compress(text, mtime=0)[:-20],
        "truncated_header": b"\x1f\x8b\x08\x08\0\0\0\0\0\xffname",
        "wrong_checksum": gzip.compress(text, mtime=0)[:-8] + bytes(8),
        "wrong_method": b"\x1f\x8b\x07" + bytes(12),
    }
    packed_zstd = {
        "one_frame": zstd(text, "--check"),
        "two_frames": zstd(text) + zstd(b"tail", "--check"),
        "empty_frame": zstd(b""),
        "skippable": b"\x50\x2a\x4d\x18\x03\0\0\0abc" + zstd(text),
        "garbage_after": zstd(text) + b"garbage",
        "truncated": zstd(text)[:-12],
        "wrong_checksum": zstd(text, "--check")[:-4] + bytes(4),
        "repeated_bytes": zstd(b"a" * 300000, "--check"),
    }
    return packed_gzip, packed_zstd


def code_object(numbers, kinds, tables):
    """The code of a module, as `python -m profile` puts it into a key; its layout changed with Python."""
    inner = b"c" + bytes(4 * numbers) + b"s\0\0\0\0)\0)\0)\0" + kinds + b"z\1bz\1g" + tables
    head = bytes(4 * (numbers - 1)) + b"@\0\0\0"
    return b"\xe3" + head + b"s\2\0\0\0d\0)\2" + inner + b"N)\0)\0" + kinds + b"z\4a.pyz\x08<module>" + tables


def pstats_seeds():
    """Tiny .prof files of every marshal version, with both kinds of callers, and damaged ones."""
    main, leaf = ("a.py", 1, "main"), ("~", 0, "<built-in method builtins.len>")
    stats = {main: (1, 1, 0.25, 1.5, {}), leaf: (2, 3, 1.25, 1.25, {main: (3, 2, 1.25, 1.25)})}
    whole = marshal.dumps(stats, 4)
    seeds = {f"version_{version}": marshal.dumps(stats, version) for version in range(5)}
    seeds.update({
        "counts": marshal.dumps({leaf: (1, 1, 0, 0.5, {main: 7})}, 4),
        "python_2": b"{(\3\0\0\0t\1\0\0\0ai\1\0\0\0R\0\0\0\0(\5\0\0\0i\1\0\0\0I" + bytes(8) + b"f\x030.5f\x011{00",
        "large_numbers": marshal.dumps({("a", 2**70, "f"): (2**40, -2**70, 1e300, float("nan"), {})}, 4),
        "other_objects": marshal.dumps({main: (1, [2, {3}], None, 1j, {1: b"x"}), 5: ..., leaf: (1, 1, 0.0, 0.0, {})}, 4),
        "surrogates": marshal.dumps({("a\udc80.py", 1, "\u65e5\u672c\xe9"): (1, 1, 0.0, 0.0, {})}, 4),
        "shared_callers": b"{)\3z\1ai\1\0\0\0z\1f)\5i\1\0\0\0i\1\0\0\0i\0\0\0\0i\0\0\0\0\xfb0"
                          b")\3z\1ai\2\0\0\0z\1g)\5i\1\0\0\0i\1\0\0\0i\0\0\0\0i\0\0\0\0r\0\0\0\x000",
        "own_reference": b"\xfb)\3z\1ai\1\0\0\0z\1f)\5i\1\0\0\0i\1\0\0\0i\0\0\0\0i\0\0\0\0r\0\0\0\x000",
        "slice": b"{)\1:NNN:N(\0\0\0\0T0",
        "trailing": whole + b"more",
        "cut": whole[:-9],
        "huge_tuple": b"{(\xff\xff\xff\x7f",
        "huge_text": b"{)\3u\xff\xff\xff\x7f",
        "deep": b"{" + b")\1" * 3000,
        "empty": b"{0",
    })
    old, new = (b")\0)\0", b"\1\0\0\0s\0\0\0\0"), (b"s\0\0\0\0", b"z\1q\1\0\0\0s\0\0\0\0s\0\0\0\0")
    for name, numbers, (kinds, tables) in (("2", 4, old), ("3_7", 5, old), ("3_8", 6, old), ("3_11", 5, new)):
        code = b")\3z\7profilei\0\0\0\0" + code_object(numbers, kinds, tables)
        seeds[f"code_{name}"] = (b"{" + code + b")\5i\1\0\0\0i\1\0\0\0i\0\0\0\0i\0\0\0\0{)\3z\7profilei\0\0\0\0r\0\0\0\0"
                                 b"i\1\0\0\x0000")
    return seeds


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def field(number, value):
    """One field of a protocol buffer: a number, bytes (also a message), or a fixed 64-bit float."""
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def perfetto_seeds():
    packet = lambda *fields: field(1, b"".join(fields))  # noqa: E731
    thread = packet(field(60, field(1, 5) + field(4, field(1, 10) + field(2, 11) + field(5, "main"))))
    process = packet(field(60, field(1, 4) + field(3, field(1, 10) + field(6, "python") + field(8, "CPU"))))
    counter = packet(field(60, field(1, 6) + field(5, 4) + field(2, "power") + field(8, field(5, 1))))
    event = lambda time, *fields: packet(field(8, time), field(10, 1), field(11, b"".join(fields)))  # noqa: E731
    begin = event(100, field(9, 1), field(11, 5), field(23, "aten::add"), field(22, "cpu_op"),
                  field(4, field(10, "Input Dims") + field(12, field(12, field(4, 3)))),
                  field(4, field(10, "dict") + field(11, field(10, "a") + field(5, 1.5))),
                  field(4, field(10, "old") + field(8, field(1, 1) + field(2, "k") + field(3, field(5, 7)))),
                  field(47, struct.pack("<Q", 42)))
    end = event(150, field(9, 2), field(11, 5))
    interned = packet(field(10, 1), field(13, 1),
                      field(12, field(1, field(1, 1) + field(2, "kernel")) + field(2, field(1, 1) + field(2, "k"))
                            + field(3, field(1, 1) + field(2, "stream")) + field(29, field(1, 1) + field(2, "text"))))
    clock = packet(field(10, 1), field(6, field(1, field(1, 6) + field(2, 5000)) + field(1, field(1, 1) + field(2, 9000))
                                       + field(1, field(1, 64) + field(2, 5) + field(3, 1) + field(4, 1000))))
    use = event(7, field(9, 1), field(11, 5), field(10, 1), field(3, 1), field(4, field(1, 1) + field(17, 1)))
    return {
        "empty": b"",
        "thread": thread,
        "slice": process + thread + begin + end,
        "grouped": thread + begin + begin + end + end,
        "unmatched": thread + end + begin,
        "interned": thread + interned + use + end,
        "cleared": thread + interned + packet(field(10, 1), field(41, 1)) + use,
        "clocks": clock + packet(field(10, 1), field(59, field(58, 64) + field(11, field(11, 5)))) + begin + end,
        "counter": process + counter + event(5, field(9, 4), field(11, 6), field(30, 3))
                   + event(6, field(9, 4), field(11, 6), field(44, 1.5)),
        "extra_counters": counter + thread + event(6, field(9, 3), field(11, 5), field(31, 6), field(12, 3)),
        "legacy": packet(field(10, 9), field(44, field(1, 10) + field(2, 11) + field(6, 1000)))
                  + packet(field(10, 9), field(11, field(1, 5) + field(23, "x") + field(6, field(2, ord("X")) + field(3, 2)))),
        "async": thread + event(6, field(11, 5), field(23, "x"), field(6, field(2, ord("b")) + field(6, 17))),
        "compressed": packet(field(50, zlib.compress(thread + begin + end))),
        "compressed_damaged": packet(field(50, zlib.compress(thread + begin + end)[:-9])),
        "truncated": (thread + begin + end)[:-3],
        "huge_length": thread + b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x10",
        "group": thread + b"\x0b",
        "telltale": thread + packet(field(8, 1), field(10, 1), field(13, 1),
                                    field(12, field(1, field(1, 1) + field(2, "__telltale"))),
                                    field(11, field(9, 3) + field(11, 1) + field(3, 1)
                                          + field(4, field(10, "version") + field(4, 1))
                                          + field(4, field(10, "flow_kinds") + field(12, field(6, "ac2g")))))
                    + event(9, field(9, 1), field(11, 5), field(47, struct.pack("<Q", 1 << 56 | 3))) + end,
        "pprof": field(1, field(1, 1) + field(2, 2)) + field(2, field(1, b"\1")),
    }
MEMORY_TIMELINES = {
    "raw": "[[-1, 1, 1024, 0], [1794777047484611753, 2, 256, 2], [1794777047485204250, 3, -256, 2], "
           "[1794777047485204250, 3, 256, 4]]",
    "sums": "[[1794777047484611, 1794777047484793], [[0, 1292, 0, 0, 0, 0, 1292, 0, 0], "
            "[0, 1292, 0, 256, 0, 0, 1292, 0, 7]]]",
    "odd_elements": '[[1,2,3,4],[1,2,3],7,{"a":[1]},[1,2,"x",4],[1,2,3,4,5],[1,2,3,-1],[9,2,3,200],null]',
    "lonely_times": "[[1,2,3],[[0,5],[0,6]]]",
    "lonely_sizes": "[[1],[[0,5],[0,6],[0,7]],[3]]",
    "large": "[[1,9223372036854775807],[[0,9223372036854775807],[0,-9223372036854775808,1e400]]]",
    "long_word": "[[1, 2, 3, LLLLLLLLLLLLLLLL 0]]",
    "truncated": "[[1, 2, 3, 4], [5, 6",
    "empty": "[]",
}

MEMORY_SNAPSHOTS = {
    "whole": json.dumps({
        "segments": [{"device": 1, "address": 1000, "total_size": 2097152, "stream": 0, "segment_type": "small",
                      "allocated_size": 1024, "active_size": 1536, "blocks": [
                          {"address": 1000, "size": 1024, "requested_size": 1000, "state": "active_allocated",
                           "frames": [{"name": "forward", "filename": "/home/me/train.py", "line": 12}]},
                          {"size": 512, "state": "active_awaiting_free", "frames": []},
                          {"size": 2095616, "state": "inactive", "history": [{"real_size": 5, "frames": []}]}]}],
        "device_traces": [[], [
            {"action": action, "addr": 1000, "size": 1000, "stream": 0, "time_us": 10 + time, "frames": []}
            for time, action in enumerate(("segment_alloc", "alloc", "free_requested", "free_completed", "oom",
                                           "snapshot", "segment_unmap", "other"))]],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": ""}}),
    "odd_values": '{"segments": [7, {"device": -1, "blocks": [{"size": -1}]}, {"device": 0, "blocks": [3, {}]}], '
                  '"device_traces": [[{"action": "alloc"}, 5, {"action": 3, "size": 1e99, "addr": -1}], 6, {}]}',
    "truncated": '{"segments": [{"device": 0, "blocks": [{"size": 512, "frames": [{"name": "a',
    "empty": '{"segments": [], "device_traces": [[]]}',
}


def write(target, seeds, first_bytes):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    for index, (name, content) in enumerate(seeds.items()):
        first = first_bytes[index % len(first_bytes)]
        (folder / name).write_bytes(bytes([first]) + text_bytes(content))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def record(payload, length=None):
    head = struct.pack("<Q", len(payload) if length is None else length)
    return head + masked(head) + payload + masked(payload)


def tfevents_seeds():
    def double(number, value):
        return varint(number << 3 | 1) + struct.pack("<d", value)

    def event(step, *parts):
        return record(double(1, 1.79e9 + step) + field(2, step) + b"".join(parts))

    def scalar(tag, value):
        return field(1, field(1, tag) + varint(2 << 3 | 5) + struct.pack("<f", value))

    def tensor(tag, content, plugin=b""):
        metadata = field(9, field(1, field(1, plugin) + field(2, b"x")) + field(2, "shown")) if plugin else b""
        return field(1, field(1, tag) + field(8, content) + metadata)

    version = record(double(1, 1.79e9) + field(3, "brain.Event:2"))
    number = field(1, 2) + field(2, b"") + double(6, 0.1)
    text = field(1, 7) + field(2, field(2, field(1, 1))) + field(8, "hello")
    points = b"".join(event(i, field(5, scalar("loss", i) + scalar("acc", -i))) for i in range(6))
    new = b"".join(event(i, field(5, tensor("new", number, b"scalars" if i == 0 else b""))) for i in range(4))
    other = event(7, field(5, field(1, field(1, "img") + field(4, field(1, 2) + field(2, 3) + field(4, b"\x89PNG")))
                           + field(1, field(1, "h") + field(5, double(1, 0) + double(2, 1) + double(6, 1) + double(7, 4)))
                           + tensor("t", text, b"text") + tensor("bare", number) + tensor("bare", text)))
    graph = event(0, field(4, field(1, field(1, "a/b") + field(2, "Op") + field(3, "^c:0"))))
    restart = points + event(3, field(7, field(1, 1))) + points
    bare = b"".join(event(i, field(5, tensor("bare", number) + tensor(b"not utf-8 \xff", number, b"scalars" if i == 1 else b"")))
                    for i in range(4))
    nothing = event(0, field(5, field(1, field(1, "bare"))))
    half = len(version + points) // 2
    return {
        "points": version + points, "new_style": version + new + new, "other_values": version + other + graph,
        "restart": version + restart, "no_version": points, "cut": (version + points)[:-7],
        "bad_payload": version + points[:20] + b"!" + points[21:] + points,
        "bad_length": version + b"!" + points[1:], "missing_bytes": version + points[:30] + points[45:] + points,
        "zeros": version + bytes(40) + points + bytes(20), "huge_length": version + record(b"", 2**64 - 1)[:12] + points,
        "long_length": version + record(b"", 2**20)[:12] + points, "half": (version + points)[:half],
        "group": version + record(double(1, 1) + b"\xa3\x06\x08\x01\xa4\x06" + field(5, scalar("a", 1))),
        "no_message": version + record(b"\xff" * 12) + points,
        "odd": record(double(1, float("nan")) + field(2, 2**62) + field(5, scalar(b"\xff\xfe", float("inf")))) + record(b""),
        "empty": b"",
        "restart_of_bare": version + nothing + bare + event(2, field(7, field(1, 1))) + bare + new + bare,
    }


def pprof_seeds():
    texts = b"".join(field(6, t) for t in (b"", b"samples", b"count", b"cpu", b"nanoseconds", b"main", b"f", b"a.go", b"/bin"))
    types = field(1, field(1, 1) + field(2, 2)) + field(1, field(1, 3) + field(2, 4))
    sample = field(2, field(1, bytes([2, 1])) + field(2, bytes([3, 30])))
    unpacked = field(2, field(1, 2) + field(1, 1) + field(2, 3) + field(2, 2**64 - 30))
    rest = (field(3, field(1, 1) + field(5, 8)) + field(4, field(1, 1) + field(2, 1) + field(4, field(1, 1) + field(2, 7)))
            + field(4, field(1, 2) + field(3, 0x1234) + field(4, field(1, 2)) + field(4, field(1, 1)))
            + field(5, field(1, 1) + field(2, 5) + field(4, 7) + field(5, 10)) + field(5, field(1, 2) + field(3, 6)))
    whole = types + sample + unpacked + rest + texts + field(9, 1700000000000000000) + field(14, 1)
    return {"whole": whole, "texts_first": texts + rest + sample + types, "no_texts": types + sample,
            "broken_parts": types + field(2, b"\x0a\x7f") + sample + field(4, b"\xff") + texts,
            "huge_length": types + sample + varint(2 << 3 | 2) + varint(2**60), "cut": whole[:40], "empty": b""}


def samples_seeds():
    """Blocks of files of samples (src/formats/samples/FORMAT.md)."""
    def packed(number, *values):
        return field(number, b"".join(varint(value) for value in values))

    def block(payload, checksum=None):
        return b"TTS1" + struct.pack("<II", len(payload), crc32c(payload) if checksum is None else checksum) + payload

    first = (field(1, 1700000000000000000) + field(2, 10000000) + field(3, 0) + b"".join(field(4, t) for t in (b"", b"step", b"a.py", b"Main"))
             + field(5, 0) + packed(6, 1, 2, 7) + field(7, 0) + packed(8, 5, 5, 3) + field(9, 0) + packed(10, 0, 0, 1, 0)
             + field(11, 0) + field(12, 1000000) + field(13, field(1, 0) + packed(2, 1, 28, 3, 30000, 0, 2, 1, 10000)))
    second = field(11, 1000000) + field(12, 1000000) + field(13, field(1, 0) + packed(2, 1, 1, 9, 90000)) + field(14, 2)
    lost = field(3, 90) + field(4, b"x") + field(9, 70) + packed(10, 60, 50) + field(13, field(1, 8) + packed(2, 1, 1, 1, 1)) \
        + field(13, field(1, 0) + packed(2, 70, 0, 1, 2**62))
    whole = block(first) + block(second)
    return {"whole": whole, "cut": whole[:-5], "bad_checksum": block(first) + block(second, 7) + block(second),
            "junk": b"xx" + block(first) + b"TTS" + block(second), "lost": block(lost), "huge_length": b"TTS1\xff\xff\xff\x7f" + whole,
            "no_message": block(b"\xff" * 9), "odd": block(field(13, b"\x12\x01\x80") + packed(6, 1)), "empty": b""}


SPEEDSCOPE_FRAMES = '"shared": {"frames": [{"name": "main", "file": "a.py", "line": 5}, {"name": "f"}, 7]}'
FUNCTIONS = {
    "collapsed_reader_fuzz": {
        "py_spy": "thread (1): MainThread;<module> (a.py:5);f (a.py:7) 12\nthread (1): MainThread 1\nf (libx.so);g (/x/y) 2\n",
        "torch": "a.py(3):_<module> 2\na.py(3):_<module>;<built-in_function_x> 5.25\n",
        "flame_graph": "# a comment\n\nswapper;start_kernel;rest init 3\r\na;;b; 1.5\nbad\n9\n x 99999999999999999999\n",
        "unit": "# unit: bytes\na;b 5\n", "cut": "a;b 1\na;b", "invalid_utf8": b"a\xff;b\xc3 4\n", "empty": "",
    },
    "importtime_reader_fuzz": {
        "log": "import time: self [us] | cumulative | imported package\nimport time:       166 |        166 |   _io\n"
               "import time:       309 |        475 | site\n",
        "other_output": "hello\nno endimport time: 5 | 5 |     a\nimport time: cached | cached | b\nimport time: x\n",
        "two_processes": "import time: 5 | 5 |   a\nimport time: self [us] | cumulative | imported package\nimport time: 1 | 1 | b\n",
        "huge": "import time: 99999999999999999999 | 1 | a\nimport time: 9223372036854775 | 1 | b\n"
                "import time: 9223372036854775 | 1 | b\n",
    },
    "lightning_reader_fuzz": {
        "simple": "FIT Profiler Report\n\n-----\n|  Action \t|  Mean duration (s)\t|  Num calls\t|  Total time (s)\t|  Percentage % \t|\n"
                  "-----\n|  Total\t|  -\t|  9\t|  0.4\t|  100 %\t|\n|  a|b{'x': 1}\t|  4.5e-05\t|  3\t|  0.1\t|  25\t|\n",
        "short": "Profiler Report\n\nAction \t|  Mean duration (s)\t|  Total time (s) \n---\nx \t|  0.5 \t|  1e400 \nx \t|  1 \t|  2\n",
        "advanced": "Profile stats for: a rank: 0\n   7 function calls in 0.000 seconds\n\n"
                    "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
                    "      3/2    0.010    0.003    0.020    0.010 contextlib.py:141(__exit__)\n"
                    "        1    0.000    0.000    0.001    0.001 {built-in method builtins.next}\n"
                    "        0    0.000             0.000          C:\\x.py:7(<lambda>)\n        1    0.0 bad\n\n",
    },
    "perf_script_reader_fuzz": {
        "chains": "# comment\npt main 12/13 [000] 5.1: 250 cpu-clock:u: \n\t 7f f+0x1 (/bin/x)\n\t 0 [unknown] ([unknown])\n\n"
                  "a 1 5.2: 250 cpu-clock:u: \n\t 7f py::g:/x.py+0x5 (/tmp/perf-1.map)\n\nb 2 6.0: 1 cycles: \n\t1 h (inlined)\n",
        "no_chains": "a 12 5.1: cycles:  7f f(int (*)())+0x1 (/bin/x (y))\na 12 5.1: cycles:\n\n",
        "bad": "a 1 1.0: 5 cycles: \n\tnonsense\nheader\n\t10 f (x)\n\t10 f\n\t10 )\n",
        "flat": "      my tool 12 5.1:  250 cpu-clock:  7f f+0x1 (/bin/x)\n      my tool 12 5.2:  250 cpu-clock:  7f f\n",
        "fewer_fields": "my tool 12 \n\t            e29b f\n\t              1 [unknown]\n\n7 \n\t            e29b g\n\n",
        "other_records": "a 0 0.0: PERF_RECORD_COMM: a:1/1\na 1 1.5: 2 cycles: \n\t            e29b f+0x6 (/x)\n  x.h:48\n insn: 8b\n",
    },
    "pyinstrument_reader_fuzz": {
        "json": '{"start_time": 1.5, "sample_count": 2, "root_frame": {"function": "a", "file_path": "x.py", "line_no": 1, '
                '"time": 1.5, "children": [{"function": "b", "time": 2, "children": []}, {"time": -1}]}}',
        "session": '{"sample_count": 2, "frame_records": [[["M\\u0000<thread>\\u00007", "a\\u0000x.py\\u00001\\u0001l5"], 0.5], '
                   '[["a", "b"], 1e99], [[], 1], 5]}',
        "none": '{"sample_count": 0, "root_frame": null}', "cut": '{"root_frame": {"function": "a", "children": [{"fun',
        "deep": '{"root_frame": ' + '{"time": 1, "children": [' * 300,
    },
    "speedscope_reader_fuzz": {
        "evented": '{"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "x", "profiles": [{"type": '
                   '"evented", "name": "t", "unit": "seconds", "endValue": 9, "events": [{"type": "O", "frame": 0, "at": 1.5}, '
                   '{"type": "O", "frame": 1, "at": 2}, {"type": "C", "frame": 0, "at": 3}, {"type": "C", "frame": 1, "at": 1}, '
                   '{"type": "O", "frame": 9, "at": 4}]}], ' + SPEEDSCOPE_FRAMES + "}",
        "sampled": '{"profiles": [{"type": "sampled", "unit": "none", "samples": [[0], [0, 1], [], ["x"]], "weights": '
                   '[1, 2.5, 3, -1, 7]}, {"type": "sampled", "unit": "bytes", "samples": [[0]]}], ' + SPEEDSCOPE_FRAMES + "}",
        "unit_last": '{"profiles": [{"events": [{"type": "O", "frame": 0, "at": 1}, {"type": "C", "frame": 0, "at": 3}], '
                     '"unit": "microseconds"}], ' + SPEEDSCOPE_FRAMES + "}",
        "python_json": '[NaN, Infinity, -Infinity, 1e5, "\\ud83d\\ude00\\u0000", true, false, null, {"a": {}}]',
        "cut": '{"profiles": [{"type": "sampled", "unit": "none", "samples": [[0], [0, ', "no_object": "[[1]]",
        "deep": "[" * 3000,
    },
}

# A target, then headers.
REQUESTS = {
    "plain": "/api/v1/profiles?view=steps&q=a%20b+c&flag\nhost:localhost:6006\naccept-encoding:gzip",
    "token": "/p/x?token=0123456789abcdef&a=1\nhost:127.0.0.1",
    "cookie": "/\nhost:[::1]:6006\ncookie:a=b; c=0123456789abcdef\norigin:http://[::1]:6006",
    "bearer": "/\nhost:10.0.0.1\nauthorization:Bearer 0123456789abcdef\nsec-fetch-site:same-origin",
    "absolute": "http://localhost:6006/caf%C3%A9/\nhost:localhost",
    "traversal": "/%2e%2e/..%2f\nhost:localhost",
    "rebound": "/\nhost:evil.example\norigin:http://evil.example",
    "range": "/\nhost:localhost\nrange:bytes=10-19\nif-range:\"x\"\naccept-encoding:gzip;q=0, *",
    "suffix": "/\nrange:bytes=-5\nif-none-match:W/\"x\", *",
}

# The bytes of a connection.
CONNECTION_START = "POST /api/v1/profiles/x/query?a=%20b HTTP/1.1\r\nHost: localhost:6006\r\n"
CONNECTIONS = {
    "get": "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "two": "GET /a HTTP/1.1\r\nHost: [::1]\r\n\r\n" + CONNECTION_START + "Content-Length: 4\r\n\r\nbodyGET",
    "old": "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n",
    "continue": CONNECTION_START + "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello",
    "chunks": CONNECTION_START + "Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nA: b\r\n\r\n",
    "long_trailer": CONNECTION_START + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: " + "b" * 3000 + "\r\n\r\n",
    "coding": CONNECTION_START + "Transfer-Encoding: gzip, chunked\r\n\r\n",
    "both": CONNECTION_START + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc",
    "lengths": CONNECTION_START + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
    "huge_length": CONNECTION_START + "Content-Length: 18446744073709551615\r\n\r\n",
    "long_header": "GET / HTTP/1.1\r\nX: " + "a" * 3000,
    "folded": "GET / HTTP/1.1\r\nX: a\r\n b\r\nHost: localhost\r\n\r\n",
    "bare": "GET / HTTP/1.1\nHost: localhost\n\n", "blank": "\r\n\r\n\r\n", "http2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
}


def region_seeds():
    """A recorder's region (src/record/FORMAT.md): header and chunks, each as two bytes of length and what it begins with."""
    def part(data):
        return struct.pack("<H", len(data)) + data

    def header(layout=1, state=1, pairs=((1000, 10 ** 18), (2000, 10 ** 18 + 1000)), rate=1e9, held=0):
        head = struct.pack("<8sIIIIQQq", b"TLTALE01", layout, 65536, 65536, state, 77, 1234, 10 ** 18)
        head += struct.pack("<iiiIIId", 0, 0, 1, 2, 1, len(pairs), rate) + struct.pack("<QQQQQ", 3, held, 0, 0, 1500)
        head = (head + b"python\0").ljust(256, b"\0")
        return part(head + b"".join(struct.pack("<Qq", *pair) for pair in pairs))

    def record(kind, body=b"", name=0, flags=0, words=None):
        body += b"\0" * (-len(body) % 8)
        return struct.pack("<BBHI", kind, flags, words or 1 + len(body) // 8, name) + body

    def chunk(serial, lane, records, state=1, committed=None, thread=99, released=0):
        data = b"".join(records)
        head = struct.pack("<QIIQIIQq", serial, state, lane, thread, len(data) if committed is None else committed, 1, 1000, 10 ** 18)
        return part((head + b"main").ljust(64, b"\0") + struct.pack("<QQ", released, 0).ljust(64, b"\0") + data)

    names = chunk(1, 3, [record(1, struct.pack("<Q", 4) + b"loss", 1), record(1, struct.pack("<Q", 7) + b"forward", 2)], thread=0)
    scalar = record(2, struct.pack("<Qdq", 1500, 0.25, 3), 1)
    text = record(3, struct.pack("<QqQ", 1600, 4, 5) + b"hello", 1)
    durable = [scalar, text, record(4, struct.pack("<QqQ", 1600, 4, 3) + b"\x0a\x01x", 1, 1),
               record(5, struct.pack("<QqQ", 1600, -2 ** 63, 2) + b"{}", 1), record(11, struct.pack("<QqQq", 1700, 4, 1500, -1)),
               record(3, struct.pack("<QqQ", 1600, 4, 16) + struct.pack("<QQ", 1, 99), 1, 2)]
    spans = [record(6, struct.pack("<Q", 1200), 2), record(8, struct.pack("<Q", 1250), 2), record(9, struct.pack("<Qd", 1260, 2.0), 2),
             record(10, struct.pack("<Qq", 1270, 4)), record(13, struct.pack("<QQ", 100, 2) + b"loader".ljust(16, b"\0")),
             record(12, struct.pack("<Q", 1280)), record(7, struct.pack("<Q", 1300))]
    return {
        "all_kinds": header() + names + chunk(2, 1, durable) + chunk(3, 2, spans),
        "sealed": header(state=2) + names + chunk(3, 1, durable, state=2) + chunk(2, 2, spans, state=2),
        "released": header() + names + chunk(3, 1, durable, state=2, released=3) + chunk(2, 2, spans, released=2),
        "no_names": header() + chunk(2, 1, durable),
        "names_held": header(held=65536) + chunk(2, 1, durable),
        "committed_too_far": header() + names + chunk(2, 1, [scalar], committed=0xffffffff),
        "torn": header() + names + chunk(2, 1, [scalar, text], committed=48),
        "no_words": header() + names + chunk(2, 1, [scalar, b"\0" * 64]),
        "short_record": header() + names + chunk(2, 1, [scalar, record(2, b"\0" * 8, 1)]),
        "long_text": header() + names + chunk(2, 1, [record(3, struct.pack("<QqQ", 1, 1, 2 ** 63) + b"x", 1)]),
        "unknown_kind": header() + names + chunk(2, 1, [scalar, record(99, b"\0" * 8)]),
        "unknown_lane": header() + chunk(2, 77, [scalar]),
        "large_name": header() + chunk(1, 3, [record(1, struct.pack("<Q", 4) + b"loss", 0xffffffff)]),
        "same_serial": header() + names + chunk(2, 1, [scalar]) + chunk(2, 1, [scalar]),
        "clock_set": header(pairs=((1000, 10 ** 18), (2000, 0), (1500, 2 ** 63 - 1))) + names + chunk(2, 1, durable),
        "no_rate": header(rate=float("nan"), pairs=()) + names + chunk(2, 1, durable),
        "other_layout": header(layout=2) + names, "no_chunks": header(), "empty": b"",
    }


def call_seeds():
    """The calls of a process (src/record/CALLS.md): header and extents, each as two bytes of length and what it begins with."""
    def part(data):
        return struct.pack("<H", len(data)) + data

    def header(layout=1, state=2, nodes=5, functions=4, rate=1e9, kinds=b"\0\2\1", extents=3):
        return part(struct.pack("<8s6I2QqQdQ", b"TLCALL01", layout, 1 << 20, state, extents, nodes, functions, 77, 1000, 10 ** 18, 2000, rate, 3)
                    + kinds)

    def function(kind, file, line, name, size=None, extra=0):
        size = size or (32 + len(file) + len(name) + 7) // 8 * 8
        return (struct.pack("<2Ii3IQ", size, kind, line, len(file), len(name), 0, extra) + file + name).ljust(size if size < 4096 else 64, b"\0")

    def node(parent, function, calls, ticks, entered=0):
        return struct.pack("<2I3Q32x", parent, function, calls, ticks, entered)

    functions = [function(1, b"", 0, b"MainThread"), function(2, b"a.py", 3, b"main"), function(3, b"", 0, b"<built-in method len>", extra=2),
                 function(4, b"", 0, b"forward")]
    nodes = [node(0, 0, 0, 0), node(1, 1, 1, 900), node(2, 3, 1, 500), node(3, 2, 4, 100), node(3, 3, 1, 10, 1500)]
    file = part(b"".join(functions)) + part(b"".join(nodes))
    return {
        "all_kinds": header() + file, "open": header(state=1) + file, "no_rate": header(rate=float("nan")) + file,
        "swapped": header(kinds=b"\0\1\2") + file, "many": header(nodes=2 ** 32 - 1, functions=2 ** 32 - 1, extents=2 ** 32 - 1) + file,
        "own_parent": header() + part(b"".join(functions)) + part(node(0, 0, 0, 0) + node(2, 1, 1, 1) + node(9, 1, 1, 1) + node(1, 99, 1, 1)),
        "long_name": header() + part(function(2, b"a", 1, b"b", size=2 ** 31)) + part(b"".join(nodes)),
        "saturates": header(rate=1e4) + part(b"".join(functions)) + part(b"".join(node(p, 1, 2 ** 64 - 1, 2 ** 64 - 1) for p in range(5))),
        "other_layout": header(layout=9) + file, "empty": b"",
    }


def main():
    packed_gzip, packed_zstd = compressed_seeds()
    # Small numbers cut in the middle of everything; the larger ones leave events whole.
    write("kineto_json_reader_fuzz", JSON, (0, 5, 40, 200))
    write("perfetto_reader_fuzz", perfetto_seeds(), (0, 5, 40, 200))
    write("memory_timeline_reader_fuzz", MEMORY_TIMELINES, (0, 5, 40))
    write("memory_snapshot_reader_fuzz", MEMORY_SNAPSHOTS, (0, 5, 40))
    write("io_gzip_fuzz", packed_gzip, (0, 3, 255))
    write("io_zstd_fuzz", packed_zstd, (0, 3, 255))
    write("server_request_fuzz", REQUESTS, (0, 1, 2))
    write("server_stream_fuzz", CONNECTIONS, (0, 7, 255))
    write("pstats_reader_fuzz", pstats_seeds(), (0, 6, 255))
    write("tfevents_reader_fuzz", tfevents_seeds(), (0, 6, 40, 255))
    write("collect_region_reader_fuzz", region_seeds(), (0,))
    write("collect_call_reader_fuzz", call_seeds(), (0, 90))
    for target, seeds in {**FUNCTIONS, "pprof_reader_fuzz": pprof_seeds(), "samples_reader_fuzz": samples_seeds()}.items():
        write(target, seeds, (0, 5, 255))


if __name__ == "__main__":
    main()
