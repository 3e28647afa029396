import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { live } from '#console/app/live.ts';
import { type ApiFailure, asFailure, call, callAll } from './call.ts';
import type { Transition } from './records.ts';

export type Loaded<T> = {
  /** Last data. It stays during and after a failed reload. */
  data: T | undefined;
  failure: ApiFailure | undefined;
  loading: boolean;
  /** Whether `data` belongs to an earlier path, or its reload failed. */
  stale: boolean;
  /** Whether later pages of the list have not arrived yet. */
  isPart: boolean;
  reload(): void;
};

type Options = {
  about?: (transition: Transition) => boolean;
  /** Reads all pages of a list. `as read`: shows each page when it arrives. */
  all?: boolean | 'as read';
};

type Stored<T> = { key: string; data: T; isPart: boolean } | undefined;

type Read<T> = (signal: AbortSignal, onPart: (part: T) => void) => Promise<T>;

/** Loads the data of a page. @param path of the API with its query; null: read nothing */
export function useLoad<T>(path: string | null, { about, all = false }: Options = {}): Loaded<T> {
  const read: Read<T> = (signal, onPart) =>
    all
      ? (callAll(
          path!,
          { signal },
          all === 'as read' ? (onPart as (items: unknown[]) => void) : undefined,
        ) as Promise<T>)
      : call<T>('GET', path!, undefined, { signal });
  return useRead(path === null ? null : `${path}${all ? ' all' : ''}`, read, about);
}

/** Loads data that requires several calls. @param key of the data; null: read nothing @param read throws ApiFailure */
export function useRead<T>(key: string | null, read: Read<T>, about?: Options['about']): Loaded<T> {
  const [stored, store] = useState<Stored<T>>(undefined);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);
  const [loading, setLoading] = useState(key !== null);
  const [reloads, setReloads] = useState(0);
  const reload = useCallback(() => setReloads((n) => n + 1), []);
  const latest = useRef(read);
  latest.current = read;

  useEffect(() => {
    if (key === null) return;
    const control = new AbortController();
    const { signal } = control;
    setLoading(true);
    const onPart = (part: T) => {
      // A complete list stays until it is completely read again.
      if (!signal.aborted)
        store((stored) => (stored?.key === key && !stored.isPart ? stored : { key, data: part, isPart: true }));
    };
    latest
      .current(signal, onPart)
      .then(
        (data) => {
          if (signal.aborted) return;
          store({ key, data, isPart: false });
          fail(undefined);
        },
        (error: unknown) => {
          if (!signal.aborted) fail(asFailure(error));
        },
      )
      .finally(() => {
        if (!signal.aborted) setLoading(false);
      });
    return () => control.abort();
  }, [key, reloads]);

  useNews(about, reload);
  return {
    data: stored?.data,
    failure,
    loading,
    stale: stored !== undefined && (failure !== undefined || stored.key !== key),
    isPart: stored?.isPart === true,
    reload,
  };
}

/** Calls `run` when the poller reports a transition that matches `about`. */
export function useNews(about: Options['about'], run: () => void): void {
  const latest = useRef(about);
  latest.current = about;
  useEffect(() => {
    let isFirst = true;
    return live.news.subscribe(({ transitions, all }) => {
      const wanted = latest.current;
      if (wanted && !isFirst && (all || transitions.some(wanted))) run();
      isFirst = false;
    });
  }, [run]);
}
