import type { StateContext } from '#lib/checks/state/on-change.ts';
import { signInRoutes } from '#lib/identity/sign-in.ts';
import { loadRoutes } from '#lib/platform/http/lazy-routes.ts';
import type { Route } from '#lib/platform/http/route.ts';
import { apiRoutes } from './api-routes.ts';

/** Routes of all functions, for documentation, tests and the edge function (infra/aws/edge/code.ts). */
export const allRoutes: Route<StateContext>[] = [...(await loadRoutes(apiRoutes)), ...signInRoutes];
