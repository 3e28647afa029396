import type { ComponentChildren } from 'preact';
import type { ApiFailure } from '#console/api/call.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** Nothing is there yet, or nothing fits: says so, and what to do. */
export const Empty = ({ title, icon, children }: { title: string; icon?: IconName; children?: ComponentChildren }) => (
  <div class="empty">
    {icon && <Icon name={icon} />}
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

/** Lines in the place of what is being read. It appears a moment late, so that what is fast does not flicker. */
export const Loading = ({ what = 'Loading', lines = 3 }: { what?: string; lines?: number }) => (
  <div class="loading" role="status">
    <span class="unseen">{what}…</span>
    {Array.from({ length: lines }, (_, i) => (
      <span key={i} class="loading-line" />
    ))}
  </div>
);

/** What could not be read, or done, and why. */
export const Failure = ({
  failure,
  retry,
}: {
  failure: Pick<ApiFailure, 'message'>;
  retry?: (() => void) | undefined;
}) => (
  <div class="failure" role="alert">
    <p>{failure.message}</p>
    {retry && (
      <Button small icon="reload" onClick={retry}>
        Try again
      </Button>
    )}
  </div>
);

/** Something that one may not see or do. @param why as `refusal` says it */
export const NotAllowed = ({ why }: { why: string }) => (
  <Empty title="You may not see this" icon="person">
    <p>{why}</p>
  </Empty>
);

type DataProps<T> = {
  of: { data: T | undefined; failure: ApiFailure | undefined; stale: boolean; reload(): void };
  what?: string;
  children: (data: T) => ComponentChildren;
};

/** What was loaded, or in its place that it is loading or why it is not there. What is old says so above it. */
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
