import { beforeEach, describe, expect, it } from 'vitest';
import { create } from '#functions/prober.ts';
import type { AccountItem } from '#lib/access/account.ts';
import { NewBlueprint } from '#lib/catalog/blueprint.ts';
import { createBlueprint } from '#lib/catalog/change-blueprint.ts';
import { createEntity } from '#lib/catalog/change-entity.ts';
import { NewEntity } from '#lib/catalog/entity.ts';
import { createCheck, updateCheck } from '#lib/checks/change/change-check.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { cellOf, numberOf } from '#lib/keys.ts';
import type { Job } from '#lib/messages.ts';
import type { HttpReply } from '#lib/net/net.ts';
import { CpuLimitError, cpuBudget, type RunCpuJob, runInline } from '#lib/platform/sharing/cpu-budget.ts';
import { allOf } from '#lib/platform/table/pages.ts';
import { entryOf, type PackItem } from '#lib/results/pack.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { type HealthWorld, healthWorld, intervalScheduleOfCheck, jobOfCheck } from '#test/support/health-world.ts';
import { queueRecord } from '#test/support/queue-record.ts';

const OK: HttpReply = { status: 200, headers: {}, body: '', latency_ms: 20 };

let world: HealthWorld;
let entity_id: string;
/** Paths that were probed since the last call of `takeProbed`. */
let probed: string[];
/** Path that responds 503. */
let down: string | undefined;
let runJobs: (...jobs: Job[]) => Promise<void>;

beforeEach(async () => {
  world = await healthWorld();
  entity_id = (await world.entity()).id;
  probed = [];
  down = undefined;
  const http = async ({ url }: { url: string }): Promise<HttpReply> => {
    const { pathname } = new URL(url);
    probed.push(pathname);
    return pathname === down ? { ...OK, status: 503 } : OK;
  };
  const { ports } = world;
  const prober = create({ ...ports, net: { ...ports.net, http } as never });
  runJobs = async (...jobs) => {
    expect(await prober({ Records: [queueRecord('m', { jobs })] })).toEqual({ batchItemFailures: [] });
  };
});

const now = () => world.ports.clock.now();
/** Creates checks of one cell, each with its own path: /0, /1 and so on. */
async function checksOf(count: number, more: object = {}): Promise<CheckItem[]> {
  const made: CheckItem[] = [];
  for (let n = 0; n < count; n++) {
    made.push(await world.check({ entity_id, target_url: `https://host-${n}.example.com/${n}`, ...more }));
  }
  expect(new Set(made.map(({ id }) => cellOf(id))).size).toBe(1);
  return made;
}
/** Returns the job of the next slot of a check's cell, and moves the clock to a second after that slot. */
function nextJob(check: CheckItem): Job {
  const schedule = intervalScheduleOfCheck(check);
  const slot = latestSlot(schedule, now()) + schedule.interval_ms;
  world.advance(slot + 1000 - now());
  return jobOfCheck(check, slot);
}
const takeProbed = (): string[] => probed.splice(0).sort();
/** Creates checks of one cell that were probed once, so that further results are quiet. */
async function steadyChecks(count: number): Promise<CheckItem[]> {
  const checks = await checksOf(count);
  await runJobs({ ...nextJob(checks[0]!), only: checks.map(({ id }) => id) });
  takeProbed();
  return checks;
}
/** Returns the numbers of the checks in each pack. */
const packs = async ({ tenant_id, id, interval_seconds }: CheckItem): Promise<number[][]> => {
  const partition = world.keys.packs(tenant_id, cellOf(id), interval_seconds);
  const found = await allOf<PackItem>(world.store, { partition });
  return found.map(({ runs }) => runs.split(' ').map((word) => Number.parseInt(word, 10)));
};

describe('a check whose account has used up its CPU budget', () => {
  it('has a gap with that cause; the others of the batch have results', async () => {
    const matches = { config: { assertions: [{ source: 'body', operator: 'matches', value: 'ok' }] } };
    const checks = [await world.check({ entity_id, target_url: 'https://host-a.example.com/a' })];
    checks.push(await world.check({ entity_id, target_url: 'https://host-b.example.com/b', ...matches }));
    const { ports } = world;
    const over = { of: () => () => Promise.reject(new CpuLimitError('The budget is used.')) };
    const http = async () => OK;
    const prober = create({ ...ports, cpu: over, net: { ...ports.net, http } as never });
    await prober({
      Records: [queueRecord('m', { jobs: [{ ...nextJob(checks[0]!), only: checks.map(({ id }) => id) }] })],
    });
    const job = nextJob(checks[0]!);
    expect(await prober({ Records: [queueRecord('m', { jobs: [job] })] })).toEqual({ batchItemFailures: [] });
    const partition = world.keys.packs(job.tenant_id, job.cell, job.interval_seconds);
    const last = (await allOf<PackItem>(world.store, { partition })).at(-1)!;
    expect(last.runs).toMatch(new RegExp(`${numberOf(checks[1]!.id)},gcpu_budget$`));
    expect(entryOf(last, numberOf(checks[0]!.id))).toMatchObject({ success: true });
    expect(world.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('a batch with checks of several accounts', () => {
  /** Creates an account with a check that has the expression `value` several times. */
  async function checkOfNew(value: string, expressions: number): Promise<CheckItem> {
    const { context } = await world.account();
    await createBlueprint(context, NewBlueprint.parse({ slug: 'service', name: 'Service' }));
    const entity = await createEntity(context, 'service', NewEntity.parse({ slug: 'a', name: 'A' }));
    const assertion = { source: 'body', operator: 'not_matches', value };
    const config = { assertions: Array.from({ length: expressions }, () => assertion) };
    const target_url = `https://${value}.example.com/`;
    return createCheck(context, { check_type: 'http', entity_id: entity.id, target_url, config });
  }

  it('evaluates the expressions of the accounts in turn, and charges each account for its own', async () => {
    const checks = [await checkOfNew('slow', 8), await checkOfNew('slower', 8), await checkOfNew('quick', 1)];
    const evaluated: string[] = [];
    const run: RunCpuJob = async (job, input) => {
      const { expression } = input as { expression: string };
      evaluated.push(expression);
      const { output } = await runInline(job, input);
      return { output, used_ms: expression === 'quick' ? 1 : 5_000 };
    };
    const { ports } = world;
    const http = async () => OK;
    const cpu = cpuBudget(ports.clock, run);
    const prober = create({ ...ports, cpu, net: { ...ports.net, http } as never });
    const probeAll = async () => {
      world.advance(60_000);
      const jobs = checks.map((check) => jobOfCheck(check, latestSlot(intervalScheduleOfCheck(check), now())));
      await prober({ Records: [queueRecord('m', { jobs })] });
    };
    await probeAll();
    expect(evaluated.indexOf('quick')).toBeLessThan(5);
    expect(evaluated).toHaveLength(17);
    await probeAll();
    expect(evaluated.slice(17)).toEqual(['quick']);
  });
});

describe('the job of a cell', () => {
  it('probes its enabled checks with its interval, in one pack', async () => {
    const [a, b, slower, resting] = await steadyChecks(4);
    await world.pushCheck({ entity_id });
    await updateCheck(world.context, slower!, { interval_seconds: 300 });
    await updateCheck(world.context, resting!, { enabled: false });
    await runJobs(nextJob(a!));
    expect(takeProbed()).toEqual(['/0', '/1']);
    expect(await packs(a!)).toEqual([[numberOf(a!.id), numberOf(b!.id)]]);
  });

  it('skips a check created or changed after the slot, because that check has its own job', async () => {
    const [a] = await steadyChecks(2);
    const job = nextJob(a!);
    const [fresh] = await checksOf(1, { target_url: 'https://example.com/fresh' });
    await updateCheck(world.context, a!, { timeout_ms: 4000 });
    await runJobs(job);
    expect(takeProbed()).toEqual(['/1']);
    await runJobs({ ...job, only: [fresh!.id] }, { ...job, only: [a!.id] });
    expect(takeProbed()).toEqual(['/0', '/fresh']);
    await runJobs(nextJob(a!));
    expect(takeProbed()).toEqual(['/0', '/1', '/fresh']);
  });

  it('probes only the named checks that exist and have its interval', async () => {
    const [a, b, slower] = await steadyChecks(3);
    await updateCheck(world.context, slower!, { interval_seconds: 300 });
    const gone = `${a!.id.slice(0, -1)}z`;
    await runJobs({ ...nextJob(a!), only: [b!.id, slower!.id, gone] });
    expect(takeProbed()).toEqual(['/1']);
  });

  it('probes nothing at a time that is not a slot of its interval', async () => {
    const [a] = await steadyChecks(1);
    const job = nextJob(a!);
    await runJobs({ ...job, slot: job.slot + 50 });
    expect(takeProbed()).toEqual([]);
  });

  it('probes nothing for a disabled account', async () => {
    const [a] = await steadyChecks(1);
    const key = world.keys.account(world.context.tenant);
    const account = await world.store.get<AccountItem>(key);
    const disabled: AccountItem = { ...account!, disabled: true };
    await world.store.putMany([disabled]);
    await runJobs(nextJob(a!));
    expect(takeProbed()).toEqual([]);
  });

  it('reads the account and the cell, and writes one item, for any number of checks', async () => {
    const checks = await steadyChecks(25);
    Object.assign(world.requests, { reads: 0, writes: 0 });
    // No time passes while they wait.
    world.ports.clock.sleep = () => new Promise(() => {});
    await runJobs(nextJob(checks[0]!));
    expect(takeProbed()).toHaveLength(25);
    expect(world.requests).toEqual({ reads: 2, writes: 1 });
  });

  it('reads and probes nothing when its next slot is due', async () => {
    const [a] = await steadyChecks(3);
    const job = nextJob(a!);
    world.advance(job.slot + 60_000 - now());
    const { table } = world.ports;
    const reads: unknown[] = [];
    for (const method of ['get', 'getMany', 'query'] as const) {
      const read = table[method] as (argument: unknown) => unknown;
      table[method] = ((argument: unknown) => {
        // A getMany without keys reads nothing.
        if (!Array.isArray(argument) || argument.length > 0) reads.push(argument);
        return read(argument);
      }) as never;
    }
    await runJobs(job, { ...job, only: [a!.id] });
    expect(reads).toEqual([]);
    expect(takeProbed()).toEqual([]);
    expect(await packs(a!)).toEqual([]);
  });
});

describe('a job whose quiet results were not recorded', () => {
  it('is sent again for only the checks with these results, which are then recorded once', async () => {
    const [a, b, c] = await steadyChecks(3);
    const job = nextJob(a!);
    // A failure changes something, so it is a single result.
    down = '/1';
    world.sent.length = 0;
    const { table } = world.ports;
    const { transact } = table;
    table.transact = (writes) =>
      writes.some((write) => 'put' in write && write.put.pk.includes('#PACKS#'))
        ? Promise.reject(new Error('throttled'))
        : transact(writes);
    await runJobs(job);
    table.transact = transact;
    expect(await packs(a!)).toEqual([]);
    expect(await world.fresh(b!)).toMatchObject({ consecutive_failures: 1 });
    takeProbed();

    const again = world.sent.flatMap(({ queue, message }) =>
      queue === 'job' ? (message.body as { jobs: Job[] }).jobs : [],
    );
    // The probes of a cell begin at a random check.
    const inOrder = again.map((one) => ({ ...one, only: one.only?.toSorted() }));
    expect(inOrder).toEqual([{ ...job, only: [a!.id, c!.id].sort() }]);
    await runJobs(...again);
    expect(takeProbed()).toEqual(['/0', '/2']);
    expect(await packs(a!)).toEqual([[a!, c!].map(({ id }) => numberOf(id))]);
    expect(world.log.lines.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'pack not written', fields: { checks: 2 } },
    ]);
  });
});
