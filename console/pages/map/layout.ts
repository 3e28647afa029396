import { Graph, layout } from '@dagrejs/dagre';
import type { Relation } from '#console/api/records.ts';

export const NODE = { width: 184, height: 40 };

/** Where everything is, in pixels from the top left. */
type Layout = {
  width: number;
  height: number;
  /** The top left corner of each entity. */
  at: ReadonlyMap<string, { x: number; y: number }>;
  /** A line for each two that are related: it begins upstream. */
  lines: readonly { key: string; path: string; title: string }[];
};

/** Upstream stands to the left of what depends on it. @param ids of all that are shown */
export function layoutOf(ids: readonly string[], relations: readonly Relation[]): Layout {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'LR', nodesep: 10, ranksep: 64, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of ids) graph.setNode(id, { ...NODE });
  const words = new Map<string, string[]>();
  for (const { from_entity_id: from, to_entity_id: to, relation_type } of relations) {
    const key = `${to} ${from}`;
    words.set(key, [...(words.get(key) ?? []), relation_type]);
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
      return { key, path, title: (words.get(key) ?? []).join(', ') };
    }),
  };
}

type Point = { x: number; y: number };

/** From the side of one box to the side of another, around those between; in a circle some lead to the left. */
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
