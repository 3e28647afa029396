/** Source of work for functions: a queue, a reader of the change stream, or a combination. */
export type Feed = {
  wake(): void;
  /** Starts no new batch, and resolves when those in flight are settled. */
  stop(): Promise<void>;
};

export const combineFeeds = (feeds: readonly Feed[]): Feed => ({
  wake: () => {
    for (const feed of feeds) feed.wake();
  },
  stop: async () => {
    await Promise.all(feeds.map((feed) => feed.stop()));
  },
});
