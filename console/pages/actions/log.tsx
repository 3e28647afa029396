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

/** Distance from the end, in pixels, within which the view keeps following. */
const NEAR = 24;

/** Log of an execution. It follows new lines until the user scrolls up. @param more whether more lines are expected */
export function Log({ lines, more }: { lines: readonly LogLine[]; more: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  /** Last line when the user scrolled up; undefined while following. */
  const [left, leave] = useState<number | undefined>(undefined);
  const last = lines.at(-1)?.seq ?? 0;
  useLayoutEffect(() => {
    if (box.current && left === undefined && last > 0) box.current.scrollTop = box.current.scrollHeight;
  }, [last, left]);

  function onScroll({ currentTarget: { scrollHeight, scrollTop, clientHeight } }: { currentTarget: HTMLElement }) {
    const isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR;
    leave((before) => (isAtEnd ? undefined : (before ?? last)));
  }

  const unseen = left === undefined ? 0 : last - left;
  return (
    <Section
      title="Log"
      actions={
        left === undefined ? (
          <span class="hint">{more ? 'Following' : count(lines.length, 'line')}</span>
        ) : (
          <span class="log-left">
            <span class="hint">Paused{unseen > 0 && `: ${count(unseen, 'new line')}`}</span>
            <Button small onClick={() => leave(undefined)}>
              {more ? 'Follow' : 'Jump to end'}
            </Button>
          </span>
        )
      }
    >
      {lines.length === 0 ? (
        <Empty title={more ? 'No lines yet' : 'No log lines'} />
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
