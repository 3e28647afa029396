import * as z from 'zod';
import { type Redact, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import type { Alert } from './alert.ts';
import type { Letter } from './mail-client.ts';
import { TEMPLATES, type Templates } from './templates.ts';

/** HTTP request, NATS message or mail to send. `receiver`: key for pacing; default: the URL. */
export type Send =
  | {
      via: 'http';
      url: string;
      method?: 'PUT';
      headers: Record<string, string>;
      body: string;
      receiver?: string;
    }
  | { via: 'nats'; subject: string; body: string }
  | { via: 'smtp'; mail: Letter };

/** Response of a receiver. `body`: its first KB. `json`: parsed object; empty if it is not a complete object. */
export type ChannelResponse = { status: number; body: string; json: Record<string, unknown> };

type Refused = { message: string; retry_after_ms?: number };

/** Channel type: one file in types/ and an entry in the registry. Sending, retry, pacing and redaction are shared. */
export type ChannelType<Name extends string = string> = {
  type: Name;
  title: string;
  about: string;
  /** Transport. NATS and the mail server are only reachable from the deliverer. */
  via: Send['via'];
  /** `people`: texts can be replaced by templates (templates.ts). */
  read_by: 'people' | 'programs';
  /** Set if the receiver opens and closes a case per check: then alerts are never combined in one message. */
  has_cases?: true;
  /** Strict, so that typos are reported. All values are strings. */
  config: z.ZodObject;
  /** Keys of config that callers without write access see as ********, and that error texts must not contain. */
  secrets: readonly string[];
  /** Returns what distinguishes receivers of the same address, such as a room; absent if nothing does. */
  recipient?(config: Record<string, string>): string;
  render(alert: Alert, config: Record<string, string>): Send;
  /** Returns the error that the body states, even with status 200, and the pause that it requests, if any. Pure. */
  refused?(answer: ChannelResponse): Refused | undefined;
  /** Configs that a test parses; the documentation shows the first valid one. */
  examples: {
    valid: [Record<string, string>, ...Record<string, string>[]];
    invalid: { value: Record<string, unknown>; path: string }[];
  };
};

/** Defines a channel type; `render` gets the config parsed by its schema. */
export const defineChannel = <const Name extends string, Config extends z.ZodObject>(
  type: Omit<ChannelType<Name>, 'config' | 'render'> & {
    config: Config;
    render(alert: Alert, config: z.output<Config> & Templates): Send;
  },
): ChannelType<Name> =>
  ({
    ...type,
    config: type.read_by === 'people' ? type.config.extend(TEMPLATES) : type.config,
  }) as unknown as ChannelType<Name>;

const MAX_URL = 2048;

export const channelUrl = (schemes: readonly ('http:' | 'https:')[]) =>
  z
    .string()
    .max(MAX_URL, `must have at most ${MAX_URL} characters`)
    .superRefine((text, context) => {
      const wrong = urlProblem(text, schemes);
      if (wrong) context.addIssue({ code: 'custom', message: wrong });
    });

function urlProblem(text: string, schemes: readonly string[]): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return `must start with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`;
  if (url.username || url.password) return 'must not carry user:password@; use a token or a secret path';
  return undefined;
}

/** Returns the schema of a key or token in a header or path: printable ASCII without spaces. */
export const channelToken = (maxLength = 512) =>
  z
    .string()
    .min(1)
    .max(maxLength, `must have at most ${maxLength} characters`)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');

/** Minimum length of a redacted part of a URL: shorter parts, such as /api, are not secret. */
const MIN_SECRET_PART = 6;

/** Returns a function that removes the secrets of a channel, also encoded or in part; use before truncating. */
export const channelRedactor = (type: ChannelType, config: Record<string, string>): Redact =>
  redactorOf(type.secrets.flatMap((key) => (config[key] ? secretsIn(config[key]) : [])));

function secretsIn(value: string): string[] {
  const url = URL.parse(value);
  if (!url?.host) return [value];
  const { pathname, search, hash } = url;
  const parts = [pathname, search, hash, ...pathname.split('/'), ...search.split(/[?&]/), ...search.split(/[?&=]/)];
  return [pathname + search + hash, ...parts].filter((part) => part.length >= MIN_SECRET_PART);
}
