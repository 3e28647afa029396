import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { isUnderWay, watchInterval } from '#console/rules/executions.ts';
import { type ApiFailure, asFailure } from './call.ts';
import type { LiveWorld } from './live.ts';
import type { Execution, LogLine } from './records.ts';

type Follower = {
  execution: ReadonlySignal<Execution | undefined>;
  lines: ReadonlySignal<readonly LogLine[]>;
  failure: ReadonlySignal<ApiFailure | undefined>;
  isFollowing: ReadonlySignal<boolean>;
  poll(): void;
  stop(): void;
};

const isFinal = ({ status }: ApiFailure): boolean => status >= 400 && status < 500 && status !== 429;

/** Polls the record and the new log lines of an execution while it can still change. @param id of the execution */
export function makeFollower(world: Omit<LiveWorld, 'lastInput'>, id: string): Follower {
  const execution = signal<Execution | undefined>(undefined);
  const lines = signal<readonly LogLine[]>([]);
  const failure = signal<ApiFailure | undefined>(undefined);
  const isFollowing = signal(true);
  const path = `/v1/actions/executions/${id}`;
  let quiet = 0;
  let controller: AbortController | undefined;
  let cancel = () => {};

  async function readLines(count: number, { signal }: AbortController): Promise<readonly LogLine[]> {
    const found = [...lines.peek()];
    while (found.length < count) {
      const { value } = await world.get<LogLine[]>(`${path}/logs?detail=1&after=${found.at(-1)?.seq ?? 0}`, { signal });
      if (value.length === 0) break;
      found.push(...value);
    }
    return found;
  }

  async function run(control: AbortController): Promise<void> {
    try {
      const { value } = await world.get<Execution>(path, { signal: control.signal });
      const found = await readLines(value.log_count, control);
      const isNew = found.length > lines.peek().length || JSON.stringify(value) !== JSON.stringify(execution.peek());
      quiet = isNew ? 0 : quiet + 1;
      batch(() => {
        execution.value = value;
        if (isNew) lines.value = found;
        failure.value = undefined;
        isFollowing.value = isUnderWay(value, world.now());
      });
    } catch (error) {
      if (control.signal.aborted) return;
      quiet++;
      const why = asFailure(error);
      batch(() => {
        failure.value = why;
        isFollowing.value = !isFinal(why) && isFollowing.peek();
      });
    }
    if (control.signal.aborted || !isFollowing.peek()) return;
    const retryAfter = failure.peek()?.retryAfter;
    cancel = world.after(watchInterval({ quiet, hidden: world.isHidden(), retryAfter }), () => void run(control));
  }

  function stop(): void {
    controller?.abort();
    cancel();
  }

  return {
    execution,
    lines,
    failure,
    isFollowing,
    poll() {
      stop();
      controller = new AbortController();
      void run(controller);
    },
    stop,
  };
}
