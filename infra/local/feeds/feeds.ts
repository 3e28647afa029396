/** Something that feeds functions: a queue, a reader of the change stream, or several of them. */
export type Feed = {
  /** To be called when there may be something new. */
  wake(): void;
  /** Starts no batch any more, and resolves when those in hand are settled. */
  stop(): Promise<void>;
};

/** Several as one. */
export const combineFeeds = (feeds: readonly Feed[]): Feed => ({
  wake: () => {
    for (const feed of feeds) feed.wake();
  },
  stop: async () => {
    await Promise.all(feeds.map((feed) => feed.stop()));
  },
});
