import { useEffect, useState } from 'preact/hooks';
import { address, setQuery } from './router.ts';

const TYPED_MS = 300;

/** Keeps search words in the `q` of the address, which is updated TYPED_MS after the last key. */
export function useSearchQuery(): [string, (words: string) => void] {
  const kept = address.value.query.get('q') ?? '';
  const [words, setWords] = useState(kept);
  useEffect(() => {
    if (words === kept) return;
    const timer = setTimeout(() => setQuery({ q: words }), TYPED_MS);
    return () => clearTimeout(timer);
  }, [words, kept]);
  return [words, setWords];
}
