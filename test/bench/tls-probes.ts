import { once } from 'node:events';
import { makeNet } from '#lib/net/node-net.ts';
import { systemClock } from '#lib/platform/clock.ts';
import { NO_PERMIT } from '#lib/platform/sharing/fair-semaphore.ts';
import { makeLanes } from '#lib/results/probe/lanes.ts';
import { readSettings } from '#lib/settings.ts';

/**
 * Sends simultaneous https probes with the network code of the service. Prints `ready` and waits for a line, so that
 * the CPU of this process can be limited first. Then prints the latency (ms) of each probe. Arguments: URL,
 * simultaneous probes, maximum concurrency, rounds.
 */
const [url = '', due = '50', atOnce = '20', rounds = '5'] = process.argv.slice(2);
const net = makeNet({ EGRESS_ALLOW: [] });
const { begin } = makeLanes({ clock: systemClock, settings: readSettings({ PROBES_AT_ONCE: atOnce }) });

async function probe(): Promise<number> {
  const request = { url, method: 'GET', timeout_ms: 10_000, max_body_bytes: 1024, max_redirects: 0 };
  const { latency_ms } = await net.http({ ...request, egress: 'any', verify_tls: false });
  return latency_ms;
}

process.stdout.write('ready');
await once(process.stdin, 'data');
// These probes are not measured: they do one-time work of a process, such as reading its certificate authorities.
for (let i = 0; i < 5; i++) await probe();
const latencies: number[] = [];
for (let round = 0; round < Number(rounds); round++) {
  const probes = Array.from({ length: Number(due) }, () => begin({ tenant: 'acc_bench' }, probe));
  latencies.push(...(await Promise.all(probes)).filter((latency) => latency !== NO_PERMIT));
}
process.stdout.write(JSON.stringify(latencies));
process.exit(0);
