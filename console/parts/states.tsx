import type { ComponentChildren } from 'preact';
import type { ApiFailure } from '#console/api/call.ts';
import { Button } from './button.tsx';
import { HelpLink, type Subject } from './help-link.tsx';
import { Icon, type IconName } from './icon.tsx';

type EmptyProps = { title: string; icon?: IconName; help?: Subject; children?: ComponentChildren };

/** Empty state: a title and the next step. */
export const Empty = ({ title, icon, help, children }: EmptyProps) => (
  <div class="empty">
    {icon && <Icon name={icon} />}
    <p class="empty-title">{title}</p>
    {children}
    {help && <HelpLink to={help} />}
  </div>
);

/** Placeholder lines. They appear with a delay, so that fast responses do not flicker. */
export const Loading = ({ what = 'Loading', lines = 3 }: { what?: string; lines?: number }) => (
  <div class="loading" role="status">
    <span class="unseen">{what}…</span>
    {Array.from({ length: lines }, (_, i) => (
      <span key={i} class="loading-line" />
    ))}
  </div>
);

export const Failure = ({
  failure,
  retry,
}: {
  failure: Pick<ApiFailure, 'message'>;
  retry?: (() => void) | undefined;
}) => (
  <div class="banner failure" role="alert">
    <p>{failure.message}</p>
    {retry && (
      <Button small icon="reload" onClick={retry}>
        Retry
      </Button>
    )}
  </div>
);

/** Message that the user lacks access. @param why from `refusal` */
export const NotAllowed = ({ why }: { why: string }) => (
  <Empty title="Access denied" icon="person">
    <p>{why}</p>
  </Empty>
);

type DataProps<T> = {
  of: { data: T | undefined; failure: ApiFailure | undefined; stale: boolean; reload(): void };
  what?: string;
  children: (data: T) => ComponentChildren;
};

/** Shows loaded data, a placeholder, or an error. If a reload failed, the error is above the outdated data. */
export function Data<T>({ of: { data, failure, stale, reload }, what, children }: DataProps<T>) {
  if (data === undefined)
    return failure ? <Failure failure={failure} retry={reload} /> : <Loading {...(what && { what })} />;
  return (
    <>
      {stale && failure && <Failure failure={failure} retry={reload} />}
      {children(data)}
    </>
  );
}
