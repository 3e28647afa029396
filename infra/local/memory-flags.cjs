// Memory flags of V8, to keep the service small.
module.exports = [
  // Young generation, MB. A request leaves some 50 KB, nearly all garbage; by default V8 uses up to 128 MB.
  '--max-semi-space-size=4',
  // Collects it on one thread: so little is copied that several would wait for each other longer than they work.
  '--no-parallel-scavenge',
  // Collects when the heap has grown by a third; by default V8 waits until it is up to four times as large.
  '--heap-growing-percent=30',
  // Compiles functions on the main thread, 5 ms each at most. Dozens that wait for another thread keep 20 MB.
  '--no-concurrent-recompilation',
];
