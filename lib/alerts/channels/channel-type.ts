import * as z from 'zod';
import type { Alert } from '#lib/alerts/deliver/alert.ts';

/** One request or publication, ready to go. */
export type Send =
  | { via: 'http'; url: string; headers: Record<string, string>; body: string }
  | { via: 'nats'; subject: string; body: string };

/**
 * A kind of channel: one file in channels/ and one word in the registry. Sending, time-out, retry, guard, redaction and
 * logging stand once, outside.
 */
export type ChannelType<Name extends string = string> = {
  type: Name;
  /** What it is called where types are listed: `Slack`. */
  title: string;
  /** What it sends and where, in a sentence or two, for the documents. */
  about: string;
  /** What carries it. Only the deliverer reaches NATS. */
  via: Send['via'];
  /** Strict, and every value a string: a typo never passes silently. */
  config: z.ZodObject;
  /** Config keys that a read-only key sees as ********, and that no error text may contain. */
  secrets: readonly string[];
  /** What tells receivers apart that share the address that `render` answers, such as a room; absent where none do. */
  recipient?(config: Record<string, string>): string;
  /** Pure. */
  render(alert: Alert, config: Record<string, string>): Send;
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
    render(alert: Alert, config: z.output<Config>): Send;
  },
): ChannelType<Name> => type as unknown as ChannelType<Name>;

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
