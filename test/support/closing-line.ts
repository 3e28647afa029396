import type { Reporter, TestModule } from 'vitest/node';

/** Ends every run with one line that a script can read: "12 passed, 0 failed", and ", 3 skipped" when any. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const before = count.failed;
      for (const test of module.children.allTests()) count[test.result().state]++;
      // A file that did not load, or whose set-up failed, has no failed test to show for it.
      if (module.state() === 'failed' && count.failed === before) count.failed++;
    }
    const skipped = count.skipped + count.pending;
    process.stdout.write(
      `${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
}
