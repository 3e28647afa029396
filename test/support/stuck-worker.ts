import { parentPort } from 'node:worker_threads';

/** Thread like infra/local/cpu-worker.ts whose jobs echo their input, never end, use up their memory, or fail. */

parentPort!.on('message', ({ input }: { input: unknown }) => {
  parentPort!.postMessage('began');
  if (input === 'loop') for (;;);
  if (input === 'fill') for (const list: unknown[] = []; ; ) list.push(new Array(1e5).fill({}));
  if (input === 'throw') parentPort!.postMessage({ error: new Error('a defect') });
  else parentPort!.postMessage({ output: input, used_ms: 1 });
});
