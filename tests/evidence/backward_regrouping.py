# SPDX-License-Identifier: Apache-2.0
"""How the old viewer moves backward operators under synthetic `<module>.backward` nodes, and loses some of them.

Works on old_viewer.Node trees. A backward operator survives only if a forward operator below a module starts at the
moment of its fwdbwd flow, and if the synthetic node can be put into the main thread's tree in one forward pass.
"""
_BACKWARD = "autograd::engine::evaluate_function:"
_ACCUMULATE = _BACKWARD + " torch::autograd::AccumulateGrad"


def host_children(node):
    return [child for child in node.children if child.kind != "runtime"]


def regroup(roots, flows, make_node, is_plain):
    """Removes backward operators from the trees; returns the synthetic nodes that found a place."""
    modules, backward = [], []

    def look(parent, node):
        if node.kind == "module":
            modules.append(node)
        elif node.kind == "step":
            for child in host_children(node):
                look(node, child)
        elif node.name.startswith(_BACKWARD):
            backward.append((parent, node))

    for root in roots:
        for child in host_children(root):
            look(root, child)
    if not modules or not backward:
        return []
    main = main_root(roots)
    for root in roots:                              # bounds as they were before the removal
        children = host_children(root)
        root.start, root.end = (children[0].start, children[-1].end) if children else (None, None)
    for parent, node in backward:
        parent.children = [child for child in parent.children if child is not node]
    by_forward = groups_by_forward(backward, flows)
    top = []

    def build(node, above):
        if node.kind == "module":
            synthetic = make_node(node.name + ".backward", node.start, node.end)
            (top if above is None else above.children).append(synthetic)
            above = synthetic
        for child in host_children(node):
            if above is not None and is_plain(child.kind, child.name):
                above.children += by_forward.get(child.start, [])
            build(child, above)
        if node.kind == "module" and above.children:
            above.children.sort(key=lambda n: (n.start, -n.end))
            above.start, above.end = above.children[0].start, above.children[-1].end

    for module in modules:
        build(module, None)
    return insert(main, sorted(top, key=lambda n: (n.start, -n.end)))


def groups_by_forward(backward, flows):
    """Forward start -> the backward operators (a node and the AccumulateGrads after it)."""
    groups = []
    for _, node in backward:
        if node.name == _ACCUMULATE and groups:
            groups[-1].append(node)
        else:
            groups.append([node])
    by_head = {group[0].index: group for group in groups}
    above = {}

    def note(node):
        for child in host_children(node):
            above.setdefault(child.start, node)
            note(child)

    for _, node in backward:
        note(node)
    by_forward = {}
    for forward, back in flows:
        node = above.get(back)
        while node is not None and not node.name.startswith(_BACKWARD):
            node = above.get(node.start)
        if node is not None and node.index in by_head:
            by_forward[forward] = by_head.pop(node.index)
    return by_forward


def main_root(roots):
    """The thread of the last tree with a ProfilerStep, else the longest one without backward operators."""
    with_step = [root for root in roots if has_step(root)]
    if with_step:
        return with_step[-1]
    if len(roots) == 1:
        return roots[0]
    candidates, found = [], False
    for root in roots:
        children = host_children(root)
        is_backward = not found and any(child.name.startswith(_BACKWARD) for child in children)
        found = found or is_backward
        if children and not is_backward:
            candidates.append((children[-1].end - children[0].start, root))
    return max(candidates, key=lambda c: c[0])[1]


def has_step(root):
    stack = host_children(root)
    while stack:
        node = stack.pop()
        if node.kind == "step":
            return True
        stack += host_children(node)
    return False


def insert(root, synthetic_nodes):
    """The nodes that the old viewer's single pass over the main tree finds a place for."""
    placed, path = [], []
    current, position = root, 0
    for node in synthetic_nodes:
        while current is not None and node.end >= current.start and node.start > current.end:
            current, position = path.pop() if path else (None, 0)
            position += 1
        if current is None or node.end < current.start:
            continue
        children = host_children(current)
        while position < len(children):
            child = children[position]
            if node.end < child.start:
                break
            if node.start >= child.end:
                position += 1
            else:
                path.append((current, position))
                current, position = child, 0
                children = host_children(current)
        runtimes = [child for child in current.children if child.kind == "runtime"]
        children.insert(position, node)
        current.children = children + runtimes
        position += 1
        placed.append(node)
    return placed
