/** Takes a place among what runs at once. */
export type Place = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Lets at most `places` pieces of work run at once; the others wait their turn, first come first served.
 * @param lease how long a piece of work keeps its place while others wait; it then goes on without one
 */
export function semaphore(places: number, lease?: () => Promise<void>): Place {
  const waiting: (() => void)[] = [];
  /** Those that have a place; called when somebody waits for it. */
  const holders = new Set<() => void>();
  let free = places;

  /** @returns gives the place back, once */
  function hold(): () => void {
    let isLeased = false;
    const limit = (): void => {
      if (!lease || isLeased) return;
      isLeased = true;
      void lease().then(giveBack);
    };
    const giveBack = (): void => {
      if (!holders.delete(limit)) return;
      const next = waiting.shift();
      if (next) next();
      else free++;
    };
    holders.add(limit);
    if (waiting.length > 0) limit();
    return giveBack;
  }

  return async (work) => {
    if (free > 0) free--;
    else {
      const turn = new Promise<void>((resolve) => waiting.push(resolve));
      for (const limit of holders) limit();
      await turn;
    }
    const giveBack = hold();
    try {
      return await work();
    } finally {
      giveBack();
    }
  };
}
