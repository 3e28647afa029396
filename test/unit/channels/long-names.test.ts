import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Alert } from '#lib/channels/alert.ts';
import { messageOf } from '#lib/channels/message.ts';
import { examples } from './example-alerts.ts';
import { decoded, json, render } from './rendered.ts';

/** Alerts with long names and errors, of characters that channels escape or encode. */
const alertsWithLongNames = fc
  .tuple(
    fc.constantFrom(...Object.values(examples)),
    fc.constantFrom('&', '*', '<', 'N', 'é', '😀'),
    fc.integer({ min: 1, max: 2000 }),
  )
  .map(([alert, character, length]) => ({
    ...alert,
    event: { ...alert.event, entity_name: character.repeat(200) },
    check_label: character.repeat(length),
    error_message: character.repeat(1000),
  }));

describe('names of any length', () => {
  it("stay within Slack's limits, without cutting escapes", () => {
    fc.assert(
      fc.property(alertsWithLongNames, (alert) => {
        const { text, blocks } = json('slack', alert);
        for (const said of [text, ...blocks.map((block: { text?: { text: string } }) => block.text?.text ?? '')]) {
          expect(said.length).toBeLessThanOrEqual(2900);
          expect(said).not.toMatch(/&(?!(amp|lt|gt);)/);
        }
        expect(text).toContain(factsOf(alert));
      }),
    );
  });

  it("keep the state in a title within Discord's limit", () => {
    fc.assert(
      fc.property(alertsWithLongNames, (alert) => {
        const { title } = json('discord', alert).embeds[0];
        expect(title.length).toBeLessThanOrEqual(256);
        expect(title).not.toMatch(/(?<!\\)(\\\\)*\\(…|$)/);
        expect(title).toContain(factsOf(alert));
      }),
    );
  });

  it('keep the state in a short title of ntfy', () => {
    fc.assert(
      fc.property(alertsWithLongNames, (alert) => {
        const { headers, body } = render('ntfy', alert);
        expect(decoded(headers.title!).length).toBeLessThanOrEqual(256);
        expect(headers.title!.length).toBeLessThanOrEqual(2000);
        expect(decoded(headers.title!)).toContain(factsOf(alert));
        expect(Buffer.byteLength(body)).toBeLessThan(4096);
      }),
    );
  });

  it('are sent complete to programs', () => {
    const alert = { ...examples.state_change, event: { ...examples.state_change.event, entity_name: 'N'.repeat(200) } };
    expect(JSON.parse(render('webhook', alert).body).entity_name).toBe('N'.repeat(200));
  });
});

/** Returns the words of a title that must not be cut off: after the names or, in a test alert, before them. */
function factsOf(alert: Alert): string {
  const event = { ...alert.event, entity_name: 'E' };
  const { title } = messageOf({ ...alert, event, check_label: 'C' });
  return alert.kind === 'test' ? 'Test alert for ' : title.slice('E: C'.length);
}
