import { expect, it } from 'vitest';
import { apiRoutes } from '#lib/api-routes.ts';
import { resourceOf } from '#lib/platform/http/lazy-routes.ts';

it('loads each list of routes for exactly the resources in its paths', async () => {
  for (const { of, load } of apiRoutes) {
    const found = new Set((await load()).map(({ path }) => resourceOf(path)));
    expect([...of].sort()).toEqual([...found].sort());
  }
});
