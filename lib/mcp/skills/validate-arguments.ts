import type { ErrorDetail } from '#lib/platform/errors.ts';
import type { CpuJob } from '#lib/platform/sharing/cpu-budget.ts';

/** Job that returns where and why the arguments of a call do not match the schema of its tool; empty if they match. */
export const validateArguments: CpuJob<{ schema: Record<string, unknown>; value: unknown }, ErrorDetail[]> = {
  name: 'arguments',
  load: async () => {
    const { argumentErrors } = await import('./input-schema.ts');
    return ({ schema, value }) => argumentErrors(schema, value);
  },
};
