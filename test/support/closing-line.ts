import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends every run with a line for scripts: "12 passed, 0 failed", with ", 3 skipped" if any. Before it, prints a line
 * for each failed test: "failed: <file> > <test name>: <why>".
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
      // A file that did not load, or whose setup failed, has no failed test.
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

/** Maximum length of an error (characters); the full text was printed before. */
const MAX_ERROR_LENGTH = 500;

function failed(module: TestModule, name: string, errors: readonly { message: string }[] = []): void {
  const why = errors.map(({ message }) => message.replace(/\s+/g, ' ').slice(0, MAX_ERROR_LENGTH)).join('; ');
  process.stdout.write(`failed: ${module.relativeModuleId} > ${name}: ${why}\n`);
}
