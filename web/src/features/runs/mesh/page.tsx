// SPDX-License-Identifier: Apache-2.0
// Bodies and clouds of points that were logged, to be turned by hand or by keys.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run } from "../../../api/runs";
import { colour } from "../../../charts/theme";
import { type Mesh, type MeshTags, meshOf, meshTags, type Numbers, project } from "../../../lib/runs/mesh";
import { useRunsJson } from "../../../state/runs";
import { dark } from "../../../state/theme";
import { Load, Panel } from "../../../ui/page";
import type { RunsProps } from "../../page_props";
import { InView } from "../shared/in_view";
import { RunLink } from "../shared/run_link";
import { atStep, chosenStep, StepSlider } from "../shared/step_slider";
import { TagPage } from "../shared/tag_page";

interface Part extends Numbers {
  readonly step: number;
  readonly wall: number;
}
interface Parts {
  readonly steps: readonly Part[];
}

const SIZE = 320;

export default function MeshPage(props: RunsProps) {
  return (
    <TagPage
      of={props}
      title="Mesh"
      plugins={["mesh"]}
      what={["tag of meshes", "tags of meshes"]}
      needs="add_mesh of SummaryWriter writes what is shown here."
    >
      {(tags, runsOf) =>
        [...meshTags(tags.map(({ tag }) => tag))].map(([name, parts]) => (
          <InView key={name} height={SIZE + 80}>
            {() => (
              <MeshPanel
                name={name}
                tags={parts}
                runs={runsOf(...tags.filter(({ tag }) => Object.values(parts).includes(tag)))}
              />
            )}
          </InView>
        ))
      }
    </TagPage>
  );
}

interface MeshPanelProps {
  readonly name: string;
  readonly tags: MeshTags;
  readonly runs: readonly Run[];
}

function MeshPanel({ name, tags, runs }: MeshPanelProps) {
  const [steps, setSteps] = useState<readonly number[]>([]);
  const told = (list: readonly number[]): void => {
    const all = [...new Set([...steps, ...list])].sort((a, b) => a - b);
    if (all.length > steps.length) setSteps(all);
  };
  return (
    <Panel
      title={name}
      note="drag or arrow keys turn it, + and − bring it nearer"
      actions={<StepSlider steps={steps} />}
    >
      <div class="picture-grid">
        {runs.map((run) => (
          <MeshCard key={run.id} run={run} name={name} tags={tags} onSteps={told} />
        ))}
      </div>
    </Panel>
  );
}

interface MeshCardProps {
  readonly run: Run;
  readonly name: string;
  readonly tags: MeshTags;
  readonly onSteps: (steps: readonly number[]) => void;
}

function MeshCard({ run, name, tags, onSteps }: MeshCardProps) {
  const usePart = (tag: string | undefined) =>
    useRunsJson<Parts>(tag === undefined ? null : "series/mesh", { run: run.id, tag });
  const data = usePart(tags.vertex ?? tags.face);
  const faces = usePart(tags.face);
  const colors = usePart(tags.color);
  if (data.state === "ready") queueMicrotask(() => onSteps(data.data.steps.map(({ step }) => step)));
  const vertex = data.state === "ready" ? atStep(data.data.steps, chosenStep()) : undefined;
  const at = ({ data: of }: typeof faces): Part | undefined =>
    of?.steps.find(({ step }) => step === vertex?.step) ?? of?.steps.at(-1);
  const [face, color] = [at(faces), at(colors)];
  const mesh = useMemo(() => meshOf(vertex, face, color), [vertex, face, color]);
  return (
    <figure>
      <figcaption>
        <RunLink run={run} page="mesh" />
      </figcaption>
      <Load of={data} height={`${SIZE}px`}>
        {() =>
          vertex === undefined ? (
            <p class="muted">nothing logged</p>
          ) : (
            <Turning mesh={mesh} what={`${name} of ${run.title}`} />
          )
        }
      </Load>
    </figure>
  );
}

function Turning({ mesh, what }: { readonly mesh: Mesh; readonly what: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [pose, setPose] = useState({ turn: 0.6, tilt: 0.4, zoom: 1 });
  const from = useRef<{ x: number; y: number } | null>(null);
  const shade = dark.value;
  useEffect(() => {
    const element = canvas.current;
    const c = element?.getContext("2d");
    if (!element || !c) return;
    const ratio = devicePixelRatio || 1;
    element.width = SIZE * ratio;
    element.height = SIZE * ratio;
    c.scale(ratio, ratio);
    c.fillStyle = colour("--panel");
    c.fillRect(0, 0, SIZE, SIZE);
    for (const { points, shade: light, color } of project(mesh, pose.turn, pose.tilt, pose.zoom, SIZE)) {
      c.fillStyle = `rgb(${color.map((v) => Math.round(v * light)).join(",")})`;
      c.beginPath();
      if (points.length === 1) c.arc(points[0]?.[0] ?? 0, points[0]?.[1] ?? 0, 1.8, 0, 2 * Math.PI);
      else for (const [x, y] of points) c.lineTo(x, y);
      c.fill();
    }
  }, [mesh, pose, shade]);
  const turn = (by: number, up: number): void =>
    setPose((old) => ({ ...old, turn: old.turn + by, tilt: Math.max(-1.5, Math.min(1.5, old.tilt + up)) }));
  const nearer = (factor: number): void =>
    setPose((old) => ({ ...old, zoom: Math.max(0.2, Math.min(8, old.zoom * factor)) }));
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: arrow keys turn it
    <canvas
      ref={canvas}
      class="mesh-canvas"
      style={{ width: `${SIZE}px`, height: `${SIZE}px`, cursor: "grab", maxWidth: "100%" }}
      tabIndex={0}
      role="application"
      aria-label={`${what}: ${mesh.vertices.length} points, ${mesh.faces.length} triangles. Arrow keys turn it, plus and minus bring it nearer.`}
      onPointerDown={(event) => {
        from.current = { x: event.clientX, y: event.clientY };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (from.current === null) return;
        turn((event.clientX - from.current.x) * 0.01, (event.clientY - from.current.y) * 0.01);
        from.current = { x: event.clientX, y: event.clientY };
      }}
      onPointerUp={() => {
        from.current = null;
      }}
      onKeyDown={(event) => {
        const turns: Readonly<Record<string, readonly [number, number]>> = {
          ArrowLeft: [-0.15, 0],
          ArrowRight: [0.15, 0],
          ArrowUp: [0, -0.15],
          ArrowDown: [0, 0.15],
        };
        const by = turns[event.key];
        if (by) turn(by[0], by[1]);
        else if (event.key === "+" || event.key === "-") nearer(event.key === "+" ? 1.2 : 1 / 1.2);
        else return;
        event.preventDefault();
      }}
    />
  );
}
