import type { ServerResponse } from 'node:http';
import { networkOf } from '#lib/platform/sharing/memory-limiter.ts';
import type { Bounds } from './bounds.ts';

/**
 * Bounds the memory of answers that wait for their readers. Beyond the bound, the oldest answer to the address with
 * most waiting is cut, so that slow readers do not hurt others.
 * @returns to be called with each answer before it is sent
 */
export function boundUnsent(bounds: Bounds): (response: ServerResponse, address: string, bytes: number) => void {
  const waiting = new Map<string, { bytes: number; answers: Map<ServerResponse, number> }>();
  let total = 0;

  function forget(network: string, response: ServerResponse): void {
    const own = waiting.get(network);
    const bytes = own?.answers.get(response);
    if (!own || bytes === undefined) return;
    own.answers.delete(response);
    own.bytes -= bytes;
    total -= bytes;
    if (own.answers.size === 0) waiting.delete(network);
  }

  function cutOne(): void {
    const [network, { answers }] = [...waiting].reduce((a, b) => (b[1].bytes > a[1].bytes ? b : a));
    const oldest = answers.keys().next().value!;
    forget(network, oldest);
    oldest.destroy();
  }

  return (response, address, bytes) => {
    if (bytes <= bounds.small_answer_bytes) return;
    const network = networkOf(address);
    const own = waiting.get(network) ?? { bytes: 0, answers: new Map() };
    waiting.set(network, own);
    own.answers.set(response, bytes);
    own.bytes += bytes;
    total += bytes;
    response.on('close', () => forget(network, response));
    // With the new one counted, but never that one alone.
    while (total > bounds.answer_bytes && total > bytes) cutOne();
  };
}
