import * as z from 'zod';
import type { ExpressionInput } from '#lib/checks/assertions/expressions.ts';

/** One byte per character, so that binary data can be written too: "\u0000\u0004". */
const Bytes = z
  .string()
  .min(1)
  .max(4096)
  .meta({ format: 'bytes' })
  .refine((text) => /^[^\u0100-\uffff]*$/.test(text), 'must have characters up to U+00FF, one per byte');

/** Schema of an expression; `guardSettings` compiles it. */
export const Matches = z.string().min(1).max(256);

const Step = z
  .strictObject({
    send: Bytes.describe(
      'Bytes to send, one per character, with explicit line ends. Callers without write access see ********.',
    ).optional(),
    expect: Bytes.describe('Bytes that the response must contain after the match of the previous step.').optional(),
    matches: Matches.describe(
      'RE2 expression that the response must match after the match of the previous step.',
    ).optional(),
    starttls: z.literal(true).meta({ title: 'Start TLS' }).describe('Start TLS.').optional(),
  })
  .refine((step) => Object.keys(step).length === 1, 'must have one of send, expect, matches and starttls')
  .meta({ minProperties: 1, maxProperties: 1 });

export type Step = z.output<typeof Step>;

export const Steps = z
  .array(Step)
  .max(10)
  .describe(
    'Actions on the connection in order, up to 10. Each reads at most 64 KB of a response, or 32 KB for matches.',
  );

/** Protocols that start TLS within a conversation (starttls.ts). */
export const STARTTLS_PROTOCOLS = ['smtp', 'imap', 'pop3', 'ftp', 'postgres'] as const;

/** Conversation as shown in a settings test. */
export const Transcript = z.object({
  transcript: z
    .array(z.string())
    .describe('tcp, tls: quoted response at each step with an expectation, up to 500 characters each.'),
});

/** Returns the expressions of steps, which must be compiled before they are accepted. */
export const expressionsOf = (steps: readonly Step[]): ExpressionInput[] =>
  steps.flatMap(({ matches }, i) =>
    matches === undefined ? [] : [{ path: `config.steps.${i}.matches`, text: matches }],
  );
