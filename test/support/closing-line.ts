import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends every run with one line that a script can read: "12 passed, 0 failed", and ", 3 skipped" when any; before it a
 * line for each failed test, "failed: <file> > <its name>".
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const before = count.failed;
      for (const test of module.children.allTests()) {
        count[test.result().state]++;
        if (test.result().state === 'failed') failed(module, test.fullName);
      }
      // A file that did not load, or whose set-up failed, has no failed test to show for it.
      if (module.state() === 'failed' && count.failed === before) {
        count.failed++;
        failed(module, 'the file itself');
      }
    }
    const skipped = count.skipped + count.pending;
    process.stdout.write(
      `${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
}

const failed = (module: TestModule, name: string) =>
  process.stdout.write(`failed: ${module.relativeModuleId} > ${name}\n`);
