import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { STATUS_PAGES, under } from '#lib/keys.ts';
import { publishMessage } from '#lib/messages.ts';
import { invalid } from '#lib/platform/errors.ts';
import { isId } from '#lib/platform/ids.ts';
import type { Item } from '#lib/platform/ports.ts';
import { allOf } from '#lib/platform/table/pages.ts';

const MAX_COMPONENTS = 100;

export const ComponentIds = z
  .array(z.string().refine((id) => isId('cmp', id), 'must be the id of a component of a status page: cmp_…'))
  .max(MAX_COMPONENTS, `must name at most ${MAX_COMPONENTS}`)
  .describe('Ids of affected components of status pages.');

/** The properties of a status page that incidents read. */
type PageItem = Item & { id: string; groups: { components: { id: string }[] }[] };

async function readComponentPages({ ports, keys, tenant }: Context): Promise<ReadonlyMap<string, string>> {
  const pages = await allOf<PageItem>(ports.table, { partition: keys.statusPages(tenant), ...under(STATUS_PAGES) });
  return new Map(
    pages.flatMap(({ id, groups }) =>
      groups.flatMap(({ components }) => components.map((component) => [component.id, id] as const)),
    ),
  );
}

/** Asks to publish the status pages of the account. After a crash, they are published within five minutes anyway. */
export const askToPublish = ({ ports, tenant }: Context): Promise<void> =>
  ports.queues.send('publish', [publishMessage(tenant, ports.clock.now())]);

/**
 * Checks that components exist and are on the pages of `among`, the components already in the incident, if any.
 * @throws AppError VALIDATION_ERROR with the path of the first invalid component
 */
export async function requireComponents(
  context: Context,
  component_ids: readonly string[],
  among: readonly string[] = [],
): Promise<void> {
  if (component_ids.length === 0) return;
  const pageOf = await readComponentPages(context);
  const pages = new Set(among.flatMap((id) => pageOf.get(id) ?? []));
  for (const [i, id] of component_ids.entries()) {
    const page = pageOf.get(id);
    if (page === undefined)
      throw invalid(`component_ids.${i}`, 'does not exist; GET /v1/status-pages lists components');
    if (pages.size > 0 && !pages.has(page)) {
      throw invalid(
        `component_ids.${i}`,
        'is on another status page than the components of this incident; first add it with PUT /v1/incidents/{id}',
      );
    }
  }
}
