import * as z from 'zod';
import { VALUE } from './assertion.ts';
import { OPERATORS } from './operators.ts';
import { SOURCE_NAMES } from './sources.ts';

const known = (names: readonly string[]) => z.enum(names as [string]);

/** Assertions as a trial shows them, in their order. */
export const JudgedList = z
  .array(
    z
      .object({
        source: known(SOURCE_NAMES).describe('What of the answer it is about.'),
        property: z.string().describe('Path, or name of a header.').optional(),
        operator: known(Object.keys(OPERATORS)).describe('How the two are compared.'),
        value: z.unknown().meta({ anyOf: VALUE }).describe('What it is compared with.').optional(),
        severity: z.enum(['fail', 'warn']).describe('What it means when it does not hold.'),
        passed: z.boolean().describe('Whether it holds.'),
        actual: z.string().nullable().describe('What was found, in words; null where there is nothing.'),
      })
      .meta({ id: 'JudgedAssertion' }),
  )
  .describe('How each assertion was judged, in their order; empty when nothing could be judged.');
