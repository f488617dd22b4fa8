# SPDX-License-Identifier: Apache-2.0
"""The graph of a model as TensorBoard's Graphs page reads it, an encoded GraphDef: of a torch module, by tracing it once, and of
an ONNX file. Modules of the model are the boxes of the page: they stand in front of a node's name, with `/` between."""
from __future__ import annotations

import contextlib
import os
import struct
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

from telltale import _proto as proto


class _Node(NamedTuple):
    name: str
    kind: str
    inputs: List[str]
    sizes: Optional[Sequence[int]]
    attributes: str


def _attribute(key: str, value: bytes) -> bytes:
    return proto.message(5, proto.text(1, key) + proto.message(2, value))


def _encoded(nodes: Sequence[_Node]) -> bytes:
    out = []
    for node in nodes:
        content = proto.text(1, node.name) + proto.text(2, node.kind) + b"".join(proto.message(3, name.encode()) for name in node.inputs)
        content += _attribute("attr", proto.message(2, node.attributes.encode()))
        if node.sizes is not None:
            content += _attribute("_output_shapes", proto.message(1, proto.message(7, proto.shape(node.sizes))))
        out.append(proto.message(1, content))
    return b"".join(out) + _VERSIONS


_VERSIONS = proto.message(4, proto.integer(1, 22))  # of the format, by those who make it
_RUN_METADATA = proto.message(1, proto.message(1, proto.text(1, "/device:CPU:0")))


@contextlib.contextmanager
def _evaluating(model: Any) -> Iterator[None]:
    """Dropout and the like are not to be in the graph; afterwards the model is as it was."""
    modules = [(module, module.training) for module in model.modules()] if hasattr(model, "modules") else []
    for module, _ in modules:
        module.training = False
    try:
        yield
    finally:
        for module, was_training in modules:
            module.training = was_training


def of_module(model: Any, inputs: Any, strict: bool) -> "tuple[bytes, bytes]":
    """GraphDef and RunMetadata; raises what torch raises when the model cannot be traced."""
    import torch

    with _evaluating(model):
        trace = torch.jit.trace(model, inputs, strict=strict)  # type: ignore[no-untyped-call]
    graph = trace.graph
    torch._C._jit_pass_inline(graph)
    return _encoded(_nodes(graph, trace)), _RUN_METADATA


def _is_module(value: Any) -> bool:
    return bool(value.type().kind() == "ClassType")


def _sizes(value: Any, or_else: Optional[List[int]]) -> Optional[Sequence[int]]:
    try:
        sizes = value.type().sizes()
    except RuntimeError:
        return or_else
    return None if sizes is None else list(sizes)


def _titles(trace: Any) -> Dict[str, str]:
    """What a module is called in the page: its class, and its name in the module around it."""
    def class_of(module: Any) -> str:
        name = getattr(module, "_name", None)
        return str(name if isinstance(name, str) else getattr(module, "original_name", "Module"))

    titles = {path: f"{class_of(module)}[{path.rsplit('.', 1)[-1]}]" for path, module in trace.named_modules(prefix="__module")}
    titles[""] = class_of(trace)
    return titles


def _scope(path: str, titles: Dict[str, str]) -> str:
    parts = [titles[part] if part and part in titles else part.rsplit(".", 1)[-1] for part in path.split("/")]
    return titles[""] + ("/" + "/".join(parts) if any(parts) else "")


def _attributes(node: Any) -> str:
    found = {name: getattr(node, node.kindOf(name))(name) for name in node.attributeNames()}
    return str(found).replace("'", " ")  # TensorBoard stumbles over quotes


def _nodes(graph: Any, trace: Any) -> List[_Node]:
    titles = _titles(trace)
    paths: Dict[str, str] = {}  # of what GetAttr gives: modules and parameters
    operators = []  # with their scopes
    for node in graph.nodes():
        path = node.scopeName()
        if node.kind() == "prim::GetAttr":
            name, key, parent = node.s("name"), node.output().debugName(), node.input().node()
            around = paths[parent.output().debugName()] if parent.kind() == "prim::GetAttr" else ""
            path = paths[key] = f"{around}/{around.rsplit('/', 1)[-1]}.{name}" if around else f"__module.{name}"
            if _is_module(node.output()):
                continue  # the boxes say it
        operators.append((node, _scope(path, titles)))

    inputs = [value for value in graph.inputs() if value.uses() and not _is_module(value)]
    # What nobody here makes is named after who uses it.
    names = {value.debugName(): f"{scope}/{value.debugName()}" for node, scope in operators for value in node.inputs()}
    names.update((value.debugName(), f"input/{value.debugName()}") for value in inputs)
    names.update((value.debugName(), f"{scope}/{value.debugName()}") for node, scope in operators for value in node.outputs())

    out = [_Node(names[value.debugName()], "IO Node", [], _sizes(value, [1]), "") for value in inputs]
    for number, value in enumerate(graph.outputs(), 1):
        source = value.debugName()
        out.append(_Node(f"output/output.{number}", "IO Node", [names.get(source, source)], _sizes(value, [1]), ""))
    for node, _ in operators:
        sources = [names[value.debugName()] for value in node.inputs()]
        for value in node.outputs():
            sizes = _sizes(value, None) if value.isCompleteTensor() else None
            out.append(_Node(names[value.debugName()], node.kind(), sources, sizes, _attributes(node)))
    return out


# Fields of ONNX's messages.
_Parts = Dict[int, List[Any]]


def _parts(content: bytes) -> _Parts:
    parts: _Parts = {}
    for field, value in proto.fields(content):
        parts.setdefault(field, []).append(value)
    return parts


def of_onnx(model: Union[str, bytes, "os.PathLike[str]", Any]) -> bytes:
    """`model`: a path, the bytes of a file, or a loaded model."""
    if hasattr(model, "SerializeToString"):
        content = model.SerializeToString()
    elif isinstance(model, (bytes, bytearray)):
        content = bytes(model)
    else:
        with open(model, "rb") as file:
            content = file.read()
    graph = _parts(_parts(content)[7][0])
    out = b""
    for value in graph.get(11, []) + graph.get(12, []):
        facts = _parts(value)
        tensor = _parts(_parts(facts[2][0])[1][0]) if 2 in facts else {}
        sizes = [_parts(size).get(1, [0])[0] for size in _parts(tensor[2][0]).get(1, [])] if 2 in tensor else []
        node = proto.text(1, facts[1][0]) + proto.text(2, "Variable")
        node += _attribute("dtype", proto.varint(6 << 3) + proto.varint(tensor.get(1, [0])[0]))
        out += proto.message(1, node + _attribute("shape", proto.message(7, proto.shape(sizes))))
    for value in graph.get(1, []):
        facts = _parts(value)
        node = proto.text(1, facts[2][0]) + proto.text(2, facts.get(4, [b""])[0]) + b"".join(proto.message(3, name) for name in facts.get(1, []))
        text = ", ".join(_onnx_attribute(attribute) for attribute in facts.get(5, []))
        out += proto.message(1, node + _attribute("parameters", proto.message(2, text.encode("utf-8", "replace"))))
    return out + _VERSIONS


def _onnx_attribute(content: bytes) -> str:
    """Name, value and type, with = between."""
    words = []
    for field, values in sorted(_parts(content).items()):
        if field == 1:
            words.append(values[0].decode("utf-8", "replace"))
        elif field == 2:
            words.append(str(struct.unpack("<f", values[0])[0]))
        elif field in (3, 20):
            words.append(str(values[0] - (1 << 64) if values[0] >> 63 else values[0]))
        elif field == 4:
            words.append(str(values[0]))
        elif field == 7:
            packed = b"".join(values)
            words.append(str(list(struct.unpack(f"<{len(packed) // 4}f", packed))))
        elif field == 8:
            words.append(str([number - (1 << 64) if number >> 63 else number for number in values if isinstance(number, int)]))
        elif field == 9:
            words.append(str(values))
        else:
            words.append(f"<{sum(len(value) for value in values)} bytes>")
    return " = ".join(words)
