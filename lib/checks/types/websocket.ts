import * as z from 'zod';
import { Matches } from '#lib/checks/conversation/steps.ts';
import { HeaderMap } from '#lib/net/header-map.ts';
import { defineCheck } from './check-type.ts';
import { webSocketAddress } from './host-setting.ts';

const Url = z
  .string()
  .max(2048)
  .superRefine((text, context) => {
    const reject = (message: string) => context.addIssue({ code: 'custom', message });
    const url = URL.parse(text);
    if (!url || !/^wss?:\/\//i.test(text)) reject('must be an absolute ws or wss URL, such as wss://example.com/live');
    else if (url.username || url.password)
      reject('must not contain user:password@; send an authorization header in config.headers');
    else if (url.hash) reject('must not contain a fragment, which is never sent');
    else if (url.port === '0') reject('must not have port 0, which does not accept connections');
  });

const REQUEST = { 'x-group': 'Request' };
const MESSAGE = { 'x-group': 'Message' };

const Config = z.strictObject({
  url: Url.describe('Full ws or wss URL, without user:password@.'),
  headers: HeaderMap.describe('Headers to send, up to 20. Callers without write access see ********.')
    .meta(REQUEST)
    .optional(),
  subprotocol: z
    .string()
    .max(200)
    .regex(
      /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/,
      'must be a protocol name: letters, digits, hyphens and other token characters',
    )
    .describe('Required subprotocol, such as mqtt or graphql-transport-ws.')
    .meta(REQUEST)
    .optional(),
  verify_tls: z
    .boolean()
    .describe('Whether the certificate must be valid. Disable it only for self-signed certificates. Default: true.')
    .meta(REQUEST)
    .optional(),
  send: z
    .string()
    .min(1)
    .max(4096)
    .describe('Text message to send. Callers without write access see ********.')
    .meta(MESSAGE)
    .optional(),
  expect: z
    .string()
    .min(1)
    .max(4096)
    .describe('Case-sensitive text that one message must contain.')
    .meta(MESSAGE)
    .optional(),
  matches: Matches.describe('RE2 expression that one of the messages must match.').meta(MESSAGE).optional(),
});
export type WebsocketConfig = z.output<typeof Config>;

/** WebSocket (RFC 6455), with an expected message if set. */
export const websocket = defineCheck({
  type: 'websocket',
  mode: 'pull',
  title: 'WebSocket',
  about:
    'Opens a WebSocket. It succeeds if the server accepts it, with the subprotocol if set, and sends a matching message if one is expected. Reads up to 64 KB per message and 1 MB in total.',
  config: Config,
  sources: ['latency_ms'],
  secrets: ['config.headers', 'config.send'],
  urls: ['config.url'],
  contradictions: ({ config: { expect, matches } }) =>
    expect !== undefined && matches !== undefined
      ? [{ path: 'config.matches', message: 'is not allowed together with expect; use one of them' }]
      : [],
  expressions: ({ config: { matches } }) => (matches === undefined ? [] : [{ path: 'config.matches', text: matches }]),
  hosts: ({ config }) => {
    const { host, port } = webSocketAddress(config.url);
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
