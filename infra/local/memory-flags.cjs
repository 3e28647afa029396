// What V8 is told of memory: the service is to be small.
module.exports = [
  // Room for new objects, MB. A request leaves some 50 KB, nearly all of it garbage; by itself V8 takes up to 128 MB.
  '--max-semi-space-size=4',
  // So little is copied at a time that several threads wait for each other longer than they work.
  '--no-parallel-scavenge',
  // Collected when a third more is there than was in use after the last time; by itself V8 waits for up to four times.
  '--heap-growing-percent=30',
  // One function is compiled at a time, 5 ms at most. Dozens that wait for another thread take 20 MB for good.
  '--no-concurrent-recompilation',
];
