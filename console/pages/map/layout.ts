import { Graph, layout } from '@dagrejs/dagre';
import type { Relation } from '#console/api/catalog-records.ts';

export const NODE = { width: 184, height: 40 };

/** Where everything is, in pixels from the top left. */
export type Layout = {
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
      const { points } = graph.edge(v, w) as { points: { x: number; y: number }[] };
      return { key, path: pathOf(points), title: (words.get(key) ?? []).join(', ') };
    }),
  };
}

const pathOf = (points: readonly { x: number; y: number }[]): string =>
  points.map(({ x, y }, i) => `${i === 0 ? 'M' : 'L'}${Math.round(x)} ${Math.round(y)}`).join('');
