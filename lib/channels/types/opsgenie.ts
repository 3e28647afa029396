import * as z from 'zod';
import { channelToken, defineChannel } from '#lib/channels/channel-type.ts';
import { caseKeyOf, eventActionOf, messageOf } from '#lib/channels/message.ts';
import { fitted, linesOf } from '#lib/channels/plain-text.ts';
import { shorten } from '#lib/platform/text.ts';

const HOSTS = { us: 'api.opsgenie.com', eu: 'api.eu.opsgenie.com' };
// https://docs.opsgenie.com/docs/alerts-and-alert-fields
const MAX_MESSAGE = 130;
const MAX_DESCRIPTION = 15_000;
const MAX_ENTITY = 512;
const MAX_TAG = 50;
const PRIORITY = { bad: 'P1', warn: 'P3', good: 'P5', neutral: 'P5' };

/** Creates, acknowledges and closes alerts (https://docs.opsgenie.com/docs/alert-api), one alias per check. */
export const opsgenie = defineChannel({
  type: 'opsgenie',
  title: 'Opsgenie',
  about:
    'Creates, acknowledges and closes alerts by the Alert API of Opsgenie, one per check, with a priority by state and urgency.',
  via: 'http',
  read_by: 'people',
  has_cases: true,
  config: z.strictObject({
    api_key: channelToken(100).describe(
      'API key of an API integration with the permission to create and close alerts.',
    ),
    region: z.enum(['us', 'eu']).describe('Region of the Opsgenie account. Default: us.').optional(),
  }),
  secrets: ['api_key'],
  render(alert, config) {
    const message = messageOf(alert, config);
    const base = `https://${HOSTS[config.region ?? 'us']}/v2/alerts`;
    const alias = caseKeyOf(alert);
    const action = eventActionOf(alert);
    const open = {
      message: shorten(message.title, MAX_MESSAGE),
      alias,
      description: fitted([message.title, ...linesOf(message)].join('\n'), MAX_DESCRIPTION),
      entity: shorten(alert.event.entity_name, MAX_ENTITY),
      priority: alert.urgency === 'low' ? 'P4' : PRIORITY[message.mood],
      source: 'Fleetwatch',
      tags: Object.entries(alert.entity.labels).map(([key, value]) => shorten(`${key}:${value}`, MAX_TAG)),
      details: { check_id: alert.event.check_id, entity_id: alert.event.entity_id, state: alert.event.check_to_state },
    };
    return {
      via: 'http',
      url: action === 'open' ? base : `${base}/${encodeURIComponent(alias)}/${action}?identifierType=alias`,
      receiver: `${base}#${config.api_key}`,
      headers: { 'content-type': 'application/json', authorization: `GenieKey ${config.api_key}` },
      body: JSON.stringify(action === 'open' ? open : { source: 'Fleetwatch', note: message.title }),
    };
  },
  refused: ({ status, json }) =>
    status >= 400 && typeof json.message === 'string' ? { message: json.message } : undefined,
  examples: {
    valid: [
      { api_key: '4f2c1a6e-0b7d-4c1e-9a55-3f1f6a3c2b10' },
      { api_key: '4f2c1a6e-0b7d-4c1e-9a55-3f1f6a3c2b10', region: 'eu' },
    ],
    invalid: [
      { value: {}, path: 'api_key' },
      { value: { api_key: 'two words' }, path: 'api_key' },
      { value: { api_key: 'a', region: 'de' }, path: 'region' },
      { value: { api_key: 'a', team: 'ops' }, path: 'team' },
    ],
  },
});
