/** What a request takes of a table on demand. */
export type Capacity = { reads: number; writes: number };

const WRITE_BYTES = 1024;
const READ_BYTES = 4096;

/** Units of a write: a kilobyte each of the larger of the item before and after it, one at the least. */
export const writeUnits = (before: number, after: number): number =>
  Math.max(1, Math.ceil(Math.max(before, after) / WRITE_BYTES));

/** Units of a read of so many bytes: four kilobytes each, one at the least; half of that where it may be old. */
export const readUnits = (bytes: number, strong: boolean): number =>
  Math.max(1, Math.ceil(bytes / READ_BYTES)) * (strong ? 1 : 0.5);

/** Within a transaction each write is prepared and committed. */
export const TRANSACTION = 2;
