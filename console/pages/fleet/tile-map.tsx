import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { State } from '#console/api/records.ts';
import { theme } from '#console/app/appearance.ts';
import { STATE_SHAPE } from '#console/parts/state-mark.tsx';
import { entityHref } from '#console/rules/catalog.ts';
import { countsOf, type FleetRow } from '#console/rules/fleet.ts';
import { BY_SEVERITY, STATE_WORD } from '#console/rules/states.ts';
import { type TileGrid, tileAt, tileGrid } from '#console/rules/tiles.ts';
import { count } from '#console/rules/words.ts';

type TileMapProps = {
  rows: readonly FleetRow[];
  /** Maximum height in pixels. */
  height?: number;
};

/** Draws the fleet with a shape per entity, unhealthy ones first. The list below has the same content. */
export function TileMap({ rows, height = 96 }: TileMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shade = theme.value;
  const gridIn = (element = canvas.current!) => tileGrid(rows.length, element.clientWidth, height);
  // Set before painting, so that the content below does not move.
  useLayoutEffect(() => {
    canvas.current!.style.height = `${gridIn().height}px`;
  }, [rows.length, height]);
  // An effect, so that the list is painted first. `shade` is a dependency because the theme decides the colors.
  useEffect(() => {
    const element = canvas.current!;
    const redraw = () => draw(element, rows, gridIn(element));
    redraw();
    const resized = new ResizeObserver(redraw);
    resized.observe(element.parentElement!);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', redraw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', redraw);
    };
  }, [rows, height, shade]);

  const rowAt = (event: MouseEvent): FleetRow | undefined => rows[tileAt(gridIn(), event.offsetX, event.offsetY)];
  const counts = countsOf(rows);
  const summary = BY_SEVERITY.map((state) => `${counts[state]} ${STATE_WORD[state].toLowerCase()}`).join(', ');
  return (
    <div class="tiles">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${count(rows.length, 'entity', 'entities')}: ${summary}`}
        onPointerMove={(event) => {
          const row = rowAt(event);
          event.currentTarget.title = row ? `${row.name}: ${STATE_WORD[row.state]}` : '';
        }}
        onClick={(event) => {
          const row = rowAt(event);
          if (row) location.hash = entityHref(row);
        }}
      />
    </div>
  );
}

/** Draws the shape of each state once and copies it, because 10,000 paths would take most of a frame. */
function draw(canvas: HTMLCanvasElement, rows: readonly FleetRow[], { columns, tile, height }: TileGrid): void {
  const scale = devicePixelRatio;
  canvas.width = canvas.clientWidth * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const stamps = Object.fromEntries(
    BY_SEVERITY.map((state) => [state, stampOf(state, style.getPropertyValue(`--${state}`), tile * scale)]),
  ) as Record<State, OffscreenCanvas>;
  for (const [i, { state }] of rows.entries()) {
    context.drawImage(stamps[state], (i % columns) * tile, Math.floor(i / columns) * tile, tile, tile);
  }
}

/** Draws the shape of a state. @param size of the tile in device pixels; the shape takes four fifths of it */
function stampOf(state: State, color: string, size: number): OffscreenCanvas {
  const stamp = new OffscreenCanvas(Math.ceil(size), Math.ceil(size));
  const context = stamp.getContext('2d');
  if (!context) return stamp;
  const scale = (stamp.width * 0.8) / 16;
  context.translate(stamp.width * 0.1, stamp.width * 0.1);
  context.scale(scale, scale);
  context.fillStyle = color;
  context.fill(new Path2D(STATE_SHAPE[state]), 'evenodd');
  return stamp;
}
