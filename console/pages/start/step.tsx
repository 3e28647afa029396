import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '#console/parts/icon.tsx';

type StepProps = {
  number: number;
  title: string;
  current: number;
  outcome?: ComponentChildren;
  children: ComponentChildren;
};

/** Shows a step. Its heading gets the focus when the step becomes current after the previous one. */
export function Step({ number, title, current, outcome, children }: StepProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(current);
  const isCurrent = number === current;
  useEffect(() => {
    if (isCurrent && before.current < current) heading.current?.focus();
    before.current = current;
  }, [isCurrent, current]);
  const isDone = number < current;
  return (
    <li class={isCurrent ? 'step section' : 'step'} aria-current={isCurrent ? 'step' : undefined}>
      <h2 ref={heading} tabIndex={-1}>
        <span class="step-number">{isDone ? <Icon name="done" /> : number}</span>
        {title}
        {isDone && <span class="unseen">, done</span>}
      </h2>
      {isDone && <div class="step-outcome">{outcome}</div>}
      {isCurrent && children}
    </li>
  );
}
