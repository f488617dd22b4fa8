# SPDX-License-Identifier: Apache-2.0
"""TraceLens's figures per operator and shapes from ours: each known way in which it counts differently is a rule.

`expected(row)` gives TraceLens's operations and bytes of a call from the captured arguments, and the names of the rules
that made a difference. Written from its published tables, not from its code.
"""
RULES = {
    "copies_count_operations": "A copy counts one operation per element; ours moves data only.",
    "convolution_without_bias": "The bias of a convolution counts neither operations nor bytes.",
    "convolution_backward_both": "Both gradients of a convolution count, whatever the output mask asks for.",
    "norm_six_vectors": "batch, layer, group and instance norm count 6 vectors of the channels' (layer norm: the "
                        "normalised shape's) size, captured or not, as bytes and as one operation each.",
    "rms_norm_two_per_row": "RMS norm counts 2 more operations per row, and a weight whether there is one or not.",
    "norm_backward_vectors": "The backward of norms counts fixed vectors instead of the captured statistics.",
    "library_batch_norm_as_forward": "miopen_batch_norm_backward counts like an evaluation in forward direction.",
    "reduction_to_one_element": "A reduction writes one element, whatever axes it keeps.",
    "in_place_promoted": "The result of an operator in place has the promoted type, not that of its first operand.",
    "scalar_operand": "A Python scalar as the second operand counts 4 bytes.",
    "unknown_type": "bool has no size, so a call with it has no bytes.",
}
SIZES = {"float": 4, "c10::BFloat16": 2, "c10::Half": 2, "double": 8, "long int": 8, "int": 4, "bool": 1,
         "unsigned char": 1, "signed char": 1, "short": 2}


def elements(shape):
    count = 1
    for size in shape:
        count *= size
    return count


class Call:
    """A row of ours, with what TraceLens would make of it."""

    def __init__(self, row):
        self.name, self.flops, self.bytes = row["name"], row["flops_per_call"], row["call_bytes"]
        self.dims, self.types, self.values = row["input_shapes"], row["input_types"], row["concrete_inputs"] or []
        self.rules = []

    def tensor_bytes(self, i):
        return elements(self.dims[i]) * SIZES[self.types[i]] if i < len(self.types) and self.types[i] in SIZES else 0

    def apply(self, rule, flops, size):
        if (flops, size) != (self.flops, self.bytes):
            self.rules.append(rule)
        self.flops, self.bytes = flops, size

    def expected(self):
        self.plain_rules()
        name = self.name.partition("::")[2]
        if name in ("batch_norm", "layer_norm", "group_norm", "instance_norm"):
            self.norm_forward(name)
        elif name == "_fused_rms_norm":
            self.rms_forward()
        elif name.endswith("norm_backward"):
            self.norm_backward(name)
        return self.flops, self.bytes, self.rules

    def plain_rules(self):
        name = self.name.partition("::")[2]
        if name == "copy_":
            self.apply("copies_count_operations", elements(self.dims[0]), self.bytes)
            if "bool" in self.types[:2]:
                self.apply("unknown_type", self.flops, None)
        elif name == "convolution" and self.tensor_bytes(2):
            out = self.flops // (2 * elements(self.dims[1][1:]) + 1)
            self.apply("convolution_without_bias", self.flops - out, self.bytes - self.tensor_bytes(2))
        elif name == "convolution_backward":
            wanted = [word.strip() == "True" for word in self.values[10].strip("[]").split(",")]
            if wanted[:2].count(True) == 1 and not wanted[2]:
                self.apply("convolution_backward_both", 2 * self.flops, 2 * self.bytes)
        elif name in ("sum", "mean"):
            size = self.tensor_bytes(0) + SIZES[self.types[0]]
            self.apply("reduction_to_one_element", self.flops, size)
        elif name in ("add", "sub", "mul", "div") and self.types[1] == "Scalar":
            self.apply("scalar_operand", self.flops, self.bytes + 4)
        elif name == "add_" and self.types[0] != self.types[1] and self.dims[1]:
            wider = max(SIZES[self.types[0]], SIZES[self.types[1]])
            out = elements(self.dims[0])
            self.apply("in_place_promoted", self.flops, self.bytes + out * (wider - SIZES[self.types[0]]))

    def channels(self, name):
        if name == "layer_norm":
            return elements([int(word) for word in self.values[1].strip("[]").split(",")])
        return self.dims[0][1]

    def norm_forward(self, name):
        count, size = elements(self.dims[0]), SIZES[self.types[0]]
        vectors = 6 * self.channels(name)
        self.apply("norm_six_vectors", 5 * count + vectors, (2 * count + vectors) * size)

    def rms_forward(self):
        count, size = elements(self.dims[0]), SIZES[self.types[0]]
        normalised = elements([int(word) for word in self.values[1].strip("[]").split(",")])
        self.apply("rms_norm_two_per_row", 4 * count + 2 * (count // normalised), (2 * count + normalised) * size)

    def norm_backward(self, name):
        at = 0 if name == "miopen_batch_norm_backward" else 1
        count, size = elements(self.dims[at]), SIZES[self.types[at]]
        channels = self.dims[at][1]
        if name == "miopen_batch_norm_backward":
            self.apply("library_batch_norm_as_forward", 4 * count + 3 * channels, (2 * count + channels) * size)
        elif name == "native_batch_norm_backward":
            self.apply("norm_backward_vectors", self.flops, (3 * count + 4 * channels) * size)
        elif name == "native_group_norm_backward":
            self.apply("norm_backward_vectors", self.flops, (3 * count + channels) * size)
        elif name == "native_layer_norm_backward":
            normalised = elements([int(word) for word in self.values[2].strip("[]").split(",")])
            vectors = 4 if self.tensor_bytes(5) else 1
            self.apply("norm_backward_vectors", self.flops, (3 * count + vectors * normalised) * size)
        elif name == "_fused_rms_norm_backward":
            normalised = elements([int(word) for word in self.values[2].strip("[]").split(",")])
            self.apply("norm_backward_vectors", self.flops, (3 * count + 2 * normalised) * size)
