import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { largeReads, type WorstRequest, worstRequests } from '#test/support/worst-requests.ts';
import type { Begun, Turn } from './turns-service.ts';

const ROUNDS = 3;
const SHOWN = 5;
/** Turns shorter than this are not measured again (ms). */
const WORTH_REPEATING_MS = 20;

type Measured = Omit<WorstRequest, 'body'> & Turn & { status: number; bytes: number };

/** Starts a service in its own process that reports the longest turn of its event loop. */
async function startMeasured() {
  const dir = mkdtempSync(join(tmpdir(), 'fleetwatch-turns-'));
  const child = fork(join(import.meta.dirname, 'turns-service.ts'), [dir], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const [{ url, key }] = (await once(child, 'message')) as [Begun];
  const longestTurn = async (): Promise<Turn> => {
    child.send('turn');
    return ((await once(child, 'message')) as [Turn])[0];
  };
  return {
    url,
    key,
    longestTurn,
    [Symbol.asyncDispose]: async () => {
      child.disconnect();
      await once(child, 'exit');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/**
 * Measures the longest turn of the event loop for one request of a tenant: every worst body to every endpoint,
 * including MCP, and every list at its longest, by the CPU of the event loop's thread, as on an idle machine. The
 * shortest of three rounds counts.
 */
export async function worstBody(): Promise<Record<string, number>> {
  await using service = await startMeasured();
  const send = async ({ method, path, body, headers }: Omit<WorstRequest, 'name'>) => {
    const response = await fetch(service.url + path, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, text: await response.text(), cookies: response.headers.getSetCookie() };
  };
  const measured: Measured[] = [];
  const measure = async (request: WorstRequest) => {
    const { name, method, path } = request;
    let best: Measured | undefined;
    for (let round = 0; round < ROUNDS; round++) {
      await service.longestTurn();
      const { status, text } = await send(request);
      const turn = await service.longestTurn();
      if (!best || turn.cpu_ms < best.cpu_ms) best = { name, method, path, ...turn, status, bytes: text.length };
      if (best.cpu_ms < WORTH_REPEATING_MS) break;
    }
    measured.push(best!);
  };
  for await (const request of worstRequests(send)) await measure(request);
  for await (const request of largeReads(send)) await measure(request);

  const top = measured.toSorted((a, b) => b.cpu_ms - a.cpu_ms);
  for (const { method, path, name, wall_ms, cpu_ms, status, bytes } of top.slice(0, SHOWN)) {
    const took = `${cpu_ms.toFixed(0)} ms of CPU (${wall_ms.toFixed(0)} ms by the clock)`;
    process.stdout.write(`  ${took}: ${method} ${path.slice(0, 80)}, ${name}: ${status}, ${bytes} bytes\n`);
  }
  return { worst_body_longest_turn_cpu_ms: top[0]!.cpu_ms };
}
