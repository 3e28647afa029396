import { useEffect, useState } from 'preact/hooks';
import { address, setQuery } from './router.ts';

const TYPED_MS = 300;

/**
 * What is searched for, and the `q` of the address: at once on the page, and in the address when nobody has typed for a
 * moment.
 */
export function useKeptWords(): [string, (words: string) => void] {
  const kept = address.value.query.get('q') ?? '';
  const [words, setWords] = useState(kept);
  useEffect(() => {
    if (words === kept) return;
    const timer = setTimeout(() => setQuery({ q: words }), TYPED_MS);
    return () => clearTimeout(timer);
  }, [words, kept]);
  return [words, setWords];
}
