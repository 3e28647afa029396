/** Maximum time (ms) for which a write waits for others: imperceptible, and as long as several commits. */
const MAX_MS = 3;

/** The real timer, also while a test controls the timers of the process. */
const endOfTurn: (callback: () => void) => void = setImmediate;

/** Calls `flush` after the first turn without a new write, or after 3 ms: a commit is as expensive as many writes. */
export function batchCommits(flush: () => void, waiting: () => number): void {
  const since = performance.now();
  let seen = 0;
  const check = () => {
    const now = waiting();
    if (now === seen || performance.now() - since > MAX_MS) return flush();
    seen = now;
    endOfTurn(check);
  };
  endOfTurn(check);
}
