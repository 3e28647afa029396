import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Icon, type IconName } from './icon.tsx';

type ButtonProps = {
  children?: ComponentChildren;
  icon?: IconName;
  /** Accessible name, if the button has no text, or its text is ambiguous in a list. */
  label?: string;
  type?: 'button' | 'submit';
  /** `main`: primary action of a page, section or form. `danger`: deletes or ends something. */
  kind?: 'main' | 'danger';
  quiet?: boolean;
  small?: boolean;
  /** Reason why the button is disabled. A disabled button keeps its place in the tab order. */
  why?: string | undefined;
  busy?: boolean;
  pressed?: boolean;
  expanded?: boolean;
  onClick?: (event: MouseEvent) => void;
};

export function Button({
  children,
  icon,
  label,
  type = 'button',
  kind,
  quiet,
  small,
  why,
  busy,
  ...rest
}: ButtonProps) {
  const id = useId();
  const { pressed, expanded, onClick } = rest;
  const off = why !== undefined || busy === true;
  const classes = ['button', kind, quiet && 'quiet', small && 'small', !children && 'bare'].filter(Boolean).join(' ');
  return (
    <>
      <button
        type={type}
        class={classes}
        aria-label={label}
        title={why ?? label}
        aria-disabled={off || undefined}
        aria-busy={busy || undefined}
        aria-pressed={pressed}
        aria-expanded={expanded}
        aria-describedby={why === undefined ? undefined : id}
        onClick={(event) => {
          if (off) event.preventDefault();
          else onClick?.(event);
        }}
      >
        {icon && <Icon name={icon} />}
        {children}
      </button>
      {why !== undefined && (
        <span id={id} class="unseen">
          {why}
        </span>
      )}
    </>
  );
}
