import { useLayoutEffect, useRef } from 'preact/hooks';
import { theme } from '#console/app/look.ts';
import { STATE_SHAPE } from '#console/parts/state-mark.tsx';
import { countsOf, type FleetRow } from '#console/rules/fleet.ts';
import { BY_SEVERITY, STATE_WORD } from '#console/rules/states.ts';
import { tileAt, tileGrid } from '#console/rules/tiles.ts';
import { count } from '#console/rules/words.ts';
import { entityHref } from './fleet-table.tsx';

type TileMapProps = { rows: readonly FleetRow[] /** The most pixels it may be high. */; height?: number };

/** The whole fleet in one picture, a shape an entity, what is in trouble first. The list below says the same. */
export function TileMap({ rows, height = 96 }: TileMapProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shade = theme.value;
  // `shade`: another theme has other colours.
  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const again = () => draw(element, rows, height);
    again();
    const resized = new ResizeObserver(again);
    resized.observe(element.parentElement!);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', again);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', again);
    };
  }, [rows, height, shade]);

  const rowAt = (event: MouseEvent): FleetRow | undefined => {
    const element = event.currentTarget as HTMLCanvasElement;
    return rows[tileAt(tileGrid(rows.length, element.clientWidth, height), event.offsetX, event.offsetY)];
  };
  const counts = countsOf(rows);
  const told = BY_SEVERITY.map((state) => `${counts[state]} ${STATE_WORD[state].toLowerCase()}`).join(', ');
  return (
    <div class="tiles">
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${count(rows.length, 'entity', 'entities')}: ${told}`}
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

/** One path a state: 10,000 shapes are drawn as four. */
function draw(canvas: HTMLCanvasElement, rows: readonly FleetRow[], most: number): void {
  const width = canvas.parentElement?.clientWidth ?? 0;
  const { columns, tile, height } = tileGrid(rows.length, width, most);
  const scale = devicePixelRatio;
  canvas.width = width * scale;
  canvas.height = height * scale;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  for (const state of BY_SEVERITY) {
    const shape = new Path2D(STATE_SHAPE[state]);
    const all = new Path2D();
    for (const [i, row] of rows.entries()) {
      if (row.state !== state) continue;
      const [x, y] = [(i % columns) * tile, Math.floor(i / columns) * tile];
      all.addPath(shape, new DOMMatrix([(tile * 0.8) / 16, 0, 0, (tile * 0.8) / 16, x + tile * 0.1, y + tile * 0.1]));
    }
    context.fillStyle = style.getPropertyValue(`--${state}`);
    context.fill(all, 'evenodd');
  }
}
