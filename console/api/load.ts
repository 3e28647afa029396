import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { live } from '#console/app/live.ts';
import { type ApiFailure, asFailure, call, callAll } from './call.ts';
import type { Transition } from './records.ts';

export type Loaded<T> = {
  /** What was read last; it stays while it is read again, and when that fails. */
  data: T | undefined;
  failure: ApiFailure | undefined;
  loading: boolean;
  /** `data` is of something else than asked for now, or could not be read again. */
  stale: boolean;
  /** `data` is the beginning of a list of which more is being read. */
  isPart: boolean;
  reload(): void;
};

type Options = {
  /** Which changes of state make the data old: it is then read again. */
  about?: (transition: Transition) => boolean;
  /** All pages of a list. `as read`: each is shown as soon as it is there. */
  all?: boolean | 'as read';
};

type Held<T> = { key: string; data: T; isPart: boolean } | undefined;

/** @param seen is told of what was read so far, where that can be shown before the rest is there */
type Read<T> = (signal: AbortSignal, seen: (part: T) => void) => Promise<T>;

/** The data of a page. @param path of the API, with its query; null: nothing to read yet */
export function useLoad<T>(path: string | null, { about, all = false }: Options = {}): Loaded<T> {
  const read: Read<T> = (signal, seen) =>
    all
      ? (callAll(path!, { signal }, all === 'as read' ? (seen as (items: unknown[]) => void) : undefined) as Promise<T>)
      : call<T>('GET', path!, undefined, { signal });
  return useRead(path === null ? null : `${path}${all ? ' all' : ''}`, read, about);
}

/**
 * Data that takes more than one call.
 * @param key says what is read, and so when another thing is; null: nothing to read yet
 * @param read throws ApiFailure
 */
export function useRead<T>(key: string | null, read: Read<T>, about?: Options['about']): Loaded<T> {
  const [held, hold] = useState<Held<T>>(undefined);
  const [failure, fail] = useState<ApiFailure | undefined>(undefined);
  const [loading, setLoading] = useState(key !== null);
  const [turn, setTurn] = useState(0);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  const latest = useRef(read);
  latest.current = read;

  // `turn` asks for the same again.
  useEffect(() => {
    if (key === null) return;
    const control = new AbortController();
    const { signal } = control;
    setLoading(true);
    const seen = (part: T) => {
      // What is there as a whole stays until it is there anew as a whole.
      if (!signal.aborted)
        hold((held) => (held?.key === key && !held.isPart ? held : { key, data: part, isPart: true }));
    };
    latest
      .current(signal, seen)
      .then(
        (data) => {
          if (signal.aborted) return;
          hold({ key, data, isPart: false });
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
  }, [key, turn]);

  useNews(about, reload);
  return {
    data: held?.data,
    failure,
    loading,
    stale: held !== undefined && (failure !== undefined || held.key !== key),
    isPart: held?.isPart === true,
    reload,
  };
}

/** Calls `run` when the poller has news that `about` is interested in. */
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
