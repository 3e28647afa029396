import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { failed, succeeded, withVerdict } from '#lib/checks/outcome.ts';
import { type Connection, type Handshake, type Net, NetError, type OpenRequest } from '#lib/net/net.ts';

/** Somebody who speaks over a connection. */
export interface Talk {
  /** @returns what the peer did that was not expected, in a sentence; empty when all went as it should */
  over(connection: Connection): Promise<string>;
  /** The same of what was said until the time was over; empty where nothing was. */
  whenTimeIsOver(): string;
  /** The peer did not go on, or closed the connection: a stall of our own may be why. */
  readonly interrupted: boolean;
}

/** What came of it; `problem` as `Talk.over` answers it, `handshake` the latest one. */
export type Talked = {
  problem: string;
  interrupted: boolean;
  latency_ms: number;
  handshake: Handshake | undefined;
};

/** Opens a connection and has somebody speak over it. Throws `NetError` as `Net.open` does. */
export async function talkOver(net: Net, request: OpenRequest, talk: Talk): Promise<Talked> {
  try {
    return await net.open(request, async (connection) => {
      const problem = await talk.over(connection);
      const { handshake } = connection;
      return { problem, interrupted: talk.interrupted, latency_ms: connection.elapsed(), handshake };
    });
  } catch (error) {
    const problem = error instanceof NetError && error.kind === 'timeout' ? talk.whenTimeIsOver() : '';
    if (problem === '') throw error;
    return { problem, interrupted: true, latency_ms: (error as NetError).latency_ms, handshake: undefined };
  }
}

/** What a probe found by it: what was said went as it should and not as the assertions have it, or it did not. */
export async function judgedTalk(
  { problem, interrupted, latency_ms }: Talked,
  assertions: readonly Assertion[] | undefined,
  shows: boolean,
) {
  if (problem) return { ...failed('protocol', problem, latency_ms), ...(interrupted && { interrupted }) };
  return withVerdict(succeeded(latency_ms), await evaluateAssertions(assertions, { latency_ms }, shows));
}
