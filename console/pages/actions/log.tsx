import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { LogLine, State } from '#console/api/records.ts';
import { Button } from '#console/parts/button.tsx';
import { Section } from '#console/parts/page.tsx';
import { StateMark } from '#console/parts/state-mark.tsx';
import { Empty } from '#console/parts/states.tsx';
import { Time } from '#console/parts/time.tsx';
import { type Level, levelOf, plainLine } from '#console/rules/log-line.ts';
import { count } from '#console/rules/words.ts';

const SHAPE: Readonly<Record<Level, State>> = { error: 'down', warning: 'degraded', debug: 'unknown' };

const FOLLOW_DISTANCE_PX = 24;

/** Log of an execution. It follows new lines until the user scrolls up. `expectsMore`: the execution continues. */
export function Log({ lines, expectsMore }: { lines: readonly LogLine[]; expectsMore: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  /** Number of the last line when the user scrolled up; undefined while following. */
  const [pausedAt, setPausedAt] = useState<number | undefined>(undefined);
  const last = lines.at(-1)?.seq ?? 0;
  useLayoutEffect(() => {
    if (box.current && pausedAt === undefined && last > 0) box.current.scrollTop = box.current.scrollHeight;
  }, [last, pausedAt]);

  function onScroll({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: { currentTarget: HTMLElement }) {
    const isAtEnd = scrollHeight - scrollTop - clientHeight < FOLLOW_DISTANCE_PX;
    setPausedAt((before) => (isAtEnd ? undefined : (before ?? last)));
  }

  const unseen = pausedAt === undefined ? 0 : last - pausedAt;
  return (
    <Section
      title="Log"
      actions={
        pausedAt === undefined ? (
          <span class="hint">{expectsMore ? 'Following' : count(lines.length, 'line')}</span>
        ) : (
          <span class="log-left">
            <span class="hint">Paused{unseen > 0 && `: ${count(unseen, 'new line')}`}</span>
            <Button small onClick={() => setPausedAt(undefined)}>
              {expectsMore ? 'Follow' : 'Jump to end'}
            </Button>
          </span>
        )
      }
    >
      {lines.length === 0 ? (
        <Empty title={expectsMore ? 'No lines yet' : 'No log lines'} />
      ) : (
        // The log scrolls, so the keyboard must reach it.
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        <div ref={box} class="log" role="log" aria-live="off" aria-label="Log lines" tabIndex={0} onScroll={onScroll}>
          <ol>
            {lines.map((line) => (
              <Line key={line.seq} {...line} />
            ))}
          </ol>
        </div>
      )}
    </Section>
  );
}

function Line({ seq, line, reported_at }: LogLine) {
  const text = plainLine(line);
  const level = levelOf(text);
  return (
    <li value={seq} class={level}>
      <Time at={reported_at} as="clock" />
      <span class="level">{level && <StateMark state={SHAPE[level]} word={level} />}</span>
      <span class="text" dir="auto">
        {text}
      </span>
    </li>
  );
}
