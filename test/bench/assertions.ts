import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { create } from '#functions/prober.ts';
import { cpuThread } from '#infra/local/cpu-thread.ts';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { parseCheck } from '#lib/checks/settings/model.ts';
import { probeHttp } from '#lib/checks/types/http-probe.ts';
import type { Net } from '#lib/net/net.ts';
import { makeNet } from '#lib/net/node-net.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { type RunCpuJob, runInline, type TenantCpu } from '#lib/platform/sharing/cpu-budget.ts';
import { latestSlot } from '#lib/schedule/slots.ts';
import { readSettings } from '#lib/settings.ts';
import { healthWorld, intervalScheduleOfCheck, jobOfCheck } from '#test/support/health-world.ts';
import { queueRecord } from '#test/support/queue-record.ts';
import { bodies, json, worst } from './asserted-bodies.ts';
import { quantile } from './figures.ts';

/**
 * Measures and prints costs of assertions. The target is this file in its own process. Figures:
 * - the CPU of a check with five assertions on a JSON body of 2 KB, relative to a check without assertions: as a whole
 *   (read, probed and recorded like in a prober), and its probe only
 * - the same for a check with an expression
 * - the CPU of a probe that searches in this thread, relative to one that searches in a thread of its own
 * - the longest turn of the event loop for the worst bodies and assertions that the limits accept
 */

const PROBES = 400;
const AT_ONCE = 16;
const ROUNDS = 3;
/** Number of pairs of runs. The two kinds of work alternate, so that load of other programs affects both. */
const PAIRS = 40;
/** Number of simultaneous checks of a cell, and of its slots per run. */
const [CHECKS, SLOTS] = [25, 16];

if (process.argv[2] === 'target') {
  const made = new Map<string, Buffer>();
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .once('data', (request) => {
        const name = /^GET \/(\w+)/.exec(`${request}`)![1]!;
        const body = made.get(name) ?? Buffer.from(bodies[name]!());
        made.set(name, body);
        socket.end(
          Buffer.concat([
            Buffer.from(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`),
            body,
          ]),
        );
      }),
  );
  server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
  process.on('disconnect', () => process.exit());
} else {
  const targets = fork(import.meta.filename, ['target']);
  const [port] = await once(targets, 'message');
  const figures = await measure(`http://shop.example.com:${port}`);
  targets.disconnect();
  process.stdout.write(JSON.stringify(figures));
  process.exit();
}

async function measure(url: string): Promise<Record<string, number>> {
  const settings = readSettings({ EGRESS_ALLOW: '127.0.0.1/32' });
  const net = makeNet(settings, async () => ['127.0.0.1']);
  const cpuBy =
    (by: RunCpuJob): TenantCpu =>
    (job, inputs) =>
      Promise.all(inputs.map(async (input) => (await by(job, input)).output));
  const cpu = cpuBy(cpuThread());
  const prober = (body: string, assertions: object[], by = cpu) => {
    const wanted = { entity_id: 'ent_0', check_type: 'http', target_url: `${url}/${body}` };
    const check = parseCheck(
      { ...wanted, ...(assertions.length > 0 && { config: { assertions } }) },
      { minInterval: 1, now: 0 },
    );
    return () => probeHttp(check as never, { net, settings, timeout_ms: 30_000, now: Date.now(), cpu: by });
  };
  const five = [
    { source: 'status_code', operator: 'one_of', value: ['2xx', 304] },
    { source: 'body', operator: 'not_contains', value: 'error' },
    json('$.db.status', 'equals', 'ok'),
    json('$.items.length', 'at_least', 10),
    { source: 'latency_ms', operator: 'less_than', value: 10_000, severity: 'warn' },
  ];
  const probe = await ratioOf(probing(prober('usual', [])), probing(prober('usual', five)));
  const check = await ratioOf(
    await recording(net, cpu, `${url}/usual`, []),
    await recording(net, cpu, `${url}/usual`, five),
  );
  const expression = [{ source: 'body', operator: 'matches', value: '"status":\\s*"ok"' }];
  const expressionCheck = await ratioOf(
    await recording(net, cpu, `${url}/usual`, []),
    await recording(net, cpu, `${url}/usual`, expression),
  );
  const expressionProbe = await ratioOf(probing(prober('usual', [])), probing(prober('usual', expression)));
  const inline = await ratioOf(
    probing(prober('usual', expression)),
    probing(prober('usual', expression, cpuBy(runInline))),
  );
  let longest = 0;
  for (const [name, { on, assertions }] of Object.entries(worst)) {
    for (const body of on) {
      const turn = await longestTurn(prober(body, assertions));
      if (turn > longest / 2) process.stderr.write(`  ${turn.toFixed(1)} ms of CPU: ${name} on ${body}\n`);
      longest = Math.max(longest, turn);
    }
  }
  return {
    check_with_five_assertions_by_a_plain_one: check,
    probe_with_five_assertions_by_a_plain_one: probe,
    check_with_an_expression_by_a_plain_one: expressionCheck,
    probe_with_an_expression_by_a_plain_one: expressionProbe,
    probe_with_an_expression_inline_by_one_in_a_thread: inline,
    worst_assertions_longest_turn_cpu_ms: longest,
  };
}

/** Returns the CPU of `other` relative to `plain`. Both alternate; the tenth percentile of each counts. */
async function ratioOf(plain: () => Promise<unknown>, other: () => Promise<unknown>): Promise<number> {
  const taken: [number[], number[]] = [[], []];
  // The first rounds are not measured, because they include compilation.
  for (let round = -PAIRS / 4; round < PAIRS; round++) {
    for (const [i, work] of [plain, other].entries()) {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) taken[i]!.push(user + system);
    }
  }
  const [one, two] = taken.map((all) => quantile(all, 0.1));
  return two! / one!;
}

/** Returns a function that runs 400 probes, 16 at a time. */
function probing(probe: () => Promise<{ success: boolean; error_message: string }>): () => Promise<unknown> {
  return () => {
    let left = PROBES;
    const worker = async () => {
      while (left-- > 0) {
        const { success, error_message } = await probe();
        if (!success) throw new Error(`A probe failed: ${error_message}`);
      }
    };
    return Promise.all(Array.from({ length: AT_ONCE }, worker));
  };
}

/** Returns a function that runs slots of a cell like a prober: reads, probes and records, with a store in memory. */
async function recording(
  net: Net,
  cpu: TenantCpu,
  target_url: string,
  assertions: object[],
): Promise<() => Promise<void>> {
  const world = await healthWorld();
  const { id: entity_id } = await world.entity();
  const checks: CheckItem[] = [];
  for (let i = 0; i < CHECKS; i++) {
    const config = assertions.length > 0 ? { config: { assertions } } : {};
    checks.push(await world.check({ entity_id, target_url, ...config }));
  }
  const [first] = checks;
  const { sleep } = systemClock;
  // Shared resources of probes, including the clock, are kept per net object.
  const handler = create({
    ...world.ports,
    cpu: { of: () => cpu },
    net: { ...net },
    clock: { ...world.ports.clock, sleep },
  });
  return async () => {
    for (let i = 0; i < SLOTS; i++) {
      world.advance(first!.interval_seconds * 1000);
      const slot = latestSlot(intervalScheduleOfCheck(first!), world.ports.clock.now());
      const { batchItemFailures } = await handler({
        Records: [queueRecord('m1', { jobs: [jobOfCheck(first!, slot)] })],
      });
      const { state } = await world.fresh(checks.at(-1)!);
      if (batchItemFailures.length > 0 || state !== 'up') throw new Error('A slot was not recorded.');
    }
  };
}

/** Returns the longest turn of the event loop during a probe (ms of CPU of this thread): the lowest of three rounds. */
async function longestTurn(probe: () => Promise<unknown>): Promise<number> {
  const cpuNow = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    let longest = 0;
    let last = cpuNow();
    let isOver = false;
    const look = () => {
      const now = cpuNow();
      longest = Math.max(longest, now - last);
      last = now;
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    await probe();
    isOver = true;
    await new Promise((done) => setImmediate(done));
    best = Math.min(best, longest);
  }
  return best;
}
