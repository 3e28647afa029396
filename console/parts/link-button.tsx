import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

type LinkButtonProps = {
  href: string;
  children: ComponentChildren;
  icon?: IconName;
  kind?: 'main';
  small?: boolean;
  why?: string | undefined;
};

/** Link that looks like a button. */
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
