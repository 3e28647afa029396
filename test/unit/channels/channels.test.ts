import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type ChannelType, defineChannel, type Send } from '#lib/channels/channel-type.ts';
import { messageOf } from '#lib/channels/message.ts';
import { ChannelBody, channelTypes } from '#lib/channels/registry.ts';
import { TEMPLATES } from '#lib/channels/templates.ts';
import { headerText } from '#lib/channels/types/ntfy.ts';
import { parse } from '#lib/platform/http/validation.ts';
import { signatureOf } from '#test/support/webhook-receiver.ts';
import { examples, nasty } from './example-alerts.ts';
import { decoded, json, render } from './rendered.ts';

/** Returns the URL and credentials, or the subject, of a message; an empty list for a mail, which has no secrets. */
const endpointOf = (send: Send) => {
  if (send.via === 'http') return [send.url, send.headers.authorization];
  return send.via === 'nats' ? [send.subject] : [];
};

/** Returns the text of a message, decoded and without escapes. */
function textOf(send: Send): string {
  if (send.via === 'smtp') return `${send.mail.subject}\n${send.mail.text}`;
  const body = send.body.startsWith('{') ? stringsOf(JSON.parse(send.body)).join('\n') : send.body;
  if (send.via === 'nats') return body;
  const form = send.headers['content-type']?.includes('form')
    ? [...new URLSearchParams(body).values()].join('\n')
    : body;
  return `${decoded(send.headers.title ?? '')}\n${form.replaceAll('&#x27;', "'")}`;
}

const stringsOf = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : value && typeof value === 'object'
      ? Object.values(value).flatMap(stringsOf)
      : [];

/** Whether a setting has a fixed list of values. It is then not a secret. */
const isChoice = ({ config }: ChannelType, key: string): boolean => {
  const schema = config.shape[key];
  return (schema instanceof z.ZodOptional ? schema.unwrap() : schema) instanceof z.ZodEnum;
};

/** Returns the settings of a type that change the address or the credentials of its messages. */
const addressSettings = (type: ChannelType): string[] =>
  type.examples.valid.flatMap((config) => {
    const endpoint = (changed: Record<string, string>) => endpointOf(type.render(examples.test, changed));
    return Object.keys(config).filter(
      (key) =>
        !isChoice(type, key) && !isDeepStrictEqual(endpoint({ ...config, [key]: `${config[key]}x` }), endpoint(config)),
    );
  });

it('treats a setting as secret when it changes the address, the subject or the authorization', () => {
  const type = defineChannel({
    type: 'pager',
    title: 'Pager',
    about: 'Posts to a room of a pager.',
    via: 'http',
    read_by: 'people',
    config: z.strictObject({ bot_token: z.string(), key: z.string(), chat_id: z.string(), severity: z.string() }),
    secrets: ['bot_token', 'key'],
    render: (_alert, { bot_token, key, ...body }) => ({
      via: 'http',
      url: `https://pager.test/${bot_token}/send`,
      headers: { authorization: key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    examples: { valid: [{ bot_token: 'a', key: 'b', chat_id: '7', severity: 'critical' }], invalid: [] },
  });
  expect(addressSettings(type)).toEqual(['bot_token', 'key']);
});

describe.each(channelTypes.map((type) => [type.type, type] as const))('channel type %s', (name, type) => {
  it.each(type.examples.valid.map((value) => [JSON.stringify(value), value]))('accepts %s', (_text, config) => {
    expect(parse(ChannelBody, { channel_type: name, config })).toEqual({ channel_type: name, config });
  });

  it.each(type.examples.invalid.map((one) => [JSON.stringify(one.value), one] as const))('rejects %s', (_text, one) => {
    expect(() => parse(ChannelBody, { channel_type: name, config: one.value })).toThrowError(
      expect.objectContaining({ details: [expect.objectContaining({ path: `config.${one.path}` })] }),
    );
  });

  it('accepts null in its config as absent', () => {
    const config = type.examples.valid[0]!;
    const withNull = { ...config, ...Object.fromEntries(type.secrets.map((key) => [key, config[key] ?? null])) };
    expect(parse(ChannelBody, { channel_type: name, config: withNull })).toEqual({ channel_type: name, config });
  });

  it('lists every address setting as secret', () => {
    expect(type.secrets).toEqual(expect.arrayContaining(addressSettings(type)));
    expect(Object.keys(type.config.shape)).toEqual(expect.arrayContaining([...type.secrets]));
  });

  it('has every setting in one of its examples', () => {
    const shown = new Set([...type.examples.valid.flatMap(Object.keys), ...Object.keys(TEMPLATES)]);
    expect(Object.keys(type.config.shape).filter((key) => !shown.has(key))).toEqual([]);
  });

  it('has title, error and link of a failure for readers, and its ids for programs', () => {
    const failures = Object.values(examples).filter(
      ({ kind, reports_state }) => kind === 'state_change' && reports_state !== 'up',
    );
    expect(failures.length).toBeGreaterThan(3);
    for (const alert of failures) {
      const said = textOf(type.render(alert, type.examples.valid[0]!));
      const { title, why, links } = messageOf(alert);
      const ids = [alert.event.entity_id, alert.event.check_id];
      for (const text of type.read_by === 'people' ? [title, why, links[0]?.[1] ?? ''] : ids)
        expect(said).toContain(text);
    }
  });

  // PagerDuty resolves an incident by its key only.
  if (type.read_by === 'people' && name !== 'pagerduty') {
    it('has the title of every alert', () => {
      for (const alert of Object.values(examples)) {
        expect(textOf(type.render(alert, type.examples.valid[0]!))).toContain(messageOf(alert).title);
      }
    });
  }

  it('declares the transport that its messages use', () => {
    for (const alert of [...Object.values(examples), nasty]) {
      expect(type.render(alert, type.examples.valid[0]!).via).toBe(type.via);
    }
  });
});

describe('webhook', () => {
  it('posts the event with all known properties', () => {
    const send = render('webhook');
    expect(send.headers).toEqual({ 'content-type': 'application/json', 'X-Service-Timestamp': '1795238201' });
    expect(JSON.parse(send.body)).toEqual({
      entity_id: 'ent_1',
      entity_name: 'Shop',
      check_id: 'chk_1',
      tenant_id: 'acc_1',
      ...{ from_state: 'up', to_state: 'degraded', check_from_state: 'up', check_to_state: 'down' },
      transition_id: 'trn_1',
      timestamp: '2026-11-21T05:16:40.123Z',
      kind: 'state_change',
      urgency: 'high',
      alert_id: 'alr_1',
      incident_id: null,
      check: { id: 'chk_1', name: 'checkout', slug: null, type: 'http', target: 'GET https://shop.test/pay' },
      entity: { id: 'ent_1', name: 'Shop', slug: 'shop', blueprint: 'service', labels: { team: 'payments' } },
      cause: 'result',
      error_message: 'status 503, expected 200',
      since: '2026-11-21T05:16:10.123Z',
      ...{ root: null, affected: null, impact: null, acknowledge_url: null, silence_url: null },
      ...{ step: null, unreported: null, acknowledgement: null, remediation: null, group_id: null },
      urls: { check: null, incident: null, runbook: null, dashboard: null },
    });
  });

  it('signs the timestamp with the body, so that an old alert cannot be replayed', async () => {
    const send = render('webhook', nasty, { secret: 'letmesign' });
    const timestamp = send.headers['X-Service-Timestamp'];
    const mac = (await signatureOf(`${timestamp}.${send.body}`, 'letmesign')).replace('sha256=', 'v1=');
    expect(send.headers['X-Service-Signature-V1']).toBe(mac);
    const later = render('webhook', { ...nasty, sent_at: nasty.sent_at + 2000 }, { secret: 'letmesign' });
    expect(Number(later.headers['X-Service-Timestamp'])).toBe(Number(timestamp) + 2);
    expect(later.headers['X-Service-Signature']).toBe(send.headers['X-Service-Signature']);
    expect(later.headers['X-Service-Signature-V1']).not.toBe(mac);
  });

  it('signs the exact bytes of the body when there is a secret', async () => {
    const send = render('webhook', nasty, { secret: 'lét me sign' });
    expect(send.headers['X-Service-Signature']).toBe(await signatureOf(send.body, 'lét me sign'));
  });
});

describe('slack', () => {
  it('has a headline for the notification and the facts below', () => {
    expect(json('slack', examples.reminder)).toEqual({
      text: ':red_circle: Shop: checkout is still down after 2 h',
      blocks: [
        { type: 'section', text: mrkdwn('*:red_circle: Shop: checkout is still down after 2 h*') },
        {
          type: 'section',
          fields: [
            mrkdwn('*Check*\nup → down'),
            mrkdwn('*Entity*\nup → degraded'),
            mrkdwn('*Failing since*\n2026-11-21 05:16:10 UTC'),
            mrkdwn('*Down for*\n2 h'),
          ],
        },
        { type: 'section', text: mrkdwn('*Why*\nstatus 503, expected 200') },
        { type: 'context', elements: [mrkdwn('Reminder: still down.')] },
      ],
      unfurl_links: false,
      unfurl_media: false,
    });
  });

  it('is green on recovery and omits unknown parts', () => {
    const { text, blocks } = json('slack', examples.recovery);
    expect(text).toBe(':large_green_circle: Shop: checkout is up again after 1 h 5 min');
    expect(blocks).toHaveLength(2);
  });

  it('prevents mentions by names and errors', () => {
    const { body } = render('slack', nasty);
    expect(body).not.toMatch(/[<>]/);
    expect(JSON.parse(body).text).toContain('Kasse &lt;!channel&gt; &amp; "Büro"');
  });

  it("stays within Slack's limits for a block", () => {
    for (const block of json('slack', nasty).blocks) {
      if (block.text) expect(block.text.text.length).toBeLessThanOrEqual(3000);
      for (const field of block.fields ?? []) expect(field.text.length).toBeLessThanOrEqual(2000);
    }
  });
});

const mrkdwn = (text: string) => ({ type: 'mrkdwn', text, verbatim: true });

describe('discord', () => {
  it('sends an embed colored by state', () => {
    expect(json('discord', examples.recovery)).toEqual({
      embeds: [
        {
          title: 'Shop: checkout is up again after 1 h 5 min',
          color: 0x1e8e3e,
          fields: [
            { name: 'Check', value: 'down → up', inline: true },
            { name: 'Entity', value: 'degraded → up', inline: true },
            { name: 'Since', value: '2026-11-21 06:21:52 UTC', inline: true },
            { name: 'Was down for', value: '1 h 5 min', inline: true },
          ],
          timestamp: '2026-11-21T06:21:52.123Z',
        },
      ],
      allowed_mentions: { parse: [] },
    });
    expect(json('discord', examples.state_change).embeds[0]).toMatchObject({
      color: 0xd93025,
      description: '```\nstatus 503, expected 200\n```',
    });
    expect(json('discord', examples.test).embeds[0]).toMatchObject({
      color: 0x80868b,
      footer: { text: 'Test alert: nothing has happened, and this channel works.' },
    });
  });

  it('escapes markdown in names and keeps plain names', () => {
    const { title, description } = json('discord', nasty).embeds[0];
    expect(title).toContain('snake_case \\@everyone \\[x\\](http://evil.test)');
    expect(title).toContain('\\*\\_\\`\\~\\|');
    expect(title.length).toBeLessThanOrEqual(256);
    expect(description.slice(3, -3)).not.toContain('```');
  });
});

describe('ntfy', () => {
  it('has title, priority and tag in headers and the text as body', () => {
    expect(render('ntfy', examples.state_change, { token: 'tk_1' })).toEqual({
      via: 'http',
      url: 'https://hooks.test/abc',
      headers: {
        'content-type': 'text/plain; charset=utf-8',
        title: 'Shop: checkout is down',
        priority: 'high',
        tags: 'red_circle',
        authorization: 'Bearer tk_1',
      },
      body: 'Check: up → down\nEntity: up → degraded\nFailing since: 2026-11-21 05:16:10 UTC\nWhy: status 503, expected 200',
    });
  });

  it('sends no authorization without a token', () => {
    expect(render('ntfy', examples.recovery).headers).not.toHaveProperty('authorization');
  });

  it('stays below the 4,096 bytes that ntfy shows as a message', () => {
    expect(Buffer.byteLength(render('ntfy', nasty).body)).toBeLessThan(4096);
  });

  it('encodes any title as encoded words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (text) => {
        const header = headerText(text);
        expect(header).toMatch(/^[\x20-\x7e]*$/);
        expect(decoded(header)).toBe(text.replace(/\p{Cc}+/gu, ' ').trim());
        for (const word of header.match(/=\?\S+\?=/g) ?? []) expect(word.length).toBeLessThanOrEqual(75);
      }),
    );
  });
});
