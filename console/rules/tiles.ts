/** Grid of square tiles; `tile` is the side in pixels. */
export type TileGrid = { columns: number; tile: number; height: number };

const MAX_TILE = 22;
const MIN_TILE = 4;

/** Returns the largest tiles that fit into `maxHeight`; if none fit, the grid is higher. */
export function tileGrid(count: number, width: number, maxHeight: number): TileGrid {
  let grid = gridOf(count, width, MAX_TILE);
  for (let tile = MAX_TILE; tile > MIN_TILE && grid.height > maxHeight; ) grid = gridOf(count, width, --tile);
  return grid;
}

function gridOf(count: number, width: number, tile: number): TileGrid {
  const columns = Math.max(1, Math.floor(width / tile));
  return { columns, tile, height: Math.ceil(count / columns) * tile };
}

/** Returns the index of the tile at a point: -1 beside or above the grid, too high after the last tile. */
export function tileAt({ columns, tile }: TileGrid, x: number, y: number): number {
  const column = Math.floor(x / tile);
  return column < 0 || column >= columns || y < 0 ? -1 : Math.floor(y / tile) * columns + column;
}
