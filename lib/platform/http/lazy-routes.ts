import { lazy } from '#lib/platform/lazy.ts';
import type { ApiEvent, ApiResult } from './api-event.ts';
import type { Route } from './route.ts';

/** A list of rows that is loaded with the first request to one of its resources. */
export type LazyRoutes<Context> = {
  /** What its paths begin with, behind the version: `checks` of `/v1/checks/{id}`. */
  of: readonly string[];
  load: () => Promise<readonly Route<Context>[]>;
};

/** The resource that a path is of: `checks` of `/v1/checks/{id}`; empty for none. */
export const resourceOf = (path: string): string => path.split('/')[2] ?? '';

/** All rows of some lists. */
export const loadRoutes = async <Context>(lists: readonly LazyRoutes<Context>[]): Promise<Route<Context>[]> =>
  (await Promise.all(lists.map(({ load }) => load()))).flat();

type RouteHandler = (event: ApiEvent) => Promise<ApiResult>;

/**
 * Answers requests by lists of rows of which each is loaded with the first request that may be meant for it: a function
 * on AWS loads at its start no more than what all requests need.
 * @param makeRouter what answers by the rows of one resource, or by none
 */
export function lazyRouter<Context>(
  lists: readonly LazyRoutes<Context>[],
  makeRouter: (rows: Route<Context>[]) => RouteHandler,
): RouteHandler {
  const resources = new Set(lists.flatMap((list) => list.of));
  const routers = new Map(
    [...resources].map((resource) => {
      const own = lists.filter((list) => list.of.includes(resource));
      return [resource, lazy(async () => makeRouter(await loadRoutes(own)))];
    }),
  );
  const elsewhere = makeRouter([]);
  return async (event) => {
    const load = routers.get(resourceOf(event.rawPath));
    return load ? (await load())(event) : elsewhere(event);
  };
}
