import * as z from 'zod';
import { type Redact, redactorOf } from '#lib/platform/secrets/redact-secrets.ts';
import type { Alert } from './alert.ts';
import type { Letter } from './mail-client.ts';
import { TEMPLATES, type Templates } from './templates.ts';

/**
 * One request, publication or mail, ready to go.
 * - `receiver`: who takes turns when it asks to be sent less; default: the url.
 */
export type Send =
  | {
      via: 'http';
      url: string;
      /** Default POST. */
      method?: 'PUT';
      headers: Record<string, string>;
      body: string;
      receiver?: string;
    }
  | { via: 'nats'; subject: string; body: string }
  | { via: 'smtp'; mail: Letter };

/** An answer of a receiver. `body`: its first KB. `json`: the object that it is; empty where it is none, or cut off. */
export type ChannelResponse = { status: number; body: string; json: Record<string, unknown> };

/** What a receiver said against an alert; `retry_after_ms` where it asks to be sent less. */
type Refused = { said: string; retry_after_ms?: number };

/**
 * A kind of channel: one file in types/ and one word in the registry. Sending, time-out, retry, guard, pace, redaction
 * and logging stand once, outside.
 */
export type ChannelType<Name extends string = string> = {
  type: Name;
  /** What it is called where types are listed: `Slack`. */
  title: string;
  /** What it sends and where, in a sentence or two, for the documents. */
  about: string;
  /** What carries it. Only the deliverer reaches NATS and the mail server. */
  via: Send['via'];
  /** What people read may be told in the channel's own words (templates.ts). */
  read_by: 'people' | 'programs';
  /** Strict, and every value a string: a typo never passes silently. */
  config: z.ZodObject;
  /** Config keys that a read-only key sees as ********, and that no error text may contain. */
  secrets: readonly string[];
  /** What tells receivers apart that share the address that `render` answers, such as a room; absent where none do. */
  recipient?(config: Record<string, string>): string;
  /** Pure. */
  render(alert: Alert, config: Record<string, string>): Send;
  /**
   * What an answer says beyond its status: of receivers that refuse with 200, or ask for patience in the body. Pure.
   * Undefined: as its status says; without it, every answer is.
   */
  refused?(answer: ChannelResponse): Refused | undefined;
  /** Configs that a test parses: each valid one must pass, every invalid one fail at `path`. The first one is shown. */
  examples: {
    valid: [Record<string, string>, ...Record<string, string>[]];
    invalid: { value: Record<string, unknown>; path: string }[];
  };
};

/** Types one file of the registry: its `render` gets the config that its schema makes. */
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

/** An address that an alert is posted to. */
export const channelUrl = (schemes: readonly ('http:' | 'https:')[]) =>
  z
    .string()
    .max(MAX_URL, `must have at most ${MAX_URL} characters`)
    .superRefine((text, context) => {
      const wrong = whatIsWrong(text, schemes);
      if (wrong) context.addIssue({ code: 'custom', message: wrong });
    });

function whatIsWrong(text: string, schemes: readonly string[]): string | undefined {
  if (!URL.canParse(text)) return 'must be an absolute URL';
  const url = new URL(text);
  if (!schemes.includes(url.protocol)) return `must begin with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`;
  if (url.username || url.password) return 'must not carry user:password@; use a token or a secret path';
  return undefined;
}

/** A key or a token that goes into a header or a path: printable ASCII without spaces. */
export const channelToken = (longest = 512) =>
  z
    .string()
    .min(1)
    .max(longest, `must have at most ${longest} characters`)
    .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');

/** Shorter parts of an address, such as /api, are no secrets and would riddle a text. */
const MIN_PART = 6;

/**
 * What takes every secret of a channel out of a text, also where a receiver quotes only the path of its address, or
 * writes it in another way than it was sent. Use it before a text is cut off.
 */
export const channelRedactor = (type: ChannelType, config: Record<string, string>): Redact =>
  redactorOf(type.secrets.flatMap((key) => (config[key] ? secretsIn(config[key]) : [])));

/** A token or a subject is one; of an address, all but its origin, and each part of that. */
function secretsIn(value: string): string[] {
  const url = URL.parse(value);
  if (!url?.host) return [value];
  const { pathname, search, hash } = url;
  const parts = [pathname, search, hash, ...pathname.split('/'), ...search.split(/[?&]/), ...search.split(/[?&=]/)];
  return [pathname + search + hash, ...parts].filter((part) => part.length >= MIN_PART);
}
