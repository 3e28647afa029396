/** Tiles in lines of so many, each `tile` pixels wide and high. */
export type TileGrid = { columns: number; tile: number; height: number };

const MAX_TILE = 22;
const SMALLEST = 4;

/** The largest tiles that fit; where even the smallest do not, the picture becomes higher. */
export function tileGrid(count: number, width: number, most: number): TileGrid {
  let grid = gridOf(count, width, MAX_TILE);
  for (let tile = MAX_TILE; tile > SMALLEST && grid.height > most; ) grid = gridOf(count, width, --tile);
  return grid;
}

function gridOf(count: number, width: number, tile: number): TileGrid {
  const columns = Math.max(1, Math.floor(width / tile));
  return { columns, tile, height: Math.ceil(count / columns) * tile };
}

/** Which tile is at a point; -1 where none is. */
export function tileAt({ columns, tile }: TileGrid, x: number, y: number): number {
  const column = Math.floor(x / tile);
  return column < 0 || column >= columns || y < 0 ? -1 : Math.floor(y / tile) * columns + column;
}
