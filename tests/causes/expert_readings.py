# SPDX-License-Identifier: Apache-2.0
"""What an expert reads in each sample trace, as expectations that known_cases.py compares with the program's answer.

The evidence for each is in docs/known_cases.md. Names are patterns, since there is more than one good word for a cause;
savings are ranges in milliseconds of an average step (of the whole trace where no step is marked). A range is narrow
where the trace leaves no choice (a call that took that long while everything waited), and wide where a person would
stop at "between" (launch overhead of a hundred small kernels, of which Python is a part).
"""

HOST = r"launch|host|[Pp]ython|between|outside|no operator|operators"
NOTHING_RECORDED = r"nothing|not recorded|unrecorded|outside|between|host|[Pp]ython|no operator"
NOT_IN_CAPTURE = (r"untraced|not (in|shown|captured|recorded|traced)|unknown|unexplained|busy with|"
                  r"before the (capture|window)")
COMMUNICATION = r"nccl|rccl|all_?[Rr]educe|[Cc]ommunicat|[Cc]ollective|gloo"


class Reading:
    """`first`: pattern of the first cause's name, None where nothing may be claimed to be it. `saving_ms`: its range.
    `unknown_saving`: null is as good. `also`: a pattern that one of the further causes matches. `tuned`: no advice of
    severity high, and no cause above 5 % of the step. `no_high`: no advice of severity high. `says`, `never`: patterns
    of the sentence."""

    def __init__(self, expert, first=None, saving_ms=None, *, unknown_saving=False, also=None, tuned=False,
                 no_high=False, says=None, never=None):
        self.expert = expert
        self.first, self.saving_ms, self.unknown_saving, self.also = first, saving_ms, unknown_saving, also
        self.tuned, self.no_high, self.says, self.never = tuned, no_high or tuned, says, never


def start_up(first, saving_ms, seconds):
    return Reading(f"first calls: {first} loads the device's software, {seconds}", first, saving_ms)


def items_in_the_main_process(share, saving_ms):
    return Reading(f"the DataLoader in the main process, 64 × __getitem__ (mnist.py:26): {share}", "DataLoader",
                   saving_ms)


BACKWARD_ELSEWHERE = Reading("34 ms in `## backward ##` with nothing inside: its thread is not in the file",
                             "## backward ##", (30, 35), unknown_saving=True)
UNDECIDABLE = Reading("cut by hand; no cause can be told")

READINGS = {
    "traces/TraceLens/h100/Falconsai_nsfw_image_detection__1016002.json.gz":
        Reading("inference of one image; the host launches 154 kernels of 8 µs one by one, GPU busy 16 %",
                HOST + r"|modeling_vit|nn\.Module", (2, 6.7), never="convergence"),
    "traces/TraceLens/h100/gaunernst_bert-small-uncased__1016001.json.gz":
        Reading("inference; the host launches 60 kernels of 5 µs one by one, GPU busy 7 %",
                HOST + r"|modeling_bert|nn\.Module", (1.2, 4.1), never="convergence"),
    "traces/TraceLens/h100/facebook_timesformer-base-finetuned-k400__1016002.json.gz":
        Reading("the video is decoded and normalised on the CPU before the GPU gets anything: 218 ms",
                r"preprocess|normalize|read_video|video_classification|run_on_input|[Pp]ython", (90, 222)),
    "traces/TraceLens/h100/google_owlv2-large-patch14-ensemble__1016001.json.gz":
        Reading("the DataLoader resizes images with scipy in the main process: 619 ms", "DataLoader", (595, 625)),
    "traces/TraceLens/inference/sglang_decode/capture_traces/bs_32_rank0.json.gz":
        Reading("a graph is captured, once; host work, no step to speed up", no_high=True, says="captur"),
    "traces/TraceLens/inference/vllm_decode_full/capture_traces/"
    "graph_capture_rank_0.1773709742341309550.pt.trace.json.gz":
        Reading("a graph is captured, once; host work, no step to speed up", no_high=True, says="captur"),
    "traces/TraceLens/inference/sglang_decode/sglang_Qwen3-8B_decode.json.gz":
        Reading("work launched 0.04 ms into a gap began 463 ms later: the device did something that is not in the file",
                NOT_IN_CAPTURE, (455, 464), never="had not launched|not yet launched"),
    "traces/TraceLens/inference/vllm_decode_full/graph_execution.json.gz":
        Reading("the first copy waited 7.8 ms for a device that did something not in the file; then busy throughout",
                NOT_IN_CAPTURE, (6, 8.4), unknown_saving=True, never="had not launched|not yet launched"),
    "traces/TraceLens/mi210/gpu_only_trace/gpu_only_trace.json.gz":
        Reading("GPU busy 89 %; the rest are launches that came late, at most 0.68 ms", HOST, (0.3, 0.75),
                no_high=True),
    "traces/TraceLens/mi300/Falconsai_nsfw_image_detection__1016002.json.gz":
        Reading("inference of one image; 155 short kernels launched one by one, GPU busy 23 %",
                HOST + r"|modeling_vit|nn\.Module", (2, 5.8), never="convergence|CUDA graph"),
    "traces/TraceLens/mi300/gaunernst_bert-small-uncased__1016001.json.gz":
        Reading("inference; 60 short kernels launched one by one, GPU busy 10 %",
                HOST + r"|modeling_bert|nn\.Module", (1.2, 3.7), never="convergence|CUDA graph"),
    "traces/TraceLens/mi300/resnet_act_checkpoint.json.gz":
        Reading("two all-reduces of 6 and 18 MB take 15.6 ms, 11.8 exposed: waiting, not bytes", COMMUNICATION,
                (9, 12.5), unknown_saving=True),
    "traces/TraceLens/perf_model/normalization/normalization_layer_test.json.gz":
        start_up("hipLaunchKernel", (1000, 1100), "1.09 of 1.18 s"),
    "traces/TraceLens/torch_compile_triton/trace.json.gz":
        Reading("GPU busy 97 % with matrix products and attention", tuned=True),
    "traces/hta/amd_trace/mi250_minitoy_train_ROCm6_2_kineto.json.gz":
        start_up("hipLaunchKernel", (6.3, 6.7), "6.5 of 9.3 ms in one call"),
    "traces/hta/call_stack/backward_thread.json": UNDECIDABLE,
    "traces/hta/cpu_only/rank-34.Jul_15_10_52_41.1074.pt.trace.json.gz":
        Reading("gloo:all_reduce for the whole step; one rank of 300 cannot tell whom it waits for", COMMUNICATION,
                (0, 210.2), unknown_saving=True),
    "traces/hta/critical_path/alexnet/benchmark_result_2869224_1695835535_trace.json.gz":
        Reading("the first CUDA call starts the driver: 29.9 of 43.4 s; then cudaFree, 6.6 s",
                "cudaDeviceGetStreamPriorityRange", (29000, 30500), also="cudaFree"),
    "traces/hta/critical_path/cuda_event_sync/event_sync_trace.json.gz":
        Reading("one allocation in aten::empty: 2.19 of 3.15 ms", r"aten::(empty|ones)|alloc", (2.0, 2.3)),
    "traces/hta/critical_path/cuda_event_sync_multi_stream/event_sync_trace.json.gz":
        Reading("18.7 of 19.9 ms between two products with nothing recorded", NOTHING_RECORDED, (18, 19.2)),
    "traces/hta/critical_path/simple_add/benchmark_result_493459_1694039959_trace.json.gz":
        Reading("the first CUDA call starts the driver: 24.6 of 41.6 s; then cudaFree, 8.3 s",
                "cudaDeviceGetStreamPriorityRange", (24000, 25200), also="cudaFree"),
    "traces/hta/critical_path/end_to_end/simple_add/output/overlaid_critical_path_trace.json.gz":
        Reading("as simple_add", "cudaDeviceGetStreamPriorityRange", (24000, 25200), also="cudaFree"),
    "traces/hta/execution_trace/benchmark_simple_add_trace.json.gz":
        Reading("the first CUDA call starts the driver: 19.6 of 19.8 s", "cudaDeviceGetStreamPriorityRange",
                (19400, 19700)),
    "traces/hta/distributed_info_unavailable/distributed_info_not_found.json.gz":
        BACKWARD_ELSEWHERE,
    "traces/hta/mixed_files/rank_non_gpu.json.gz":
        BACKWARD_ELSEWHERE,
    "traces/hta/rank_unavailable/rank_not_found.json.gz":
        BACKWARD_ELSEWHERE,
    "traces/hta/mtia_inference_trace/mtia_inference_rank_0.json.gz":
        Reading("a server with 38 requests side by side; a window, not a step", never=r"prof\.step|convergence"),
    "traces/hta/nccl_parser_config/nccl_data.json.gz":
        Reading("the host cannot keep up: GPU busy 24 %; 39 ms of it copy 159 buffers for DDP's broadcast",
                HOST + "|DistributedDataParallel|broadcast|buffers", (30, 172)),
    "traces/hta/ns_resolution_trace/rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz":
        Reading("GPU busy 98 %: convolutions and batch norms in fp32", tuned=True),
    "traces/hta/trace_filter/sampled_rank-0.json.gz":
        Reading("a sample of the events of a step; gaps in it prove nothing"),
    "traces/hta/trace_filter/sampled_rank-1.json.gz":
        Reading("a sample of the events of a step; gaps in it prove nothing"),
    "traces/hta/trace_compare/base/base.json.gz": UNDECIDABLE,
    "traces/hta/trace_compare/test/test.json.gz": UNDECIDABLE,
    "traces/hta/trace_file_list/inference_rank_1.json.gz":
        start_up("cudaLaunchKernel", (1.38, 1.46), "1.41 of 1.64 ms in one call"),
    "traces/hta/triton_example/triton_example.json.gz":
        Reading("13.3 s after the one kernel with nothing recorded", NOTHING_RECORDED, (13200, 13337)),
    "traces/kineto/old_branches/samples/resnet50_autograd_api_num_workers_0/worker0.pt.trace.json.gz":
        Reading("first calls: one cudaLaunchKernel of 1.57 s, cudaEventCreateWithFlags 0.72, cudaFree 0.66, "
                "cudaStreamCreateWithFlags 0.56; then the DataLoader 0.27 s of 5.3",
                "cudaLaunchKernel", (1400, 1760), also="cudaEventCreateWithFlags|cudaFree"),
    "traces/kineto/old_branches/samples/resnet50_num_workers_0/worker0.pt.trace.json.gz":
        Reading("the GPU waits 31 ms a step for the DataLoader in the main process", "DataLoader", (28, 34)),
    "traces/kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz":
        Reading("the GPU waits 59 ms a step for the DataLoader in the main process", "DataLoader", (55, 62)),
    "traces/kineto/tb_plugin/samples/resnet50_num_workers_0/worker0.1623143566756.pt.trace.json.gz":
        Reading("the GPU waits 35 ms a step for the DataLoader in the main process", "DataLoader", (32, 38)),
    "traces/kineto/tb_plugin/test/gpu_metrics_input.json":
        Reading("a toy: 32 kernels of 2 µs, the host takes all 13.4 ms", HOST, (3, 13.4)),
    "traces/kineto/tb_plugin/test/gpu_metrics_expected.json":
        Reading("a toy: 32 kernels of 2 µs, the host takes all 13.4 ms", HOST, (3, 13.4)),
    "torch/ddp2/rank0.1794776023547599540.pt.trace.json torch/ddp2/rank1.1794776023561680264.pt.trace.json":
        Reading("rank 1 sleeps 40 ms a step in artificial_delay; rank 0 waits", "artificial_delay", (38, 42),
                says="artificial_delay"),
    "torch/ddp2/rank0.1794776023547599540.pt.trace.json":
        Reading("waits 44 ms a step in gloo:all_reduce for a rank that is not in the file", COMMUNICATION + "|rank",
                (40, 46), unknown_saving=True),
    "torch/ddp2/rank1.1794776023561680264.pt.trace.json":
        Reading("sleeps 40 ms a step in artificial_delay", "artificial_delay", (39, 41)),
    "torch/vae_mnist_w0/worker0.1794775984329300500.pt.trace.json.gz":
        items_in_the_main_process("6.4 of 17.5 ms", (6.0, 6.7)),
    "torch/vae_mnist_w0/worker0.1794775986310569485.pt.trace.json.gz":
        items_in_the_main_process("2.7 of 9.1 ms", (2.5, 2.9)),
    "torch/vae_mnist_w0_verbose_gz/worker0.1794775993043351619.pt.trace.json.gz":
        items_in_the_main_process("5.9 of 17.1 ms", (5.5, 6.2)),
    "torch/vae_mnist_w0_verbose_gz/worker0.1794775995938599446.pt.trace.json.gz":
        items_in_the_main_process("3.9 of 11.7 ms", (3.6, 4.1)),
    "torch/vae_mnist_w2_gz/worker0.1794776004266748672.pt.trace.json.gz":
        Reading("waits for two DataLoader workers: 10.5 of 26 ms", "DataLoader", (10, 11)),
    "torch/vae_mnist_w2_gz/worker0.1794776005777476670.pt.trace.json.gz":
        Reading("waits for two DataLoader workers: 3.4 of 11.5 ms", "DataLoader", (3.2, 3.6)),
    "torch/transformer/transformer.trace.json.gz":
        Reading("on the CPU; Python takes 24 of 64 ms, 9.3 of it in the unfused AdamW",
                r"[Aa]dam|Optimizer|transformer\.py|" + HOST, (6, 25)),
    "torch/threads4/all_threads.trace.json.gz":
        Reading("the main thread waits for its four threads, which compute; nothing to save there", saving_ms=(0, 3.2)),
    "torch/threads4/all_threads_stack.trace.json.gz":
        Reading("the main thread waits for its four threads, which compute; nothing to save there", saving_ms=(0, 14)),
    "torch/threads4/default.trace.json.gz":
        Reading("`main/join`: waits for threads that are not in the file", "main/join", (0, 25.3), unknown_saving=True),
    "torch/threads4/default_stack.trace.json.gz":
        Reading("`main/join`: waits for threads that are not in the file", r"main/join|threads\.py", (0, 18.3),
                unknown_saving=True),
    "torch/resnet18_infer/resnet18.trace.json":
        Reading("computes on the CPU: convolutions, 97 % in operators", tuned=True),
    "torch/resnet18_infer/resnet18.pyexport.trace.json.gz":
        Reading("computes on the CPU: convolutions, 97 % in operators", tuned=True),
    "torch/resnet18_infer/resnet18_mem.trace.json":
        Reading("computes on the CPU: convolutions, 98 % in operators", tuned=True),
    "torch/resnet18_infer/resnet18_mem.pyexport.trace.json.gz":
        Reading("computes on the CPU: convolutions, 98 % in operators", tuned=True),
    "torch/resnet18_infer/resnet18.eventlist.trace.json": Reading("events without categories: nothing to measure"),
    "torch/resnet18_infer/resnet18_mem.eventlist.trace.json": Reading("events without categories: nothing to measure"),
    "torch/exceptions/caught.trace.json": Reading("a test of 10 ms that mostly computes", no_high=True),
    "torch/exceptions/legacy_no_kineto.trace.json": Reading("a test of 2 ms that mostly computes", no_high=True),
    "torch/exceptions/escaped.trace.json": Reading("a test of 0.3 ms"),
    "torch/exceptions/left_open.trace.json": Reading("a test of 0.3 ms"),
}

# Where the answer is known to differ, and why.
LIMITS = {
    "traces/hta/nccl_parser_config/nccl_data.json.gz":
        "no sync events: replayed without launching, streams run side by side that in truth wait for each other",
}
