import { describe, expect, it } from 'vitest';
import type { CheckItem } from '#lib/checks/check-item.ts';
import { parseCheck } from '#lib/checks/settings/model.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { probeTarget, probingProcess } from '#lib/results/probe/probe.ts';
import { memoryWorld } from '#test/support/memory-world.ts';
import { probeWorld, unlimitedCpu } from '#test/support/probe-world.ts';
import { httpTarget } from '#test/support/socket-target.ts';

/** Maximum number of large bodies of a process, and number of requests beyond it. */
const [MAX_BODIES, MORE] = [20, 4];
const LARGE = JSON.stringify({ status: 'ok', note: 'x'.repeat(300_000) });
const ok = { source: 'json', property: '$.status', operator: 'equals', value: 'ok' };

/** Creates a process that probes real targets. `seen`: its present and its maximum number of large bodies. */
function proberProcess() {
  const { net, settings } = probeWorld();
  const cpu = { of: () => unlimitedCpu };
  const ports = { ...memoryWorld().ports, net, settings, clock: systemClock, cpu };
  const { large } = probingProcess(ports).lanes;
  const seen = { now: 0, most: 0 };
  const { run } = large;
  large.run = (request, work) =>
    run.call(large, request, async () => {
      seen.most = Math.max(seen.most, ++seen.now);
      return work().finally(() => seen.now--);
    }) as never;
  const probe = (tenant_id: string, target_url: string, timeout_ms = 20_000) => {
    const wanted = { entity_id: 'ent_1', check_type: 'http', target_url, config: { assertions: [ok] } };
    const check = parseCheck(wanted, { minInterval: 1, now: 0 }) as CheckItem;
    return probeTarget(ports, check, { account: { egress: 'any' }, tenant_id, timeout_ms, about: {} });
  };
  return { large, seen, probe };
}

describe('response bodies in memory', () => {
  it('are limited in number when large, and all are evaluated', async () => {
    await using target = await httpTarget((_req, res) => res.end(LARGE));
    const { seen, probe } = proberProcess();
    const probed = await Promise.all(Array.from({ length: 60 }, () => probe('acc_1', target.url)));
    expect(probed.map((one) => one?.outcome.error_message)).toEqual(Array(60).fill(''));
    expect(seen.most).toBeGreaterThan(1);
    expect(seen.most).toBeLessThanOrEqual(MAX_BODIES);
    await new Promise(setImmediate);
    expect(seen.now).toBe(0);
  });

  it('give no outcome when large if no permit becomes free in time, and do not affect other accounts', async () => {
    await using target = await httpTarget((_req, res) => res.end(LARGE));
    const { large, seen, probe } = proberProcess();
    const end = Promise.withResolvers<void>();
    const held = Array.from({ length: MAX_BODIES + MORE }, () => large.run({ tenant: 'acc_1' }, () => end.promise));
    expect(seen.now).toBe(MAX_BODIES);
    expect(await probe('acc_1', target.url, 500)).toBeUndefined();
    expect((await probe('acc_2', target.url))?.outcome.success).toBe(true);
    end.resolve();
    await Promise.all(held);
    expect((await probe('acc_1', target.url))?.outcome.success).toBe(true);
    await new Promise(setImmediate);
    expect(seen.now).toBe(0);
  });

  it('need no permit when small', async () => {
    await using target = await httpTarget((_req, res) => res.end('{"status": "ok"}'));
    const { seen, probe } = proberProcess();
    expect((await probe('acc_1', target.url))?.outcome.success).toBe(true);
    expect(seen.most).toBe(0);
  });
});
