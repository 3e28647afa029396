import * as z from 'zod';
import type { Written } from '#lib/checks/assertions/expressions.ts';

/** Each character is a byte, so that what is not text can be written too: "\u0000\u0004". */
const Bytes = z
  .string()
  .min(1)
  .max(4096)
  .meta({ format: 'bytes' })
  .refine((text) => /^[^\u0100-\uffff]*$/.test(text), 'must have characters up to U+00FF, each of which is a byte');

/** Of settings: an expression, which is compiled once they are guarded. */
export const Matches = z.string().min(1).max(256);

const Step = z
  .strictObject({
    send: Bytes.describe(
      'Bytes to send, a character each, line ends written out; a read-only key sees ********.',
    ).optional(),
    expect: Bytes.describe('Bytes that the answer must hold, behind what the step before has found.').optional(),
    matches: Matches.describe(
      'RE2 expression that must be found in the answer, behind what the step before has found.',
    ).optional(),
    starttls: z.literal(true).describe('From here on TLS is spoken.').optional(),
  })
  .refine((step) => Object.keys(step).length === 1, 'must have one of send, expect, matches and starttls');

export type Step = z.output<typeof Step>;

/** What is to be said on a connection, one after the other. */
export const Steps = z
  .array(Step)
  .max(10)
  .describe(
    'What to do on the connection, one after the other, at most 10: {"send"}, {"expect"}, {"matches"} or {"starttls": true}. An answer is read until what is expected has come, at most 64 KB a step; 32 KB for matches.',
  );

/** The protocols that go over to TLS in the midst of a conversation, each in a way of its own (starttls.ts). */
export const STARTTLS_PROTOCOLS = ['smtp', 'imap', 'pop3', 'ftp', 'postgres'] as const;

/** What a probe shows of a conversation to somebody who tries it. */
export const Transcript = z.object({
  transcript: z
    .array(z.string())
    .describe(
      'tcp, tls: what the other side said at each step that expected something, in quotes, 500 characters at most.',
    ),
});

/** Expressions, which have to be looked at before they are accepted. */
export const expressionsOf = (steps: readonly Step[]): Written[] =>
  steps.flatMap(({ matches }, i) =>
    matches === undefined ? [] : [{ path: `config.steps.${i}.matches`, text: matches }],
  );
