// SPDX-License-Identifier: Apache-2.0
// Which names mean communication between ranks: device kernels of NCCL, RCCL, HCCL, oneCCL, MSCCL
// of any generation, and the host ranges of the communication libraries.
#pragma once

#include <string_view>

namespace telltale {

[[nodiscard]] bool IsCommunicationKernel(std::string_view kernel_name);
// nccl:*, gloo:*, mpi:*, ucc:*, c10d::*
[[nodiscard]] bool IsCommunicationRange(std::string_view host_event_name);
// enumerate(DataLoader)#…, enumerate(DataPipe)#…
[[nodiscard]] bool IsDataLoaderRange(std::string_view host_event_name);

}  // namespace telltale
