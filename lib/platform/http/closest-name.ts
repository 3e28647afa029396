/** Longer names are not typing mistakes, and the comparison takes quadratic time. */
const MAX_NAME_LENGTH = 64;
/** Shorter words match too often: `is` of `is_read_only`. */
const MIN_WORD = 3;

/**
 * Returns the known name that a caller probably meant: the closest if at most one letter in three differs, else one
 * with all words of `name` (`url`: `target_url`) or only words of it. Ignores case, hyphens and underscores. Pure.
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const letters = flat(name);
  const near = closest(known, (candidate) => {
    const other = flat(candidate);
    const distance = editDistance(letters, other);
    return distance <= Math.floor(Math.max(letters.length, other.length) / 3) ? distance : undefined;
  });
  if (near !== undefined) return near;
  const words = wordsOf(name);
  return closest(known, (candidate) => {
    const other = wordsOf(candidate);
    const [smaller, larger] = words.size <= other.size ? [words, other] : [other, words];
    const isSpecific = [...smaller].some((word) => word.length >= MIN_WORD);
    return isSpecific && smaller.isSubsetOf(larger) ? larger.size - smaller.size : undefined;
  });
}

/** Returns the number of insertions, deletions, replacements and swaps of neighbors that turn `a` into `b`. Pure. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced, isSwap ? before[j - 2]! + 1 : Infinity));
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}

function closest(known: readonly string[], measure: (name: string) => number | undefined): string | undefined {
  let best: { name: string; score: number } | undefined;
  for (const name of known) {
    const score = measure(name);
    if (score !== undefined && (!best || score < best.score)) best = { name, score };
  }
  return best?.name;
}

const flat = (name: string): string => name.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** `isReadOnly`, `is-read-only` and `is_read_only` have the same three words. */
const wordsOf = (name: string): Set<string> =>
  new Set(
    name
      .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== ''),
  );
