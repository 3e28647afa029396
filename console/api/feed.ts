import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiFailure, asFailure, callPage } from './call.ts';

export type Feed<T> = {
  items: readonly T[];
  failure: ApiFailure | undefined;
  loading: boolean;
  /** Whether there are more to read. */
  hasMore: boolean;
  more(): void;
  reload(): void;
};

/**
 * A long list, read a page at a time as it is asked for.
 * @param path of the list with its filters
 * @param member of the answer that holds the list; without, the answer is the list
 */
export function useFeed<T>(path: string, member?: string): Feed<T> {
  const [items, setItems] = useState<readonly T[]>([]);
  const [next, setNext] = useState<string | undefined>(path);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);
  const [loading, setLoading] = useState(true);
  /** Answers of a list that is not shown any more are dropped. */
  const asked = useRef<AbortController | undefined>(undefined);

  const read = useCallback(
    (from: string, before: readonly T[]) => {
      asked.current?.abort();
      const control = new AbortController();
      asked.current = control;
      setLoading(true);
      callPage<T[] | Record<string, T[]>>(from, { signal: control.signal })
        .then(
          (page) => {
            if (control.signal.aborted) return;
            setItems([...before, ...itemsOf(page.value, member)]);
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
    [member],
  );

  useEffect(() => {
    read(path, []);
    return () => asked.current?.abort();
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

const itemsOf = <T>(answer: T[] | Record<string, T[]>, member: string | undefined): readonly T[] =>
  (Array.isArray(answer) ? answer : answer[member!]) ?? [];
