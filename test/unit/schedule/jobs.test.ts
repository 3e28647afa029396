import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DueDeadline, Job } from '#lib/messages.ts';
import { type CellJob, packAlone, packDeadlines, packJobs, packSlowJob } from '#lib/schedule/jobs.ts';

const NOW = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;
const tenant_id = fc.constantFrom('acc_a', 'acc_b', 'acc_c');
const at = fc.integer({ min: NOW, max: NOW + 5000 });
const job: fc.Arbitrary<Job> = fc.record({
  tenant_id,
  cell: fc.integer({ min: 0, max: 9999 }).map((n) => `cell${n}`),
  interval_seconds: fc.constantFrom(1, 10, 60),
  slot: at,
});
// A cell has up to 50 checks, but its count can be higher until its recount, if a check joins while others leave.
const cellJob: fc.Arbitrary<CellJob> = fc.record({ job, checks: fc.integer({ min: 1, max: 60 }) });
const jobs = fc.array(cellJob, { maxLength: 300 });
const group = fc.constantFrom(10, 50, 333, 1000, 5000);

const jobsOf = (message: { body: unknown }): Job[] => (message.body as { jobs: Job[] }).jobs;
const text = (one: Job): string => JSON.stringify(one);
/** Returns the approximate number of probes of `some` jobs of `list`: the sum of the checks of their cells. */
const probes = (list: CellJob[], some: Job[]): number =>
  list.filter(({ job }) => some.includes(job)).reduce((sum, { checks }) => sum + checks, 0);

describe('jobs packed into messages', () => {
  it('are complete and unique', () => {
    fc.assert(
      fc.property(jobs, group, (list, groupMs) => {
        const packed = packJobs([...list], groupMs).flatMap(jobsOf);
        expect(packed.map(text).sort()).toEqual(list.map((one) => text(one.job)).sort());
      }),
    );
  });

  it('are never delivered before their slot, and less than `groupMs` after it', () => {
    fc.assert(
      fc.property(jobs, group, (list, groupMs) => {
        for (const message of packJobs([...list], groupMs)) {
          for (const { slot } of jobsOf(message)) {
            expect(message.not_before).toBeGreaterThanOrEqual(slot);
            expect(message.not_before! - slot).toBeLessThan(groupMs);
          }
        }
      }),
    );
  });

  it('have at most 100 probes per message unless one cell has more, in order of time', () => {
    fc.assert(
      fc.property(jobs, group, (list, groupMs) => {
        const messages = packJobs([...list], groupMs);
        expect(messages.map((one) => one.not_before)).toEqual(
          messages.map((one) => one.not_before).sort((a, b) => a! - b!),
        );
        for (const message of messages) {
          expect(jobsOf(message).length).toBeGreaterThan(0);
          if (jobsOf(message).length > 1) expect(probes(list, jobsOf(message))).toBeLessThanOrEqual(100);
        }
      }),
    );
  });

  it('are in messages of their tenant only, in its group, if it has 100 probes per second or more', () => {
    fc.assert(
      fc.property(jobs, group, (list, groupMs) => {
        const messages = packJobs([...list], groupMs);
        for (const message of messages) {
          const tenants = Map.groupBy(jobsOf(message), (one) => one.tenant_id);
          expect(message.group).toBe(tenants.size === 1 ? [...tenants.keys()][0] : undefined);
          if (tenants.size === 1) continue;
          for (const tenant of tenants.keys()) {
            const due = messages.filter((one) => one.not_before === message.not_before).flatMap(jobsOf);
            const own = due.filter((one) => one.tenant_id === tenant);
            expect(probes(list, own)).toBeLessThan((100 * groupMs) / 1000);
          }
        }
      }),
    );
  });

  it('share messages if their tenants are small: a thousand tenants with ten checks each fill every message', () => {
    const due = Array.from({ length: 1000 }, (_, i) => ({
      job: { tenant_id: `acc_${i}`, cell: `cell${i}`, interval_seconds: 60, slot: NOW + 500 },
      checks: 10,
    }));
    expect(packJobs(due, 1000).map((message) => jobsOf(message).length)).toEqual(Array(100).fill(10));
  });

  it('fill messages if their tenants are small, except for room in which no remaining cell fits', () => {
    const small: fc.Arbitrary<CellJob> = fc
      .integer({ min: 1, max: 50 })
      .chain((checks) => fc.record({ job, checks: fc.constant(checks) }))
      .map(({ job, checks }) => ({ job: { ...job, slot: NOW, tenant_id: `acc_${job.cell}` }, checks }));
    const unlike = fc.uniqueArray(small, { selector: (one) => one.job.tenant_id, maxLength: 200 });
    fc.assert(
      fc.property(unlike, (list) => {
        const loads = packJobs(list, 1000).map((message) => probes(list, jobsOf(message)));
        // A message is closed when the smallest remaining cell does not fit.
        for (const load of loads.slice(0, -1)) expect(load).toBeGreaterThan(50);
      }),
    );
  });

  it('go to the slow lane in messages that name at most ten checks of the cell', () => {
    const checkIds = fc.uniqueArray(
      fc.nat(9999).map((n) => `chk_${n}`),
      { maxLength: 50 },
    );
    fc.assert(
      fc.property(job, checkIds, (slow, ids) => {
        const messages = packSlowJob(slow, ids);
        const slowJobs = messages.flatMap(({ body }) => body.slow_jobs);
        expect(slowJobs.flatMap(({ only }) => only)).toEqual(ids);
        expect(messages).toHaveLength(Math.ceil(ids.length / 10));
        for (const { only, ...rest } of slowJobs) expect(rest).toEqual(slow);
        for (const message of messages) expect(message).toMatchObject({ group: slow.tenant_id });
      }),
    );
  });

  it('are retried separately in the group of their tenant, after a second', () => {
    fc.assert(
      fc.property(fc.array(job, { maxLength: 20 }), (list) => {
        const messages = packAlone(list, NOW);
        expect(messages.flatMap(jobsOf)).toEqual(list);
        for (const message of messages) {
          expect(message).toMatchObject({ not_before: NOW + 1000, group: jobsOf(message)[0]?.tenant_id });
          expect(jobsOf(message)).toHaveLength(1);
        }
      }),
    );
  });
});

describe('a retry packed into a message', () => {
  const messageOf = (at: number) => {
    const retry: Job = {
      tenant_id: 'acc_a',
      cell: 'cell',
      interval_seconds: 86_400,
      slot: NOW - MINUTE,
      only: ['chk_1'],
    };
    return packAlone([{ ...retry, retry: { at, until: at + MINUTE, rev: 1 } }], NOW)[0]!;
  };

  it('is delivered at its instant, or after the maximum wait of a message', () => {
    expect(messageOf(NOW + 10).not_before).toBe(NOW + 10);
    expect(messageOf(NOW + 15 * MINUTE).not_before).toBe(NOW + 15 * MINUTE);
    expect(messageOf(NOW + 60 * MINUTE).not_before).toBe(NOW + 15 * MINUTE);
  });

  it('is sent again after a second when it is already due', () => {
    expect(messageOf(NOW - 3000).not_before).toBe(NOW + 1000);
  });
});

describe('deadlines packed into messages', () => {
  const deadline: fc.Arbitrary<DueDeadline> = fc.record({
    kind: fc.constant('missed_heartbeat' as const),
    tenant_id,
    entity_id: fc.integer({ min: 0, max: 5 }).map((n) => `ent_${n}`),
    check_id: fc.integer({ min: 0, max: 9999 }).map((n) => `chk_${n}`),
    at,
  });
  const deadlines = fc.array(deadline, { maxLength: 300 });
  const deadlinesOf = (message: { body: unknown }) => (message.body as { deadlines: DueDeadline[] }).deadlines;

  it('are complete, and delivered when due, or less than `groupMs` after that or after now', () => {
    fc.assert(
      fc.property(deadlines, group, (list, groupMs) => {
        const now = NOW + 2500;
        const messages = packDeadlines([...list], 'generator', groupMs, now);
        expect(
          messages
            .flatMap(deadlinesOf)
            .map((one) => JSON.stringify(one))
            .sort(),
        ).toEqual(list.map((one) => JSON.stringify(one)).sort());
        for (const message of messages) {
          for (const { at } of deadlinesOf(message)) {
            expect(message.not_before).toBeGreaterThanOrEqual(at);
            expect(message.not_before! - Math.max(at, now)).toBeLessThan(groupMs);
          }
        }
      }),
    );
  });

  it('are adjacent in a message if they are of one entity', () => {
    fc.assert(
      fc.property(deadlines, group, (list, groupMs) => {
        for (const message of packDeadlines([...list], 'generator', groupMs, NOW)) {
          const entities = deadlinesOf(message).map((one) => one.entity_id);
          expect(entities).toEqual(entities.toSorted());
        }
      }),
    );
  });

  it('are sent together when due, fifty per message', () => {
    const past = Array.from({ length: 120 }, (_, i): DueDeadline => {
      return {
        kind: 'missed_heartbeat',
        tenant_id: 'acc_a',
        entity_id: `ent_${i}`,
        check_id: `chk_${i}`,
        at: NOW - i * MINUTE,
      };
    });
    expect(packDeadlines(past, 'generator', 1000, NOW).map((message) => deadlinesOf(message).length)).toEqual([
      50, 50, 20,
    ]);
  });
});
