import { iso } from '#lib/platform/time.ts';
import type { VirtualService } from './virtual-service.ts';

export type Check = { id: string; entity: { id: string; name: string } };

/** Returns helpers for tests of dependencies: entities with a check each, and relations between them. */
export function dependencyWorld(service: VirtualService) {
  /** Creates an entity with a check that probes http://<name>.test/ each ten seconds and alerts <receiver>. */
  async function addEntity(name: string, settings: Record<string, unknown> = {}): Promise<Check> {
    const entity = await service.call('POST', '/v1/blueprints/service/entities', { slug: name, name });
    return addCheck(entity, name, settings);
  }

  /** Creates such a check on an existing entity. */
  async function addCheck(
    entity: Check['entity'],
    name: string,
    { receiver = 'pager.test', ...more }: Record<string, unknown> = {},
  ): Promise<Check> {
    const { call } = service;
    const check = await call('POST', '/v1/checks', {
      ...{ entity_id: entity.id, check_type: 'http', target_url: `http://${name}.test/`, interval_seconds: 10 },
      ...{ failure_threshold: 1, ...more },
    });
    const config = { url: `https://${receiver}/hook` };
    await call('POST', `/v1/checks/${check.id}/policy/channels`, { channel_type: 'webhook', config });
    return { id: check.id, entity };
  }

  const depends = async (from: Check, to: Check, more = {}): Promise<string> =>
    (
      await service.call('POST', '/v1/relations', {
        ...{ from_entity_id: from.entity.id, to_entity_id: to.entity.id, relation_type: 'depends_on' },
        ...more,
      })
    ).id;

  const fails = (...names: string[]) => names.forEach((name) => void service.host(`${name}.test`).does('fails'));
  const answers = (...names: string[]) => names.forEach((name) => void service.host(`${name}.test`).does('answers'));

  /** Returns the alerts that a receiver accepted, without impact updates: `09:41 shop down`. */
  const alertsAt = (receiver = 'pager.test'): string[] =>
    service.host(receiver).calls.flatMap(({ at, body, status }) => {
      if (status !== 200) return [];
      const { kind, entity_name, check_to_state } = JSON.parse(body);
      if (kind === 'impact') return [];
      return [`${iso(at).slice(11, 16)} ${entity_name} ${check_to_state}`];
    });

  /** Returns the alert decisions of a check, newest first: `down skipped dependency`. */
  const decisionsOf = async ({ id }: Check) =>
    (await service.call('GET', `/v1/checks/${id}/transitions`)).map(
      ({ check_to_state, alert }: { check_to_state: string; alert: { decision: string; reason: string | null } }) =>
        `${check_to_state} ${alert.decision} ${alert.reason}`,
    );

  /** Removes the only channel of a check, so that it has no recipients. */
  const withoutRecipients = async ({ id }: Check) => {
    const { channels } = await service.call('GET', `/v1/checks/${id}/policy`);
    await service.call('DELETE', `/v1/checks/${id}/policy/channels/${channels[0].id}`);
  };

  return { addEntity, addCheck, depends, fails, answers, alertsAt, decisionsOf, withoutRecipients };
}
