import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '#lib/platform/errors.ts';
import type { Clock } from '#lib/platform/ports.ts';
import { FairSemaphore } from './fair-semaphore.ts';

/**
 * Work on data of a tenant whose duration depends on that data, such as a search with an expression. `load` returns a
 * pure function, whose module is imported with the first job. The input can be sent to another thread.
 */
export type CpuJob<Input, Output> = { name: string; load: () => Promise<(input: Input) => Output> };

/** Runs one job at a time, and returns its output and the CPU time that it took. Throws CpuTimeError. */
export type RunCpuJob = <Input, Output>(
  job: CpuJob<Input, Output>,
  input: Input,
) => Promise<{ output: Output; used_ms: number }>;

/** Runs a job of one tenant on each input, in order. Throws CpuLimitError. */
export type TenantCpu = <Input, Output>(job: CpuJob<Input, Output>, inputs: readonly Input[]) => Promise<Output[]>;

export type Cpu = { of(tenant: string): TenantCpu };

/** CPU time that a tenant receives per second, and the maximum that it can save up (ms). */
const CPU_MS_PER_SECOND = 200;
const SAVED_MS = 1_000;
/** Maximum wait for a turn (ms), which delays the probe of a check. */
const WAIT_MS = 5_000;
/** Number of budgets that are kept before full ones are dropped. */
const MAX_BUDGETS = 1_000;

/** A job exceeded the CPU budget of its account or its own time limit, or got no turn. Its outcome is unknown. */
export class CpuLimitError extends AppError {
  constructor(reason: string) {
    const remedy =
      'Use fewer or simpler expressions, smaller documents, or longer intervals, and try again in 1 second.';
    super('RATE_LIMITED', `${reason} ${remedy}`, { headers: { 'retry-after': '1' } });
  }
}

/** A job took longer than its time limit (ms) and was stopped. */
export class CpuTimeError extends Error {
  readonly used_ms: number;
  constructor(used_ms: number) {
    super(`A job took longer than ${used_ms} ms.`);
    this.used_ms = used_ms;
  }
}

const overBudget = () =>
  new CpuLimitError(
    `The expressions and documents of this account used up its CPU budget, ${CPU_MS_PER_SECOND} ms per second.`,
  );

const waitedTooLong = () =>
  new CpuLimitError(`The expressions and documents of this account waited for CPU time for ${WAIT_MS / 1_000} s.`);

/** CPU time that a tenant may use at `at` (epoch ms); negative after a turn that took longer. */
type Budget = { left_ms: number; at: number };

/**
 * Divides the CPU time for jobs among tenants, which take turns. A turn is one input, so that a call with many inputs
 * delays other tenants by one input only. A call starts if its tenant has budget left, and then runs to its end. The
 * budget is charged with measured time. A tenant without budget gets errors; other tenants are not affected.
 */
export function cpuBudget(clock: Pick<Clock, 'now' | 'sleep'>, runJob: RunCpuJob): Cpu {
  const turns = new FairSemaphore({ permits: 1, wait_ms: WAIT_MS }, clock);
  const budgets = new Map<string, Budget>();

  const leftOf = (tenant: string): number => {
    const { left_ms, at } = budgets.get(tenant) ?? { left_ms: SAVED_MS, at: 0 };
    const earned = (Math.max(0, clock.now() - at) / 1_000) * CPU_MS_PER_SECOND;
    return Math.min(SAVED_MS, left_ms + earned);
  };
  const charge = (tenant: string, used_ms: number): void => {
    const left_ms = leftOf(tenant) - used_ms;
    budgets.delete(tenant);
    budgets.set(tenant, { left_ms, at: clock.now() });
    if (budgets.size <= MAX_BUDGETS) return;
    for (const other of budgets.keys()) if (leftOf(other) === SAVED_MS) budgets.delete(other);
  };

  async function runCharged<Input, Output>(tenant: string, job: CpuJob<Input, Output>, input: Input): Promise<Output> {
    try {
      const { output, used_ms } = await runJob(job, input);
      charge(tenant, used_ms);
      return output;
    } catch (error) {
      if (!(error instanceof CpuTimeError)) throw error;
      charge(tenant, error.used_ms);
      throw new CpuLimitError(`An expression or document took longer than ${error.used_ms} ms.`);
    }
  }

  async function runInTurns<Input, Output>(tenant: string, job: CpuJob<Input, Output>, inputs: readonly Input[]) {
    const outputs: Output[] = [];
    let error: unknown;
    const runOne = async (input: Input): Promise<void> => {
      if (error) return;
      try {
        // Earlier calls of the tenant may use up the budget while this one waits.
        if (outputs.length === 0 && leftOf(tenant) <= 0) throw overBudget();
        outputs.push(await runCharged(tenant, job, input));
      } catch (reason) {
        error = reason;
      }
    };
    await turns.each({ tenant }, inputs, runOne, () => {
      error ??= waitedTooLong();
    });
    if (error) throw error;
    return outputs;
  }

  return {
    of: (tenant) => async (job, inputs) => {
      if (inputs.length > 0 && leftOf(tenant) <= 0) throw overBudget();
      return runInTurns(tenant, job, inputs);
    },
  };
}

/** Runs jobs in this thread, each in its own turn of the event loop. A job that takes too long is not stopped. */
export const runInline: RunCpuJob = async (job, input) => {
  const run = await job.load();
  const began = performance.now();
  const output = run(input);
  const used_ms = performance.now() - began;
  await nextTurn();
  return { output, used_ms };
};
