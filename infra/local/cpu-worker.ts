import { parentPort } from 'node:worker_threads';
import { CPU_JOBS } from '#lib/cpu-jobs.ts';
import type { CpuAnswer } from './cpu-thread.ts';

/** Thread of cpu-thread.ts: runs the jobs that it receives and sends their outputs. */

const jobs = new Map(CPU_JOBS.map((job) => [job.name, job]));
const loaded = new Map<string, (input: never) => unknown>();
const send = (answer: CpuAnswer) => parentPort!.postMessage(answer);

async function load(name: string): Promise<(input: never) => unknown> {
  const job = jobs.get(name);
  if (!job) throw new Error(`The job ${name} is missing in lib/cpu-jobs.ts.`);
  const run = await job.load();
  loaded.set(name, run);
  send('began');
  return run;
}

parentPort!.on('message', async ({ name, input }: { name: string; input: unknown }) => {
  try {
    const run = loaded.get(name) ?? (await load(name));
    const began = performance.now();
    const output = run(input as never);
    send({ output, used_ms: performance.now() - began });
  } catch (error) {
    send({ error: error as Error });
  }
});
