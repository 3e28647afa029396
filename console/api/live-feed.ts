import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { renewed } from '#console/rules/renewed.ts';
import { asFailure, callPage } from './call.ts';
import { type Feed, useFeed } from './feed.ts';
import { useNews } from './load.ts';
import type { Transition } from './records.ts';

type LiveFeed<T> = Feed<T> & {
  /** Reads the newest records again; older records stay. */
  renew(): void;
};

type Page<T> = { path: string; items: readonly T[]; isWhole: boolean };

/** Reads a long list that follows new transitions. @param about whether a transition concerns the list */
export function useLiveFeed<T extends { id: string }>(
  path: string,
  about: (transition: Transition) => boolean,
): LiveFeed<T> {
  const feed = useFeed<T>(path);
  const [newest, setNewest] = useState<Page<T> | undefined>(undefined);
  const [failure, fail] = useState<Feed<T>['failure']>(undefined);
  const request = useRef<AbortController | undefined>(undefined);

  const renew = useCallback(() => {
    request.current?.abort();
    const control = new AbortController();
    request.current = control;
    callPage<T[]>(path, { signal: control.signal }).then(
      ({ value, next }) => {
        setNewest({ path, items: value, isWhole: next === undefined });
        fail(undefined);
      },
      (error: unknown) => {
        if (!control.signal.aborted) fail(asFailure(error));
      },
    );
  }, [path]);
  useEffect(() => () => request.current?.abort(), [path]);
  useNews(about, renew);

  const current = newest?.path === path ? newest : undefined;
  const items = current ? renewed(feed.items, current.items, current.isWhole) : feed.items;
  const hasGap = items === undefined;
  const { reload } = feed;
  useEffect(() => {
    if (!hasGap) return;
    setNewest(undefined);
    reload();
  }, [hasGap]);
  return { ...feed, items: items ?? feed.items, failure: feed.failure ?? failure, renew };
}
