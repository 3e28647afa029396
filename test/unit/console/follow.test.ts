import { describe, expect, it } from 'vitest';
import { ApiFailure } from '#console/api/call.ts';
import { makeFollower } from '#console/api/follow.ts';
import type { Execution, LogLine } from '#console/api/records.ts';

const START = Date.parse('2026-11-22T12:00:00.000Z');
const EXECUTION: Execution = {
  id: 'exe_1',
  action_id: 'act_1',
  trigger: 'manual',
  dispatch_status: 'success',
  status_code: 202,
  latency_ms: 5,
  response_snippet: '',
  error_message: '',
  pipeline_status: null,
  log_count: 0,
  transition_id: null,
  ...{ attempt: null, verdict: null, verified_at: null, verified_by: null },
  created_at: '2026-11-22T12:00:00.000Z',
  finished_at: '2026-11-22T12:00:00.000Z',
};

const lineOf = (seq: number): LogLine => ({ seq, line: `line ${seq}`, reported_at: EXECUTION.created_at });

/** Creates a follower of a fake service with one execution and a manual clock. */
function world() {
  let timer: { ms: number; run: () => void } | undefined;
  const state = {
    now: START,
    execution: EXECUTION,
    fails: undefined as ApiFailure | undefined,
    requests: [] as string[],
    /** Milliseconds to the next poll; undefined if none is scheduled. */
    next: () => timer?.ms,
    /** Advances the clock to the next poll and runs it. */
    async turn() {
      const due = timer!;
      timer = undefined;
      state.now += due.ms;
      state.requests.length = 0;
      due.run();
      await settled();
    },
    report(lines: number, pipeline_status: Execution['pipeline_status']) {
      state.execution = { ...state.execution, pipeline_status, log_count: state.execution.log_count + lines };
    },
  };
  const follower = makeFollower(
    {
      now: () => state.now,
      after(ms, run) {
        const own = { ms, run };
        timer = own;
        return () => {
          if (timer === own) timer = undefined;
        };
      },
      isHidden: () => false,
      async get<T>(path: string) {
        state.requests.push(path);
        if (state.fails) throw state.fails;
        const after = /after=(\d+)/.exec(path)?.[1];
        // A page of the log has up to three lines.
        const from = Number(after) + 1;
        const count = Math.min(3, state.execution.log_count - from + 1);
        const value = after === undefined ? state.execution : Array.from({ length: count }, (_, i) => lineOf(from + i));
        return { value: value as T, next: undefined };
      },
    },
    EXECUTION.id,
  );
  return { state, follower };
}

const settled = () => new Promise((resolve) => setTimeout(resolve));

describe('makeFollower', () => {
  it('reads the execution and only new log lines, page by page', async () => {
    const { state, follower } = world();
    state.report(7, 'running');
    follower.poll();
    await settled();
    expect(follower.lines.value.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    state.report(2, 'running');
    await state.turn();
    expect(state.requests).toEqual([
      '/v1/actions/executions/exe_1',
      '/v1/actions/executions/exe_1/logs?detail=1&after=7',
    ]);
    expect(follower.lines.value.at(-1)?.line).toBe('line 9');
    await state.turn();
    expect(state.requests).toEqual(['/v1/actions/executions/exe_1']);
  });

  it('polls less often without news, and fast again after news', async () => {
    const { state, follower } = world();
    state.report(1, 'running');
    follower.poll();
    await settled();
    expect(state.next()).toBe(1000);
    await state.turn();
    await state.turn();
    expect(state.next()).toBe(2250);
    state.report(1, 'running');
    await state.turn();
    expect(state.next()).toBe(1000);
  });

  it('reads the last lines and stops when the execution has ended', async () => {
    const { state, follower } = world();
    follower.poll();
    await settled();
    state.report(3, 'failed');
    await state.turn();
    expect(follower.lines.value).toHaveLength(3);
    expect([follower.isFollowing.value, state.next()]).toEqual([false, undefined]);
  });

  it('continues after errors, and stops when the execution does not exist', async () => {
    const { state, follower } = world();
    state.report(1, 'running');
    follower.poll();
    await settled();
    state.fails = new ApiFailure('Too many requests.', { status: 429, code: 'RATE_LIMITED', retryAfter: 30 });
    await state.turn();
    expect(follower.execution.value?.pipeline_status).toBe('running');
    expect([follower.failure.value?.status, state.next()]).toEqual([429, 30_000]);
    state.fails = undefined;
    await state.turn();
    expect(follower.failure.value).toBeUndefined();
    state.fails = new ApiFailure('Execution not found.', { status: 404, code: 'NOT_FOUND' });
    await state.turn();
    expect([follower.isFollowing.value, state.next()]).toEqual([false, undefined]);
  });

  it('does not poll after stop', async () => {
    const { state, follower } = world();
    follower.poll();
    await settled();
    follower.stop();
    expect(state.next()).toBeUndefined();
  });
});
