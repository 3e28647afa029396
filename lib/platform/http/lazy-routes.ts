import { lazy } from '#lib/platform/lazy.ts';
import type { ApiEvent, ApiResult } from './api-event.ts';
import type { Route } from './route.ts';

/** Routes that are loaded on the first request to one of their resources (`resourceOf`). */
export type LazyRoutes<Context> = {
  of: readonly string[];
  load: () => Promise<readonly Route<Context>[]>;
};

/** Returns the resource of a path: `checks` of `/v1/checks/{id}`, `metrics` of `/metrics`, or an empty text. */
export function resourceOf(path: string): string {
  const [, first = '', second = ''] = path.split('/');
  return first === 'v1' ? second : first;
}

export const loadRoutes = async <Context>(lists: readonly LazyRoutes<Context>[]): Promise<Route<Context>[]> =>
  (await Promise.all(lists.map(({ load }) => load()))).flat();

type RouteHandler = (event: ApiEvent) => Promise<ApiResult>;

/** Returns a handler that loads routes on the first request to their resource, for a fast start on AWS. */
export function lazyRouter<Context>(
  lists: readonly LazyRoutes<Context>[],
  makeRouter: (routes: Route<Context>[]) => RouteHandler,
): RouteHandler {
  const resources = new Set(lists.flatMap((list) => list.of));
  const routers = new Map(
    [...resources].map((resource) => {
      const ofResource = lists.filter((list) => list.of.includes(resource));
      return [resource, lazy(async () => makeRouter(await loadRoutes(ofResource)))];
    }),
  );
  const noResource = makeRouter([]);
  return async (event) => {
    const load = routers.get(resourceOf(event.rawPath));
    return load ? (await load())(event) : noResource(event);
  };
}
