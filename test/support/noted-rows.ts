import { endpointOf } from '#infra/docs/openapi.ts';
import { apiRows } from '#lib/api-rows.ts';

/** Every endpoint of which each success is noted in the audit log, by itself: all that change something but pushes. */
export const notedRows = apiRows
  .filter((row) => row.method !== 'GET' && row.access !== 'push')
  .map((row) => ({ ...row, endpoint: endpointOf(row) }));

export const isNoted = (endpoint: string): boolean => notedRows.some((row) => row.endpoint === endpoint);
