import type { EntityItem } from '#lib/catalog/entity-item.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';

/** Pages about an alert, for people; null where there is none. */
export type AlertUrls = {
  check: string | null;
  incident: string | null;
  runbook: string | null;
  dashboard: string | null;
};

/** What the pages follow from. `public_url`: the setting PUBLIC_URL, which may be empty. */
export type AlertUrlsAbout = {
  check: CheckItem | undefined;
  entity: EntityItem;
  incident_id?: string | undefined;
  public_url: string;
};

const LONGEST = 2048;

/**
 * Check and incident in the console, and the addresses that the check's labels, or else the entity's fields and labels,
 * have as `runbook_url` and `dashboard_url`.
 */
export function urlsOf({ check, entity, incident_id, public_url }: AlertUrlsAbout): AlertUrls {
  const named = (name: string): string | null =>
    [check?.labels?.[name], entity.fields[name], entity.labels[name]].find(isAddress) ?? null;
  return {
    check: check && public_url !== '' ? `${public_url}/#/checks/${check.id}` : null,
    incident: incident_id !== undefined && public_url !== '' ? `${public_url}/#/incidents/${incident_id}` : null,
    runbook: named('runbook_url'),
    dashboard: named('dashboard_url'),
  };
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= LONGEST && /^https?:\/\/[^\s<>"]+$/.test(value) && URL.canParse(value);
