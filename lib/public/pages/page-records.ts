import type { Context } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import type { EntityItem } from '#lib/catalog/entity.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import type { PublicationItem } from './publish.ts';
import { urlOf } from './render.ts';
import { componentsOf, type StatusPageItem, StatusPageRecord } from './status-page.ts';

export async function pageRecords(context: Context, pages: readonly StatusPageItem[]): Promise<StatusPageRecord[]> {
  const { ports, keys, tenant } = context;
  const components = pages.flatMap(componentsOf);
  const shownIds = [...new Set(components.flatMap(({ entity_id, check_id }) => entity_id ?? check_id ?? []))];
  const shown = await ports.table.getMany<EntityItem | CheckItem>(
    shownIds.map((id) => (id.startsWith('ent_') ? keys.entity(tenant, id) : keys.check(tenant, id))),
    { eventual: true },
  );
  const missing = new Set(shownIds.filter((_, i) => shown[i] === undefined));
  const publications = await ports.table.getMany<PublicationItem>(
    pages.map(({ id }) => keys.publication(tenant, id)),
    { eventual: true },
  );
  return pages.map((page, i) => {
    const url = urlOf(page, ports.settings);
    const isSecret = page.visibility === 'link' && !seesSecrets(context.caller);
    const base = url && (isSecret ? REDACTED : url);
    return pick(StatusPageRecord, {
      ...page,
      missing_component_ids: componentsOf(page).flatMap(({ id, entity_id, check_id }) =>
        missing.has(entity_id ?? check_id ?? '') ? [id] : [],
      ),
      url: base ?? null,
      domain: page.domain ?? null,
      logo_url: base !== undefined && page.logo ? (isSecret ? REDACTED : `${base}/${page.logo}`) : null,
      published_at: (url && publications[i]?.published_at) ?? null,
    });
  });
}
