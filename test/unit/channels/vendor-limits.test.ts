import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Alert } from '#lib/channels/alert.ts';
import { combinedAlert, MAX_COMBINED } from '#lib/channels/combined.ts';
import { channelTypeOf } from '#lib/channels/registry.ts';
import type { VendorResponse } from '#test/support/vendors/vendor.ts';
import { configOf, types, vendorOf } from './all-vendors.ts';
import { examples, nasty } from './example-alerts.ts';

/** Returns the response of the vendor to the request of a type for an alert, without a network. */
function responseOf(type: string, alert: Alert, more: Record<string, string> = {}): VendorResponse {
  const send = channelTypeOf(type)!.render(alert, { ...configOf(type), ...more });
  if (send.via !== 'http') throw new Error(`${type} is not sent over HTTP`);
  const { pathname, searchParams } = new URL(send.url);
  const headers = Object.fromEntries(Object.entries(send.headers).map(([name, value]) => [name.toLowerCase(), value]));
  return vendorOf[type]![1]({
    method: send.method ?? 'POST',
    path: pathname,
    query: searchParams,
    headers,
    body: send.body,
  });
}

const characters = ['&', '*', '<', '"', '_', '[', '@', '\\', 'N', 'é', '😀', '`', '\n'];
const alerts = fc
  .tuple(
    fc.constantFrom(...Object.values(examples), nasty),
    fc.constantFrom(...characters),
    fc.integer({ min: 1, max: 200 }),
  )
  .map(
    ([alert, character, length]): Alert => ({
      ...alert,
      event: { ...alert.event, entity_name: `E${character.trim().repeat(length)}` },
      check_label: `C${character.trim().repeat(length)}`,
      error_message: character.repeat(1000),
      root: {
        entity_id: 'ent_2',
        entity_name: (character.trim() || 'R').repeat(length),
        state: 'down',
        since: alert.at,
      },
      affected: { count: 200, names: Array.from({ length: 10 }, () => (character.trim() || 'A').repeat(length)) },
    }),
  );

describe.each(types)('%s', (type) => {
  it('accepts every alert, with any names and errors', () => {
    fc.assert(
      fc.property(alerts, (alert) => {
        const { status, body } = responseOf(type, alert);
        expect(JSON.stringify({ status, body: status < 300 ? undefined : body })).toMatch(/"status":20/);
      }),
    );
  });

  it('accepts the largest combined message', () => {
    fc.assert(
      fc.property(alerts, (alert) => {
        const all = Array.from({ length: MAX_COMBINED }, () => ({ ...alert, combined: null }));
        const { status, body } = responseOf(type, combinedAlert(all as [Alert, ...Alert[]], 3));
        expect(JSON.stringify({ status, body: status < 300 ? undefined : body })).toMatch(/"status":20/);
      }),
      { numRuns: 30 },
    );
  });

  it('accepts long templates', () => {
    fc.assert(
      fc.property(alerts, fc.constantFrom(...characters), (alert, character) => {
        const body_template = `{{entity_name}} is {{state}}\n${character.repeat(3000)}{{error}}{{impact}}`;
        const { status, body } = responseOf(type, alert, { title_template: `${character}{{title}}`, body_template });
        expect(JSON.stringify({ status, body: status < 300 ? undefined : body })).toMatch(/"status":20/);
      }),
    );
  });
});
