import type { State } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import { pages } from '#console/app/pages.ts';
import { refusal } from '#console/app/session.ts';
import { pathTo } from '#console/rules/address.ts';
import type { PaletteTarget } from '#console/rules/palette.ts';
import { commands } from './commands.ts';

export type CheckName = { id: string; name: string | null; check_type: string; state: State };

const PAGES: readonly PaletteTarget[] = pages.flatMap(({ path, nav }) =>
  nav ? [{ href: `#${path}`, name: nav.label, kind: 'page', ...(nav.synonyms && { synonyms: nav.synonyms }) }] : [],
);

/** Lists the targets of the palette: pages, commands that the user may use, entities, and checks. */
export function paletteTargets(checks: readonly CheckName[]): PaletteTarget[] {
  const entities = [...(live.fleet.value?.values() ?? [])].map(
    ({ name, blueprint_slug, slug, state }): PaletteTarget => ({
      href: `#${pathTo('/entities/:blueprint/:slug', { blueprint: blueprint_slug, slug })}`,
      name,
      kind: blueprint_slug,
      state,
    }),
  );
  const named = checks.map(
    ({ id, name, check_type, state }): PaletteTarget => ({
      href: `#${pathTo('/checks/:id', { id })}`,
      name: name ?? id,
      kind: `${check_type} check`,
      state,
    }),
  );
  const allowed = commands.flatMap(({ needs, ...command }): PaletteTarget[] =>
    needs && refusal(needs) ? [] : [{ ...command, kind: 'command' }],
  );
  return [...PAGES, ...allowed, ...entities, ...named];
}
