import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

type LinkButtonProps = {
  href: string;
  children: ComponentChildren;
  icon?: IconName;
  kind?: 'main';
  small?: boolean;
  /** Why one may not go there: it is then a button that says so. */
  why?: string | undefined;
};

/** A link that looks like a button: it goes to where something is done. */
export const LinkButton = ({ href, children, icon, kind, small, why }: LinkButtonProps) =>
  why !== undefined ? (
    <Button why={why} {...(icon && { icon })} {...(kind && { kind })} {...(small && { small })}>
      {children}
    </Button>
  ) : (
    <a class={['button', kind, small && 'small'].filter(Boolean).join(' ')} href={href}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
