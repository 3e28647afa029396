import { endpointOf } from '#infra/docs/openapi.ts';
import { apiRows } from '#lib/api-rows.ts';

/**
 * Every endpoint of `api` of which each success is noted in the audit log, by itself: all that change something but
 * pushes. Who signs out without a session changes nothing.
 */
export const notedRows = apiRows
  .filter((row) => row.method !== 'GET' && row.access !== 'push' && row.path !== '/v1/session')
  .map((row) => ({ ...row, endpoint: endpointOf(row) }));

export const isNoted = (endpoint: string): boolean => notedRows.some((row) => row.endpoint === endpoint);
