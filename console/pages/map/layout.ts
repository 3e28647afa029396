import { Graph, layout } from '@dagrejs/dagre';
import type { Relation } from '#console/api/records.ts';

export const NODE = { width: 184, height: 40 };

/** Positions of entities (top left corner) and relations, in pixels from the top left of the map. */
type Layout = {
  width: number;
  height: number;
  at: ReadonlyMap<string, { x: number; y: number }>;
  lines: readonly { key: string; path: string; title: string }[];
};

/** Computes a layout with upstream entities to the left. @param ids of all shown entities */
export function layoutOf(ids: readonly string[], relations: readonly Relation[]): Layout {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 10, ranksep: 64, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...NODE });
  const types = new Map<string, string[]>();
  for (const { from_entity_id: from, to_entity_id: to, relation_type } of relations) {
    const key = `${to} ${from}`;
    types.set(key, [...(types.get(key) ?? []), relation_type]);
    graph.setEdge(to, from);
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    at: new Map(
      ids.map((id) => {
        const { x, y } = graph.node(id) as { x: number; y: number };
        return [id, { x: x - NODE.width / 2, y: y - NODE.height / 2 }];
      }),
    ),
    lines: graph.edges().map(({ v, w }: { v: string; w: string }) => {
      const key = `${v} ${w}`;
      const { points } = graph.edge(v, w) as { points: Point[] };
      const path = pathOf(graph.node(v) as Point, points.length > 3 ? points.slice(1, -1) : [], graph.node(w) as Point);
      return { key, path, title: (types.get(key) ?? []).join(', ') };
    }),
  };
}

type Point = { x: number; y: number };

/** Returns the SVG path between two boxes with the centers `from` and `to`. In a cycle, some paths lead to the left. */
function pathOf(from: Point, between: readonly Point[], to: Point): string {
  const side = (Math.sign(to.x - from.x) || 1) * (NODE.width / 2);
  const stops = [{ x: from.x + side, y: from.y }, ...between, { x: to.x - side, y: to.y }];
  return stops
    .map(({ x, y }, i) => {
      const before = stops[i - 1];
      if (!before) return `M${round(x)} ${round(y)}`;
      const middle = round((before.x + x) / 2);
      return `C${middle} ${round(before.y)} ${middle} ${round(y)} ${round(x)} ${round(y)}`;
    })
    .join('');
}

const round = (n: number): number => Math.round(n);
