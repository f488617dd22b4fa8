// SPDX-License-Identifier: Apache-2.0
//
// What the simulated machine does: the steps of a data-parallel transformer training, in the order
// PyTorch would do them. Durations come from trace_model.h.

#ifndef TESTS_GENERATORS_TRACE_TRAINING_H_
#define TESTS_GENERATORS_TRACE_TRAINING_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "trace_machine.h"
#include "trace_model.h"
#include "trace_options.h"

namespace generator {

// One training step after another: load a batch, forward, backward, optimizer.
class Training : public Machine {
 public:
  using Machine::Machine;

  // `collective_ends_ns` are those of the slowest rank in the same step, or null for that rank
  // itself.
  void RunStep(int step, StepBuffer& buffer, const std::vector<int64_t>* collective_ends_ns);

 private:
  // The model's forward functions; each saves what its backward needs.
  enum class Function {
    kAddmmHidden,
    kAddmmUp,
    kAddmmDown,
    kT,
    kView,
    kTranspose,
    kFlash,
    kDropout,
    kAdd,
    kGelu,
    kNorm,
    kHead,
    kSoftmax,
    kNll,
    kEmbedding
  };
  struct Saved {
    Function function;
    Link link;
    Allocation allocation;
    bool last_of_layer = false;
  };
  Link Save(Function function) {
    Link link{++sequence_, ++flow_id_, Flow::kForward, 0};
    saved_.push_back({function, link, {}, false});
    saved_.back().link.flow = Flow::kBackward;
    saved_.back().link.forward_thread = 1;
    return link;
  }

  // A built-in called under torch.set_default_device: the mode's handler calls it a second time.
  template <typename Body>
  void Dispatch(const PythonSite& site, Body body) {
    Py(site, [&] {
      Py(model_.device_function, [&] {
        PyLeaf(model_.device_constructors);
        Py(site, body);
      });
    });
  }
  // A function of torch.nn.functional under the same mode goes through torch/overrides.py.
  template <typename Body>
  void DispatchFunctional(const PythonSite& site, Body body) {
    if (options_.legacy()) {
      Py(site, [&] {
        PyLeaf(model_.has_torch_function);
        body();
      });
      return;
    }
    Py(site, [&] {
      PyLeaf(model_.has_torch_function);
      Py(model_.handle_torch_function, [&] {
        PyLeaf(model_.overloaded_args);
        PyLeaf(model_.mode_enabled);
        Py(model_.contextlib_helper, [&] { PyLeaf(model_.contextlib_init); });
        Py(model_.contextlib_enter, [&] {
          Py(model_.builtin_next, [&] {
            Py(model_.pop_mode_temporarily,
               [&] { Py(model_.pop_mode, [&] { PyLeaf(model_.pop_stack); }); });
          });
        });
        Py(model_.device_function, [&] {
          Py(site, [&] {
            PyLeaf(model_.has_torch_function);
            body();
          });
        });
        Py(model_.contextlib_exit, [&] {
          Py(model_.builtin_next, [&] {
            Py(model_.pop_mode_temporarily,
               [&] { Py(model_.push_mode, [&] { PyLeaf(model_.push_stack); }); });
          });
        });
      });
    });
  }

  template <typename Body>
  void CallModule(const PythonSite& module, const PythonSite& forward, Body body) {
    Py(module, [&] {
      Py(model_.call_impl, [&] {
        PyLeaf(model_.is_tracing);
        Py(forward, body);
      });
    });
  }
  void Transpose2d() {
    Op(model_.t, Save(Function::kT),
       [&] { Op(model_.transpose2d, [&] { OpLeaf(model_.as_strided); }); });
  }
  void Linear(const PythonSite& module, const OpSite& linear, const OpSite& addmm,
              const DeviceSite& gemm, Function function, int64_t output_bytes) {
    PyLeaf(model_.get_attribute);
    CallModule(module, model_.linear_forward, [&] {
      PyLeaf(model_.get_attribute, 2);
      Dispatch(model_.builtin_linear, [&] {
        Op(linear, [&] {
          Transpose2d();
          Op(addmm, Save(function), [&] {
            saved_.back().allocation = Allocate(output_bytes);
            LaunchGemm(gemm);
          });
          OpLeaf(model_.view);
        });
      });
    });
  }
  void View() {
    Dispatch(model_.tensor_view, [&] { Op(model_.view, Save(Function::kView), [] {}); });
  }
  void SplitHeads() {
    View();
    Dispatch(model_.tensor_transpose, [&] {
      Op(model_.transpose4d, Save(Function::kTranspose), [&] { OpLeaf(model_.as_strided); });
    });
  }
  void Norm(const PythonSite& module) {
    PyLeaf(model_.get_attribute);
    CallModule(module, model_.norm_forward, [&] {
      PyLeaf(model_.get_attribute, 2);
      DispatchFunctional(model_.functional_norm, [&] {
        Py(model_.builtin_norm, [&] {
          Op(model_.layer_norm, [&] {
            Op(model_.native_layer_norm, Save(Function::kNorm), [&] {
              saved_.back().allocation = AllocateIn(model_.empty, model_.activation_bytes);
              LaunchKernel(model_.layer_norm_kernel);
            });
          });
        });
      });
    });
  }
  void Dropout(const PythonSite& module) {
    PyLeaf(model_.get_attribute);
    CallModule(module, model_.dropout_forward, [&] {
      DispatchFunctional(model_.functional_dropout, [&] {
        Py(model_.builtin_dropout, [&] {
          Op(model_.dropout, [&] {
            Op(model_.native_dropout, Save(Function::kDropout), [&] {
              OpLeaf(model_.empty_like);
              saved_.back().allocation = Allocate(model_.activation_bytes);
              Api(model_.stream_is_capturing);
              LaunchKernel(model_.dropout_kernel);
            });
          });
        });
      });
    });
  }
  void ResidualAdd() {
    Op(model_.add, Save(Function::kAdd), [&] {
      saved_.back().allocation = Allocate(model_.activation_bytes);
      LaunchKernel(model_.add_kernel);
    });
  }
  void Gelu(const PythonSite& module) {
    PyLeaf(model_.get_attribute);
    if (options_.legacy() || !options_.gpu) {
      CallModule(module, model_.gelu_forward, [&] {
        Py(model_.builtin_gelu, [&] {
          Op(model_.gelu, Save(Function::kGelu), [&] {
            saved_.back().allocation = Allocate(model_.feed_forward_bytes);
            LaunchKernel(model_.gelu_kernel);
          });
        });
      });
      return;
    }
    CallModule(module, model_.dynamo_eval, [&] {  // a compiled region
      PyLeaf(model_.builtin_getattr, 4);
      Py(model_.contextlib_enter, [&] { PyLeaf(model_.builtin_next); });
      Py(model_.runtime_wrapper, [&] {
        PyLeaf(model_.builtin_isinstance, 5);
        Py(model_.compiled_call, [&] {
          Py(model_.compiled_graph, [&] {
            PyLeaf(model_.builtin_isinstance, 2);
            Py(model_.triton_run, [&] {
              PyLeaf(model_.builtin_getattr, 2);
              Py(model_.triton_launcher, [&] {
                Op(model_.triton_gelu, Save(Function::kGelu), [&] {
                  saved_.back().allocation = Allocate(model_.feed_forward_bytes);
                  Launch(model_.cu_launch_kernel, model_.triton_gelu_kernel);
                });
              });
            });
          });
        });
      });
      Py(model_.contextlib_exit, [&] { PyLeaf(model_.builtin_next); });
    });
  }
  void Attention(const Model::Block& block) {
    PyLeaf(model_.get_attribute);
    CallModule(block.attention, model_.attention_forward, [&] {
      for (int i = 0; i < 3; ++i) Dispatch(model_.tensor_size, [] {});
      for (const PythonSite* projection : {&block.query, &block.key, &block.value}) {
        Linear(*projection, model_.linear, model_.addmm, model_.gemm_hidden, Function::kAddmmHidden,
               model_.activation_bytes);
        SplitHeads();
      }
      PyLeaf(model_.builtin_isinstance, 3);
      Dispatch(model_.builtin_sdpa, [&] {
        Op(model_.sdpa, [&] {
          Op(model_.flash_attention, Save(Function::kFlash), [&] {
            OpLeaf(model_.empty_like);
            saved_.back().allocation = Allocate(model_.activation_bytes);
            if (options_.legacy()) Api(model_.func_set_attribute);
            LaunchKernel(model_.flash_kernel);
          });
        });
      });
      Dispatch(model_.tensor_transpose, [&] {
        Op(model_.transpose4d, Save(Function::kTranspose), [&] { OpLeaf(model_.as_strided); });
      });
      Dispatch(model_.tensor_contiguous, [&] {
        Op(model_.contiguous, [&] {
          Op(model_.clone, [&] {
            const Allocation copy = AllocateIn(model_.empty_like, model_.activation_bytes);
            Op(model_.copy_, [&] { LaunchKernel(model_.copy_kernel); });
            Free(copy);
          });
        });
      });
      View();
      Linear(block.projection, model_.linear, model_.addmm, model_.gemm_hidden,
             Function::kAddmmHidden, model_.activation_bytes);
      Dropout(block.dropout1);
    });
  }
  void Block(const Model::Block& block) {
    CallModule(block.block, model_.block_forward, [&] {
      PyLeaf(model_.builtin_isinstance, 4);
      PyLeaf(model_.builtin_hasattr, 3);
      for (int i = 0; i < 6; ++i) {  // keyword arguments checked by the library's decorators
        Py(model_.check_arguments, [&] {
          PyLeaf(model_.dict_get, 4);
          PyLeaf(model_.builtin_isinstance, 5);
        });
      }
      Norm(block.norm1);
      saved_.back().last_of_layer = true;
      Attention(block);
      ResidualAdd();
      Norm(block.norm2);
      PyLeaf(model_.get_attribute);
      CallModule(block.mlp, model_.mlp_forward, [&] {
        Linear(block.up, model_.linear_ff, model_.addmm_up, model_.gemm_up, Function::kAddmmUp,
               model_.feed_forward_bytes);
        Gelu(block.gelu);
        Linear(block.down, model_.linear_down, model_.addmm_down, model_.gemm_down,
               Function::kAddmmDown, model_.activation_bytes);
        Dropout(block.dropout2);
      });
      ResidualAdd();
      if (options_.scenario == Scenario::kSync) ReadScalar();
    });
  }
  void ReadScalar() {
    Py(model_.tensor_item, [&] {
      Op(model_.item, [&] {
        Op(model_.local_scalar_dense, [&] {
          Launch(model_.memcpy_async, model_.scalar_copy);
          WaitForDevice(model_.stream_synchronize, compute_free_ns_);
        });
      });
    });
  }
  void LoadBatch(int step) {
    // Healthy: the batch is ready. Slow: the workers need some four fifths of the step.
    const int64_t wait_ns = options_.scenario == Scenario::kDataLoader
                                ? 2'600'000LL * model_.layers * 3
                            : step % 11 == 0 ? 900'000
                                             : 60'000;
    const int64_t before_ns = now_ns_;
    Py(model_.loader_next, [&] {
      Op(model_.data_loader_next, [&] {
        Py(model_.next_data, [&] {
          Py(model_.get_data, [&] {
            Py(model_.try_get_data, [&] {
              Py(model_.queue_get, [&] {
                PyLeaf(model_.monotonic, 2);
                Py(model_.condition_wait, [&] { Py(model_.lock_acquire, [&] { Tick(wait_ns); }); });
                PyLeaf(model_.monotonic);
              });
            });
          });
          Py(model_.process_data, [&] {
            Py(model_.try_put_index, [&] {
              PyLeaf(model_.sampler_next);
              PyLeaf(model_.queue_put);
              PyLeaf(model_.builtin_len, 2);
            });
            PyLeaf(model_.builtin_isinstance);
          });
        });
      });
    });
    buffer_->data_loader_ns = now_ns_ - before_ns;
  }
  void CopyBatch() {
    if (!options_.gpu) return;
    for (int i = 0; i < 2; ++i) {
      Dispatch(model_.tensor_to, [&] {
        Op(model_.to, [&] {
          Op(model_.to_copy, [&] {
            batch_.push_back(AllocateIn(model_.empty_strided, model_.tokens * 8));
            Op(model_.copy_, [&] {
              Launch(model_.memcpy_async, model_.input_copy);
              if (options_.scenario == Scenario::kSync) {
                WaitForDevice(model_.stream_synchronize, compute_free_ns_);
              }
            });
          });
        });
      });
    }
  }
  void Forward() {
    const auto transformer = [&] {
      CallModule(model_.transformer_module, model_.model_forward, [&] {
        PyLeaf(model_.get_attribute);
        CallModule(model_.embedding_module, model_.embedding_forward, [&] {
          Dispatch(model_.builtin_embedding, [&] {
            Op(model_.embedding, Save(Function::kEmbedding), [&] {
              saved_.back().last_of_layer = true;
              saved_.back().allocation = AllocateIn(model_.empty, model_.activation_bytes);
              Op(model_.index_select, [&] { LaunchKernel(model_.embedding_kernel); });
            });
          });
        });
        for (const Model::Block& block : model_.blocks) Block(block);
        Norm(model_.final_norm_module);
        CallModule(model_.head_module, model_.linear_forward, [&] {
          Dispatch(model_.builtin_linear, [&] {
            Op(model_.lm_head, [&] {
              Transpose2d();
              Op(model_.matmul_head, Save(Function::kHead), [&] {
                saved_.back().last_of_layer = true;
                saved_.back().allocation = Allocate(model_.tokens * model_.vocabulary * 2);
                LaunchGemm(model_.head_gemm);
              });
            });
          });
        });
      });
    };
    Py(model_.autocast_enter, [&] { PyLeaf(model_.builtin_isinstance, 2); });
    if (options_.distributed()) {
      CallModule(model_.ddp_module, model_.ddp_module_forward, [&] {
        Annotate(model_.ddp_forward, [&] {
          Py(model_.ddp_pre_forward, [&] {
            PyLeaf(model_.builtin_hasattr, 4);
            PyLeaf(model_.builtin_len, 2);
          });
          transformer();
        });
      });
    } else {
      transformer();
    }
    CallModule(model_.loss_module, model_.loss_forward, [&] {
      Py(model_.builtin_cross_entropy, [&] {
        Op(model_.cross_entropy, [&] {
          Op(model_.log_softmax, Save(Function::kSoftmax), [&] {
            saved_.back().allocation = Allocate(model_.tokens * model_.vocabulary * 2);
            LaunchKernel(model_.softmax_kernel);
          });
          Op(model_.nll_loss, Save(Function::kNll), [&] {
            saved_.back().allocation = Allocate(512);
            LaunchKernel(model_.nll_kernel);
          });
        });
      });
    });
    Py(model_.autocast_exit, [&] { PyLeaf(model_.builtin_isinstance); });
  }

  // Backward, on the engine's own thread when there is a device.
  void AccumulateGrad(bool copy_to_bucket) {
    Op(model_.evaluate_accumulate, [&] {
      Op(model_.accumulate_grad, [&] {
        if (copy_to_bucket) Op(model_.detach, [&] { OpLeaf(model_.detach_inner); });
      });
      if (copy_to_bucket && options_.distributed()) {
        Op(model_.mul_out, [&] { Op(model_.mul, [&] { LaunchKernel(model_.bucket_kernel); }); });
      }
    });
  }
  void AddmmBackward(const Saved& saved, const DeviceSite& input, const DeviceSite& weight,
                     int64_t bytes) {
    Link outer = saved.link;
    outer.flow = Flow::kNone;
    Op(model_.evaluate_addmm, outer, [&] {
      Op(model_.addmm_backward, saved.link, [&] {
        Op(model_.mm_input, [&] {
          NewGradient(bytes);
          LaunchGemm(input);
        });
        Op(model_.mm_weight, [&] {
          NewGradient(model_.hidden * model_.hidden * 2);
          LaunchGemm(weight);
        });
      });
      Op(model_.sum_bias, [&] {
        NewGradient(model_.hidden * 2);
        LaunchKernel(&input == &model_.gemm_up_dx ? model_.reduce_up_kernel : model_.reduce_kernel);
      });
    });
    Free(saved.allocation);
    AccumulateGrad(false);
    AccumulateGrad(true);
  }
  // A gradient lives until four younger ones exist.
  void NewGradient(int64_t bytes) {
    gradients_.push_back(Allocate(bytes));
    if (gradients_.size() < 5) return;
    Free(gradients_.front());
    gradients_.erase(gradients_.begin());
  }
  template <typename Body>
  void Node(const Saved& saved, const OpSite& evaluate, const OpSite& node, Body body) {
    Link outer = saved.link;
    outer.flow = Flow::kNone;
    Op(evaluate, outer, [&] { Op(node, saved.link, body); });
    Free(saved.allocation);
  }
  void AllReduce(const std::vector<int64_t>* collective_ends_ns) {
    if (!options_.distributed()) return;
    Op(model_.all_reduce, [&] {
      Op(
          model_.record_param_comms, Link{},
          [&] {
            Op(model_.nccl_all_reduce, [&] {
              Api(model_.stream_is_capturing);
              Api(model_.event_query);
              LaunchAllReduce(collective_ends_ns);
              Api(model_.event_record);
            });
          },
          -1, true);
    });
  }
  void Backward(const std::vector<int64_t>* collective_ends_ns) {
    Op(model_.ones_like, [&] { Op(model_.fill_, [&] { LaunchKernel(model_.fill_kernel); }); });
    on_autograd_ = options_.gpu;
    std::vector<int64_t> main_stack;
    main_stack.swap(external_stack_);
    external_stack_.push_back(0);
    Tick(18000);
    for (size_t i = saved_.size(); i-- > 0;) {
      const Saved saved = saved_[i];
      switch (saved.function) {
        case Function::kAddmmHidden:
          AddmmBackward(saved, model_.gemm_hidden_dx, model_.gemm_hidden_dw,
                        model_.activation_bytes);
          break;
        case Function::kAddmmUp:
          AddmmBackward(saved, model_.gemm_up_dx, model_.gemm_up_dw, model_.activation_bytes);
          break;
        case Function::kAddmmDown:
          AddmmBackward(saved, model_.gemm_down_dx, model_.gemm_down_dw, model_.feed_forward_bytes);
          break;
        case Function::kT:
          Node(saved, model_.evaluate_t, model_.t_backward,
               [&] { Op(model_.t, [&] { OpLeaf(model_.transpose2d); }); });
          break;
        case Function::kView:
          Node(saved, model_.evaluate_view, model_.view_backward, [&] { OpLeaf(model_.reshape); });
          break;
        case Function::kTranspose:
          Node(saved, model_.evaluate_transpose, model_.transpose_backward,
               [&] { OpLeaf(model_.transpose4d); });
          break;
        case Function::kFlash:
          Node(saved, model_.evaluate_flash, model_.flash_backward, [&] {
            Op(model_.flash_backward_op, [&] {
              const Allocation workspace =
                  AllocateIn(model_.empty_like, model_.activation_bytes * 2);
              LaunchKernel(model_.flash_dot_kernel);
              LaunchKernel(model_.flash_backward_kernel);
              LaunchKernel(model_.flash_convert_kernel);
              Free(workspace);
            });
          });
          break;
        case Function::kDropout:
          Node(saved, model_.evaluate_dropout, model_.dropout_backward, [&] {
            Op(model_.dropout_backward_op, [&] {
              NewGradient(model_.activation_bytes);
              LaunchKernel(model_.dropout_backward_kernel);
            });
          });
          break;
        case Function::kAdd:
          Node(saved, model_.evaluate_add, model_.add_backward, [] {});
          break;
        case Function::kGelu:
          Node(saved, model_.evaluate_gelu, model_.gelu_backward, [&] {
            if (options_.legacy() || !options_.gpu) {
              LaunchKernel(model_.gelu_kernel);
            } else {
              Op(model_.triton_gelu_backward,
                 [&] { Launch(model_.cu_launch_kernel, model_.triton_gelu_backward_kernel); });
            }
          });
          break;
        case Function::kNorm:
          Node(saved, model_.evaluate_norm, model_.norm_backward, [&] {
            Op(model_.norm_backward_op, [&] {
              NewGradient(model_.activation_bytes);
              NewGradient(model_.hidden * 2);
              LaunchKernel(model_.norm_backward_kernel);
              LaunchKernel(model_.norm_gamma_kernel);
            });
          });
          AccumulateGrad(false);
          AccumulateGrad(false);
          break;
        case Function::kHead:
          Node(saved, model_.evaluate_mm, model_.mm_backward, [&] {
            Op(model_.mm_input, [&] { LaunchGemm(model_.head_gemm_dx); });
            Op(model_.mm_weight, [&] { LaunchGemm(model_.head_gemm_dw); });
          });
          AccumulateGrad(true);
          break;
        case Function::kSoftmax:
          Node(saved, model_.evaluate_softmax, model_.softmax_backward, [&] {
            Op(model_.softmax_backward_op, [&] { LaunchKernel(model_.softmax_backward_kernel); });
          });
          break;
        case Function::kNll:
          Node(saved, model_.evaluate_nll, model_.nll_backward, [&] {
            Op(model_.nll_backward_op, [&] { LaunchKernel(model_.nll_backward_kernel); });
          });
          break;
        case Function::kEmbedding:
          Node(saved, model_.evaluate_embedding, model_.embedding_backward, [&] {
            Op(model_.embedding_backward_op,
               [&] { LaunchKernel(model_.embedding_backward_kernel); });
          });
          AccumulateGrad(true);
          break;
      }
      if (saved.last_of_layer) AllReduce(collective_ends_ns);
    }
    saved_.clear();
    while (!gradients_.empty()) {
      Free(gradients_.back());
      gradients_.pop_back();
    }
    if (options_.distributed()) {  // the current stream waits for the last bucket
      Api(model_.stream_wait_event);
      compute_free_ns_ = std::max(compute_free_ns_, communication_free_ns_);
    }
    Tick(9000);
    on_autograd_ = false;
    external_stack_.swap(main_stack);
  }
  void Optimize(int step) {
    Py(model_.clip_grad, [&] {
      PyLeaf(model_.builtin_isinstance, 2);
      for (int i = 0; i < model_.layers * 16; ++i) PyLeaf(model_.list_append);
      Op(model_.foreach_norm, [&] { LaunchKernel(model_.multi_tensor_kernel); });
      Op(model_.stack_norms, [&] { LaunchKernel(model_.fill_kernel); });
      Op(model_.foreach_mul, [&] { LaunchKernel(model_.multi_tensor_kernel); });
    });
    Py(model_.scheduler_wrapper, [&] {
      Py(model_.optimizer_wrapper, [&] {
        Annotate(model_.optimizer_step, [&] {
          Py(model_.use_grad, [&] {
            Py(model_.adam_step, [&] {
              Py(model_.init_group, [&] {
                for (int i = 0; i < model_.layers * 16; ++i) {
                  PyLeaf(model_.list_append, 5);
                  PyLeaf(model_.builtin_len);
                  PyLeaf(model_.builtin_isinstance);
                }
              });
              Py(model_.multi_tensor_adam, [&] {
                PyLeaf(model_.group_tensors);
                const int chunks = 1 + model_.layers / 4;
                for (const OpSite* op :
                     {&model_.foreach_add, &model_.foreach_mul, &model_.foreach_lerp,
                      &model_.foreach_mul, &model_.foreach_addcmul, &model_.foreach_sqrt,
                      &model_.foreach_div, &model_.foreach_add, &model_.foreach_addcdiv}) {
                  Py(model_.foreach_call, [&] {
                    Op(*op, [&] {
                      for (int i = 0; i < chunks; ++i) LaunchKernel(model_.multi_tensor_kernel);
                    });
                  });
                }
              });
            });
          });
        });
      });
    });
    Py(model_.zero_grad_function, [&] {
      Annotate(model_.zero_grad, [&] { PyLeaf(model_.builtin_hasattr, model_.layers * 16); });
    });
    const bool read_loss = options_.scenario == Scenario::kSync || step % 16 == 0;
    if (read_loss) ReadScalar();
    if (options_.scenario == Scenario::kSync)
      WaitForDevice(model_.device_synchronize, device_end_ns());
    for (const Allocation& allocation : batch_) Free(allocation);
    batch_.clear();
  }
  void LaunchGemm(const DeviceSite& site) {
    if ((++gemm_count_ & 7) == 0) {
      Launch(model_.memset_async, model_.workspace_fill);
    }
    if ((gemm_count_ & 1) == 0) Api(model_.func_set_attribute);
    Launch(options_.legacy() ? model_.launch_kernel : model_.launch_kernel_ex, site);
  }

  std::vector<Saved> saved_;
  std::vector<Allocation> batch_;
  std::vector<Allocation> gradients_;
  int64_t sequence_ = 51;
  int64_t flow_id_ = 0;
  uint32_t gemm_count_ = 0;
};

inline const OpSite kProfilerStep{"ProfilerStep#", "", true};

inline void Training::RunStep(int step, StepBuffer& buffer,
                              const std::vector<int64_t>* collective_ends_ns) {
  buffer.Clear();
  buffer_ = &buffer;
  Py(model_.profiler_step, [&] {
    Py(model_.profiler_exit, [] {});
    Py(model_.profiler_enter, [&] { Py(model_.ops_call, [&] { PyLeaf(model_.record_enter); }); });
  });
  Annotate(
      kProfilerStep,
      [&] {
        buffer.start_ns = now_ns_;
        LoadBatch(step);
        CopyBatch();
        Forward();
        Py(model_.tensor_backward, [&] {
          PyLeaf(model_.has_torch_function);
          Py(model_.autograd_backward, [&] {
            PyLeaf(model_.builtin_isinstance, 2);
            Py(model_.engine_backward,
               [&] { Py(model_.run_backward, [&] { Backward(collective_ends_ns); }); });
          });
        });
        Optimize(step);
      },
      kFirstStep + step);
  buffer.end_ns = now_ns_;
}

}  // namespace generator

#endif  // TESTS_GENERATORS_TRACE_TRAINING_H_
