import { Worker } from 'node:worker_threads';
import { CpuTimeError, type RunCpuJob } from '#lib/platform/sharing/cpu-budget.ts';

/** Limit of the elapsed time of a job on a shared core. Searches take up to 50 ms of CPU time, documents 200 ms. */
const LIMIT_MS = 1_000;
/** Heap of the thread (MB). A document of 1 MB takes up to 60. */
const HEAP_MB = 192;

/** Answer of the thread (cpu-worker.ts). `began`: the code of the job is loaded, so its time starts. */
export type CpuAnswer = { output: unknown; used_ms: number } | { error: Error } | 'began';

type Thread = { worker: Worker; loaded: Set<string>; onAnswer: (answer: CpuAnswer) => void; onExit: () => void };

/**
 * Runs jobs in a thread, one at a time, so that the event loop never waits for one. A job that exceeds its time or
 * memory ends the thread; the next job starts another one. @param file code of the thread, for tests
 */
export function cpuThread({ limit_ms = LIMIT_MS, file = 'cpu-worker.ts' } = {}): RunCpuJob {
  let thread: Thread | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function start(): Thread {
    const url = new URL(file, import.meta.url);
    const worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } });
    const started: Thread = { worker, loaded: new Set(), onAnswer: () => {}, onExit: () => {} };
    worker.on('message', (answer: CpuAnswer) => started.onAnswer(answer));
    // Emitted when the thread runs out of memory; `exit` follows.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (thread === started) thread = undefined;
      started.onExit();
    });
    worker.unref();
    return started;
  }

  async function runOne(name: string, input: unknown): Promise<Exclude<CpuAnswer, 'began' | { error: Error }>> {
    thread ??= start();
    const { worker, loaded } = thread;
    const { promise, resolve, reject } = Promise.withResolvers<Exclude<CpuAnswer, 'began'>>();
    const stop = () => reject(new CpuTimeError(limit_ms));
    // The time to start the thread and to load the code of the job does not count.
    let timer = loaded.has(name) ? setTimeout(stop, limit_ms) : undefined;
    thread.onExit = stop;
    thread.onAnswer = (answer) => {
      if (answer !== 'began') return resolve(answer);
      loaded.add(name);
      timer = setTimeout(stop, limit_ms);
    };
    try {
      worker.postMessage({ name, input });
      const answer = await promise;
      if ('error' in answer) throw answer.error;
      return answer;
    } catch (error) {
      if (error instanceof CpuTimeError) {
        thread = undefined;
        await worker.terminate();
      }
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return ({ name }, input) => {
    const next = last.then(() => runOne(name, input));
    last = next.catch(() => {});
    return next as ReturnType<RunCpuJob> as never;
  };
}
