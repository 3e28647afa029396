import { computed } from '@preact/signals';
import { matchPath } from '#console/rules/address.ts';
import { type PageRow, pages } from './pages.ts';
import { address } from './router.ts';

/** The page of the address, and the parts of its path; undefined where no page has this address. */
export const route = computed<{ row: PageRow; params: Record<string, string> } | undefined>(() => {
  for (const row of pages) {
    const params = matchPath(row.path, address.value.path);
    if (params) return { row, params };
  }
  return undefined;
});
