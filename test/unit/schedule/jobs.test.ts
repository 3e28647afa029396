import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { DueDeadline, Job } from '#lib/messages.ts';
import { packDeadlines, packJobs, packSlowJobs } from '#lib/schedule/jobs.ts';

const NOW = Date.UTC(2026, 10, 21);
const MINUTE = 60_000;
const job = fc.record({
  tenant_id: fc.constantFrom('acc_a', 'acc_b', 'acc_c'),
  entity_id: fc.integer({ min: 0, max: 5 }).map((n) => `ent_${n}`),
  check_id: fc.integer({ min: 0, max: 9999 }).map((n) => `chk_${n}`),
  slot: fc.integer({ min: NOW, max: NOW + 5000 }),
});
const jobs = fc.array(job, { maxLength: 300 });
const group = fc.constantFrom(10, 50, 333, 1000);

const jobsOf = (message: { body: unknown }): Job[] => (message.body as { jobs: Job[] }).jobs;
const text = (one: Job): string => JSON.stringify(one);

describe('jobs packed into messages', () => {
  it('are all there, each once', () => {
    fc.assert(
      fc.property(jobs, group, (list, groupMs) => {
        const packed = packJobs([...list], groupMs).flatMap(jobsOf);
        expect(packed.map(text).sort()).toEqual(list.map(text).sort());
      }),
    );
  });

  it('are never handed out before their slot, and less than a group after it', () => {
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

  it('are at most 50 a message, in the order of time, those of an entity side by side', () => {
    fc.assert(
      fc.property(jobs, group, (list, groupMs) => {
        const messages = packJobs([...list], groupMs);
        expect(messages.map((one) => one.not_before)).toEqual(
          messages.map((one) => one.not_before).sort((a, b) => a! - b!),
        );
        for (const message of messages) {
          expect(jobsOf(message).length).toBeGreaterThan(0);
          expect(jobsOf(message).length).toBeLessThanOrEqual(50);
          for (const own of Map.groupBy(jobsOf(message), (one) => one.tenant_id).values()) {
            const entities = own.map((one) => one.entity_id);
            expect(entities).toEqual([...entities].sort());
          }
        }
      }),
    );
  });

  it('travel in messages of their own tenant where it has ten a second or more, and are said to be its own', () => {
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
            expect(own.length).toBeLessThan((10 * groupMs) / 1000);
          }
        }
      }),
    );
  });

  it('go to the slow lane ten at most together, each message of one tenant', () => {
    fc.assert(
      fc.property(jobs, (list) => {
        const messages = packSlowJobs([...list]);
        const slowJobs = (message: { body: unknown }) => (message.body as { slow_jobs: Job[] }).slow_jobs;
        expect(messages.flatMap(slowJobs).map(text).sort()).toEqual(list.map(text).sort());
        for (const message of messages) {
          expect(slowJobs(message).length).toBeLessThanOrEqual(10);
          expect(new Set(slowJobs(message).map((one) => one.tenant_id))).toEqual(new Set([message.group]));
        }
      }),
    );
  });
});

describe('deadlines packed into messages', () => {
  const deadlines = fc.array(
    job.map(({ slot, ...of }): DueDeadline => ({ kind: 'silence', ...of, at: slot })),
    { maxLength: 300 },
  );
  const deadlinesOf = (message: { body: unknown }) => (message.body as { deadlines: DueDeadline[] }).deadlines;

  it('are all there, none handed out before it has come, nor a group after it or after now', () => {
    fc.assert(
      fc.property(deadlines, group, (list, groupMs) => {
        const now = NOW + 2500;
        const messages = packDeadlines([...list], 'first', groupMs, now);
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

  it('that have come travel together, fifty a message', () => {
    const past = Array.from({ length: 120 }, (_, i): DueDeadline => {
      return { kind: 'silence', tenant_id: 'acc_a', entity_id: `ent_${i}`, check_id: `chk_${i}`, at: NOW - i * MINUTE };
    });
    expect(packDeadlines(past, 'first', 1000, NOW).map((message) => deadlinesOf(message).length)).toEqual([50, 50, 20]);
  });
});
