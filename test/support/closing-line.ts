import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends every run with one line that a script can read: "12 passed, 0 failed", and ", 3 skipped" when any; before it a
 * line for each failed test, "failed: <file> > <its name>: <why>".
 */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      const before = count.failed;
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result();
        count[state]++;
        if (state === 'failed') failed(module, test.fullName, errors);
      }
      // A file that did not load, or whose set-up failed, has no failed test to show for it.
      if (module.state() === 'failed' && count.failed === before) {
        count.failed++;
        failed(module, 'the file itself', module.errors());
      }
    }
    const skipped = count.skipped + count.pending;
    process.stdout.write(
      `${count.passed} passed, ${count.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
}

/** So much of what an error says (characters): the whole of it stands above. */
const SAID = 500;

function failed(module: TestModule, name: string, errors: readonly { message: string }[] = []): void {
  const why = errors.map(({ message }) => message.replace(/\s+/g, ' ').slice(0, SAID)).join('; ');
  process.stdout.write(`failed: ${module.relativeModuleId} > ${name}: ${why}\n`);
}
