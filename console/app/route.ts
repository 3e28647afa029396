import { computed } from '@preact/signals';
import { matchPath } from '#console/rules/address.ts';
import { type PageRow, pages } from './pages.ts';
import { address } from './router.ts';

/** Page and path parameters of the address; undefined if no page has the address. */
export const route = computed<{ row: PageRow; params: Record<string, string> } | undefined>(() => {
  for (const row of pages) {
    const params = matchPath(row.path, address.value.path);
    if (params) return { row, params };
  }
  return undefined;
});
