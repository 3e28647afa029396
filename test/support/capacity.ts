/** Capacity units of a request to an on-demand table. */
export type Capacity = { reads: number; writes: number };

const WRITE_BYTES = 1024;
const READ_BYTES = 4096;

/** Returns the units of a write: one per started KB of the larger of the item before and after it, at least one. */
export const writeUnits = (before: number, after: number): number =>
  Math.max(1, Math.ceil(Math.max(before, after) / WRITE_BYTES));

/** Returns the units of a read: one per started 4 KB, at least one; half of that if it is eventually consistent. */
export const readUnits = (bytes: number, strong: boolean): number =>
  Math.max(1, Math.ceil(bytes / READ_BYTES)) * (strong ? 1 : 0.5);

/** Factor of a transaction: each write is prepared and committed. */
export const TRANSACTION = 2;
