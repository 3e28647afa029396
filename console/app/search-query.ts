import { useEffect, useState } from 'preact/hooks';
import { address, setQuery } from './router.ts';

const DELAY_MS = 300;

/** Keeps search words in the query parameter `q`, which is updated DELAY_MS after the last keystroke. */
export function useSearchQuery(): [string, (words: string) => void] {
  const kept = address.value.query.get('q') ?? '';
  const [words, setWords] = useState(kept);
  useEffect(() => {
    if (words === kept) return;
    const timer = setTimeout(() => setQuery({ q: words }), DELAY_MS);
    return () => clearTimeout(timer);
  }, [words, kept]);
  return [words, setWords];
}
