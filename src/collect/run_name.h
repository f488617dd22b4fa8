// SPDX-License-Identifier: Apache-2.0
// What a command line says of a run: its name, its script, the words of it that may be written
// down. Texts in, texts out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

// Of the script or module that an interpreter or launcher is to run ("train" of
// `torchrun --nproc-per-node 2 train.py --lr 0.1`), else of the program.
[[nodiscard]] std::string NameOfCommand(std::span<const std::string> command);
// The script among the words, as it is spelt; empty: there is none.
[[nodiscard]] std::string ScriptOfCommand(std::span<const std::string> command);

// Letters, digits and ._-=+ of a name, as part of a file's name.
[[nodiscard]] std::string FileNameOf(std::string_view name);

// Whether values of that name are nobody's business: api_key, HF_TOKEN, password; not max_tokens
// or pad_token.
[[nodiscard]] bool IsSecretName(std::string_view name);
// The value of a variable or option as it may be written down: addresses lose their password.
[[nodiscard]] std::string WithoutPassword(std::string_view value);
// The words with the values of secret options replaced by "***".
[[nodiscard]] std::vector<std::string> WithoutSecrets(std::span<const std::string> command);

}  // namespace telltale
