import { quantile } from '#test/bench/figures.ts';
import { usageOf } from '#test/long/process-tree.ts';
import { startRealService } from '#test/support/real-service.ts';
import type { Figures } from './targets.ts';

const STARTS = 5;
const MB = 2 ** 20;

/**
 * Measures the cost of the console in a new process. The first request for the page waits until the files of the
 * console are built.
 */
export async function start(): Promise<Figures> {
  const pages: number[] = [];
  const memory: number[] = [];
  const starts: number[] = [];
  await using service = await startRealService();
  for (let i = 0; i < STARTS; i++) {
    await service.kill();
    const began = performance.now();
    await service.start();
    starts.push(performance.now() - began);
    const before = usageOf(service.pid()).rss_bytes;
    const requested = performance.now();
    const answer = await fetch(service.url, { headers: { accept: 'text/html' } });
    if (!answer.ok) throw new Error(`GET / returned ${answer.status}.`);
    await answer.text();
    pages.push(performance.now() - requested);
    memory.push((usageOf(service.pid()).rss_bytes - before) / MB);
  }
  return {
    start_ms: quantile(starts, 0.5),
    first_page_ms: quantile(pages, 0.5),
    first_page_memory_mb: quantile(memory, 0.5),
  };
}
