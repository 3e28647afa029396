import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFailure, asFailure, callPage } from './call.ts';

export type Feed<T> = {
  items: readonly T[];
  failure: ApiFailure | undefined;
  loading: boolean;
  hasMore: boolean;
  more(): void;
  reload(): void;
};

/** Reads a long list page by page. @param property that holds the list; without it, the response is the list */
export function useFeed<T>(path: string, property?: string): Feed<T> {
  const [items, setItems] = useState<readonly T[]>([]);
  const [next, setNext] = useState<string | undefined>(path);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);
  const [loading, setLoading] = useState(true);
  const request = useRef<AbortController | undefined>(undefined);

  const read = useCallback(
    (from: string, before: readonly T[]) => {
      request.current?.abort();
      const control = new AbortController();
      request.current = control;
      setLoading(true);
      callPage<T[] | Record<string, T[]>>(from, { signal: control.signal })
        .then(
          (page) => {
            if (control.signal.aborted) return;
            setItems([...before, ...itemsOf(page.value, property)]);
            setNext(page.next);
            fail(undefined);
          },
          (error: unknown) => {
            if (!control.signal.aborted) fail(asFailure(error));
          },
        )
        .finally(() => {
          if (!control.signal.aborted) setLoading(false);
        });
    },
    [property],
  );

  useEffect(() => {
    read(path, []);
    return () => request.current?.abort();
  }, [path, read]);

  return {
    items,
    failure,
    loading,
    hasMore: next !== undefined,
    more: () => next !== undefined && !loading && read(next, items),
    reload: () => read(path, []),
  };
}

const itemsOf = <T>(body: T[] | Record<string, T[]>, property: string | undefined): readonly T[] =>
  (Array.isArray(body) ? body : body[property!]) ?? [];
