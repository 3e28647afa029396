import type { StateContext } from '#lib/checks/state/on-change.ts';
import { signInRows } from '#lib/identity/sign-in.ts';
import { loadRows } from '#lib/platform/http/late-rows.ts';
import type { Route } from '#lib/platform/http/route.ts';
import { apiRows } from './api-rows.ts';

/** Every endpoint there is, of all functions: for documents and tests, and for the gateway at the edge. */
export const allRows: Route<StateContext>[] = [...(await loadRows(apiRows)), ...signInRows];
