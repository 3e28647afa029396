import * as z from 'zod';
import { Matches } from '#lib/checks/conversation/steps.ts';
import { HeaderMap } from '#lib/net/header-map.ts';
import { defineCheck } from './check-type.ts';
import { addressOf } from './host-setting.ts';

const Url = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const wrong = (message: string) => context.addIssue({ code: 'custom', message });
    const url = URL.parse(text);
    if (!url || !/^wss?:\/\//i.test(text)) wrong('must be an absolute ws or wss URL, such as wss://example.com/live');
    else if (url.username || url.password)
      wrong('must not hold user:password@; send an authorization header in config.headers');
    else if (url.hash) wrong('must not hold a fragment, which no server is sent');
    else if (url.port === '0') wrong('must not name port 0, which cannot be connected to');
  });

const Config = z.strictObject({
  url: Url.describe('Full ws or wss URL, without user:password@.'),
  headers: HeaderMap.describe('Headers to send, at most 20; a read-only key sees them as ********.').optional(),
  subprotocol: z
    .string()
    .max(200)
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be the name of a protocol: letters, digits and hyphens')
    .describe('The protocol that the server must speak within it, such as mqtt or graphql-transport-ws.')
    .optional(),
  verify_tls: z
    .boolean()
    .describe('Whether the certificate must be valid; default true. Turn it off for self-signed ones only.')
    .optional(),
  send: z
    .string()
    .min(1)
    .max(4096)
    .describe('A message to send, as text; a read-only key sees it as ********.')
    .optional(),
  expect: z.string().min(1).max(4096).describe('Text that one of the messages must hold, to the letter.').optional(),
  matches: Matches.describe('RE2 expression that must be found in one of the messages.').optional(),
});
export type WebsocketConfig = z.output<typeof Config>;

/** A WebSocket that comes about, and a message that fits if one is wanted (RFC 6455). */
export const websocket = defineCheck({
  type: 'websocket',
  mode: 'pull',
  title: 'WebSocket',
  about:
    'Opens a WebSocket. It succeeds when the server agrees to it, with the subprotocol if one is wanted, and sends a message that fits if one is expected. Up to 64 KB of a message and 1 MB of all are read.',
  config: Config,
  sources: ['latency_ms'],
  secrets: ['config.headers', 'config.send'],
  urls: ['config.url'],
  contradictions: ({ config: { expect, matches } }) =>
    expect !== undefined && matches !== undefined
      ? [{ path: 'config.matches', message: 'cannot be beside expect: a message has to fit one of them' }]
      : [],
  expressions: ({ config: { matches } }) => (matches === undefined ? [] : [{ path: 'config.matches', text: matches }]),
  hosts: ({ config }) => {
    const { host, port } = addressOf(config.url);
    return [{ path: 'config.url', host, port }];
  },
  targetLabel: ({ config }) => {
    const { origin, pathname } = new URL(config.url);
    return `${origin}${pathname}`;
  },
  probe: async () => (await import('#lib/checks/types/websocket-probe.ts')).probeWebsocket,
  examples: {
    valid: [
      { config: { url: 'wss://shop.example.com/live', send: '{"type":"ping"}', expect: '"pong"' } },
      { config: { url: 'ws://192.168.1.10:8080/' } },
      {
        config: {
          url: 'wss://shop.example.com/graphql?v=2',
          headers: { Authorization: 'Bearer abc' },
          subprotocol: 'graphql-transport-ws',
          verify_tls: false,
        },
      },
    ],
    invalid: [
      { value: { config: {} }, path: 'config.url' },
      { value: { config: { url: 'https://example.com' } }, path: 'config.url' },
      { value: { config: { url: 'example.com' } }, path: 'config.url' },
      { value: { config: { url: 'wss://user:secret@example.com' } }, path: 'config.url' },
      { value: { config: { url: 'wss://example.com/#a' } }, path: 'config.url' },
      { value: { config: { url: 'ws://example.com:0' } }, path: 'config.url' },
      { value: { config: { url: 'ws://example.com', subprotocol: 'a b' } }, path: 'config.subprotocol' },
      { value: { config: { url: 'ws://example.com', headers: { Upgrade: 'h2c' } } }, path: 'config.headers.Upgrade' },
      { value: { config: { url: 'ws://example.com', expect: '' } }, path: 'config.expect' },
      { value: { config: { url: 'ws://example.com', message: 'a' } }, path: 'config.message' },
    ],
  },
});
