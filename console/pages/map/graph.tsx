import { useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '#console/parts/button.tsx';
import { StateShape } from '#console/parts/state-mark.tsx';
import { entityHref } from '#console/rules/catalog.ts';
import type { MapView } from '#console/rules/relation-map.ts';
import { STATE_WORD } from '#console/rules/states.ts';
import { count } from '#console/rules/words.ts';
import { layoutOf, NODE } from './layout.ts';

const MIN_SCALE = 0.25;
const MAX_SCALE = 2;
const STEP = 1.25;

/** Map of the entities, with a link for each. The table below it has the same content. */
export function RelationGraph({ view }: { view: MapView }) {
  const [zoom, setZoom] = useState(1);
  const area = useRef<HTMLElement>(null);
  // The layout depends on the shown entities, not on their states.
  const shownIds = view.rows
    .map(({ id }) => id)
    .sort()
    .join();
  const { width, height, at, lines } = useMemo(
    () => layoutOf(shownIds.split(','), view.relations),
    [shownIds, view.relations.map(({ id }) => id).join()],
  );
  const roots = new Set(view.roots);
  const zoomTo = (next: number) => setZoom(Math.min(MAX_SCALE, Math.max(MIN_SCALE, next)));
  return (
    <>
      <div class="map-tools">
        <span class="hint">
          A failure spreads along the arrows, from upstream (left) to downstream (right), if the relation passes on
          failures.
        </span>
        <Button small onClick={() => zoomTo(zoom * STEP)}>
          Zoom in
        </Button>
        <Button small onClick={() => zoomTo(zoom / STEP)}>
          Zoom out
        </Button>
        <Button small onClick={() => zoomTo(Math.min(1, (area.current?.clientWidth ?? width) / width))}>
          Fit
        </Button>
      </div>
      <section
        ref={area}
        class="map"
        aria-label={`Map of ${count(view.rows.length, 'entity', 'entities')}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, even if no link is visible
        tabIndex={0}
      >
        <div class="map-field" style={{ width: `${width}px`, height: `${height}px`, zoom: String(zoom) }}>
          <svg viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
            <defs>
              <marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
                <path d="M0 0 8 4 0 8z" />
              </marker>
            </defs>
            {lines.map(({ key, path, title }) => (
              <path key={key} class="map-line" d={path} marker-end="url(#arrow)">
                <title>{title}</title>
              </path>
            ))}
          </svg>
          {view.rows.map((row) => {
            const { x, y } = at.get(row.id)!;
            const isRoot = roots.has(row.id);
            return (
              <a
                key={row.id}
                href={entityHref(row)}
                class={`map-node ${row.state}${isRoot ? ' root' : ''}`}
                title={`${row.name}: ${STATE_WORD[row.state]}${row.error_message && `, ${row.error_message}`}`}
                style={{ left: `${x}px`, top: `${y}px`, width: `${NODE.width}px`, height: `${NODE.height}px` }}
              >
                <StateShape state={row.state} />
                <span class="map-name" dir="auto">
                  {row.name}
                  <span class={isRoot ? 'map-root' : 'unseen'}>{isRoot ? 'root cause' : STATE_WORD[row.state]}</span>
                </span>
              </a>
            );
          })}
        </div>
      </section>
    </>
  );
}
