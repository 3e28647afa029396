import type { PublicUpdateItem } from '#lib/incidents/public-updates.ts';
import { componentsOf, type StatusPageItem } from '#lib/public/pages/status-page.ts';
import { subscribersIn } from '#test/oracle/subscribers.ts';
import type { OperatorWorld } from './alerting-bodies.ts';
import { entitiesIn } from './operator.ts';
import { WEBHOOK_SECRET } from './receivers.ts';
import { insist } from './requests.ts';

const STATUSES = ['investigating', 'identified', 'monitoring', 'resolved'];
const MIN_SUBSCRIBERS = 3;

/** Simulates a user who manages a public status page with two components, its subscribers, and updates of incidents. */
export async function runPublicist({ random, clock, seen, client }: OperatorWorld, end: number): Promise<void> {
  const send = (method: string, path: string, body?: object) =>
    insist(random, clock, () => client(method, path, body), 6);
  while (entitiesIn(seen).length === 0) await clock.sleep(1000);
  const components = [{ name: 'Shop', entity_id: random.pick(entitiesIn(seen)).id }, { name: 'Payments' }];
  const settings = { slug: 'shop', title: 'Shop', visibility: 'public', groups: [{ components }] };
  // The page is found in the table, because an attempt without a response can have created it.
  await send('POST', '/v1/status-pages', settings);
  const page = [...seen.table.values()].find(({ sk }) => sk.startsWith('pag_')) as StatusPageItem | undefined;
  if (!page) return;
  const ids = componentsOf(page).map(({ id }) => id);
  const subscribers = `/v1/status-pages/${page.id}/subscribers`;
  let incident: string | undefined;

  for (let number = 0; clock.now() < end; number++) {
    const known = [...subscribersIn(seen)].filter(({ removed }) => !removed);
    const updates = [...seen.table.values()].filter(({ sk }) => sk.startsWith('U#upd_')) as PublicUpdateItem[];
    const kind = random.int(1, 10);
    if (known.length < MIN_SUBSCRIBERS || kind <= 2) {
      const config = { url: `https://r${4 + (number % 3)}.test/webhook`, secret: WEBHOOK_SECRET };
      const component_ids = random.pick([[], [], [ids[0]], [ids[1]]]);
      await send('POST', subscribers, { channel_type: 'webhook', config, component_ids });
    } else if (kind <= 4) {
      await send('DELETE', `${subscribers}/${random.pick(known).item.id}`);
    } else if (kind <= 5 && updates.length > 0) {
      const { id, incident_id } = random.pick(updates);
      const path = `/v1/incidents/${incident_id}/updates/${id}`;
      await (random.chance(0.5) ? send('PUT', path, { message: `Edited ${number}.` }) : send('DELETE', path));
    } else {
      if (!incident || random.chance(0.2)) {
        const body = { title: `incident ${number}`, impact: 'degraded', component_ids: [random.pick(ids)] };
        incident = ((await send('POST', '/v1/incidents', body))?.body as { id?: string } | undefined)?.id;
      }
      const component_ids = random.pick([[], [], [ids[0]], [ids[1]], ids]);
      const update = { status: random.pick(STATUSES), message: `News ${number}.`, notify: random.chance(0.8) };
      if (incident) await send('POST', `/v1/incidents/${incident}/updates`, { ...update, component_ids });
    }
    // Sometimes so soon that the page is not published yet.
    await clock.sleep(random.int(100, random.pick([500, 3000, 90_000])));
  }
}
