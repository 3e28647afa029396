/** How long a write waits for others at most: far less than anybody notices, and several commits long. */
const MAX_MS = 3;

/** The real one, also where a test has put the timers of the process under its own control. */
const endOfTurn: (look: () => void) => void = setImmediate;

/**
 * Calls `flush` once: when a turn of the event loop has brought no further write, or after 3 ms. A commit costs as much
 * as many writes, and node takes one new connection a turn: of clients that open one for each request, every write
 * would else be a commit of its own.
 * @param waiting how many writes wait for it
 */
export function batchCommits(flush: () => void, waiting: () => number): void {
  const since = performance.now();
  let seen = 0;
  const look = () => {
    const now = waiting();
    if (now === seen || performance.now() - since > MAX_MS) return flush();
    seen = now;
    endOfTurn(look);
  };
  endOfTurn(look);
}
