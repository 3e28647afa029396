import type { Context } from '#lib/access/context.ts';
import { accessRows } from '#lib/access/routes.ts';
import { catalogRows } from '#lib/catalog/routes.ts';
import type { Route } from '#lib/platform/route.ts';

/** Every endpoint of the API, one list a room. */
export const apiRows: Route<Context>[] = [...accessRows, ...catalogRows];
