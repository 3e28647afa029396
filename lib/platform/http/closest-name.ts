/** Longer names are not compared: it takes quadratic time, and is no typing mistake. */
const MAX_NAME_LENGTH = 64;
/** Shorter words say too little: `is` of `is_read_only`. */
const MIN_WORD = 3;

/**
 * The known name that somebody may have meant: the one with the fewest letters to change, at most one in three; else
 * one whose words hold those of `name`, or the other way round (`read_only`: `is_read_only`). Case, hyphens and
 * underscores do not count. Undefined when none is near. Pure.
 */
export function closestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const letters = flat(name);
  const near = closest(known, (one) => {
    const other = flat(one);
    const distance = editDistance(letters, other);
    return distance <= Math.floor(Math.max(letters.length, other.length) / 3) ? distance : undefined;
  });
  if (near !== undefined) return near;
  const words = wordsOf(name);
  return closest(known, (one) => {
    const other = wordsOf(one);
    const [fewer, more] = words.size <= other.size ? [words, other] : [other, words];
    const says = [...fewer].some((word) => word.length >= MIN_WORD);
    return says && fewer.isSubsetOf(more) ? more.size - fewer.size : undefined;
  });
}

/** How many letters must be put in, left out, replaced or swapped with their neighbour to make `b` of `a`. Pure. */
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

/** The name with the least measure, of equal ones the first. */
function closest(known: readonly string[], measure: (one: string) => number | undefined): string | undefined {
  let best: { name: string; at: number } | undefined;
  for (const name of known) {
    const at = measure(name);
    if (at !== undefined && (!best || at < best.at)) best = { name, at };
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
