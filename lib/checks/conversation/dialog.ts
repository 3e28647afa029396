import type { Assertion } from '#lib/checks/assertions/assertion.ts';
import { type EvaluationOptions, evaluateAssertions } from '#lib/checks/assertions/evaluate.ts';
import { failed, succeeded, withAssertionResults } from '#lib/checks/outcome.ts';
import { type Connection, type Handshake, type Net, NetError, type OpenRequest } from '#lib/net/net.ts';

export interface Dialog {
  /** @returns the unexpected behavior of the peer, as a message; empty without one */
  run(connection: Connection): Promise<string>;
  /** Returns the problem at the timeout, based on the data received until then; empty without data. */
  onTimeout(): string;
  /** Whether the peer closed the connection, which can be due to a stall of this process. */
  readonly interrupted: boolean;
}

/** Result of a dialog. `problem`: from `run` or `onTimeout`. `handshake`: the latest of the connection. */
export type DialogResult = {
  problem: string;
  interrupted: boolean;
  latency_ms: number;
  handshake: Handshake | undefined;
};

/** Opens a connection and runs a dialog over it. Throws `NetError` like `Net.open`. */
export async function runDialog(net: Net, request: OpenRequest, dialog: Dialog): Promise<DialogResult> {
  try {
    return await net.open(request, async (connection) => {
      const problem = await dialog.run(connection);
      const { handshake } = connection;
      return { problem, interrupted: dialog.interrupted, latency_ms: connection.elapsed(), handshake };
    });
  } catch (error) {
    const problem = error instanceof NetError && error.kind === 'timeout' ? dialog.onTimeout() : '';
    if (problem === '') throw error;
    return { problem, interrupted: true, latency_ms: (error as NetError).latency_ms, handshake: undefined };
  }
}

export async function outcomeOfDialog(
  { problem, interrupted, latency_ms }: DialogResult,
  assertions: readonly Assertion[] | undefined,
  options: EvaluationOptions,
) {
  if (problem) return { ...failed('protocol', problem, latency_ms), ...(interrupted && { interrupted }) };
  return withAssertionResults(succeeded(latency_ms), await evaluateAssertions(assertions, { latency_ms }, options));
}
