import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

type LinkButtonProps = {
  href: string;
  children: ComponentChildren;
  icon?: IconName;
  kind?: 'main';
  quiet?: boolean;
  small?: boolean;
  why?: string | undefined;
};

/** Link that looks like a button; with `why`, a disabled button. */
export const LinkButton = ({ href, children, icon, kind, quiet, small, why }: LinkButtonProps) =>
  why !== undefined ? (
    <Button
      why={why}
      {...(icon && { icon })}
      {...(kind && { kind })}
      {...(quiet && { quiet })}
      {...(small && { small })}
    >
      {children}
    </Button>
  ) : (
    <a class={['button', kind, quiet && 'quiet', small && 'small'].filter(Boolean).join(' ')} href={href}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
