import { batch, type ReadonlySignal, signal } from '@preact/signals';
import { isUnderWay, watchInterval } from '#console/rules/executions.ts';
import { type ApiFailure, asFailure } from './call.ts';
import type { LiveWorld } from './live.ts';
import type { Execution, LogLine } from './records.ts';

type Follower = {
  /** The run as it was last; undefined until it was read. */
  execution: ReadonlySignal<Execution | undefined>;
  /** Its log so far, in order. */
  lines: ReadonlySignal<readonly LogLine[]>;
  /** Why the last look failed; undefined when it did not. */
  failure: ReadonlySignal<ApiFailure | undefined>;
  /** Whether it goes on looking by itself. */
  isWatching: ReadonlySignal<boolean>;
  /** Looks at once, and goes on while more is to be expected. */
  look(): void;
  stop(): void;
};

/** Who is refused so, is refused the next time as well. */
const isFinal = ({ status }: ApiFailure): boolean => status >= 400 && status < 500 && status !== 429;

/**
 * Watches one run until it ends: its record at each look, and of its log what is behind the last line known, when the
 * record counts more. @param id of the execution
 */
export function makeFollower(world: Omit<LiveWorld, 'lastInput'>, id: string): Follower {
  const execution = signal<Execution | undefined>(undefined);
  const lines = signal<readonly LogLine[]>([]);
  const failure = signal<ApiFailure | undefined>(undefined);
  const isWatching = signal(true);
  const path = `/v1/actions/executions/${id}`;
  let quiet = 0;
  let stopping: AbortController | undefined;
  let callOff = () => {};

  /** The lines behind those that are known. The record counts them, so that nothing is asked for where nothing is. */
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
        isWatching.value = isUnderWay(value, world.now());
      });
    } catch (error) {
      if (control.signal.aborted) return;
      quiet++;
      const why = asFailure(error);
      batch(() => {
        failure.value = why;
        isWatching.value = !isFinal(why) && isWatching.peek();
      });
    }
    if (control.signal.aborted || !isWatching.peek()) return;
    const retryAfter = failure.peek()?.retryAfter;
    callOff = world.after(watchInterval({ quiet, hidden: world.isHidden(), retryAfter }), () => void run(control));
  }

  function stop(): void {
    stopping?.abort();
    callOff();
  }

  return {
    execution,
    lines,
    failure,
    isWatching,
    look() {
      stop();
      stopping = new AbortController();
      void run(stopping);
    },
    stop,
  };
}
