// Memory flags of V8, to keep the service small.
module.exports = [
  // Young generation, MB. A request leaves some 50 KB, nearly all garbage; by default V8 uses up to 128 MB.
  '--max-semi-space-size=4',
  // So little is copied that parallel threads wait for each other longer than they work.
  '--no-parallel-scavenge',
  // Collects when the heap has grown by a third; by default V8 waits until it is up to four times as large.
  '--heap-growing-percent=30',
  // Compiles one function at a time, 5 ms at most. Dozens waiting for another thread take 20 MB permanently.
  '--no-concurrent-recompilation',
];
