import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** WCAG 2.2 AA and the best practices of axe-core; a theme changes only the contrast. */
const RULES = {
  light: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast'],
};

type Violation = { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] };

let source: Promise<string> | undefined;

/**
 * Returns the axe-core violations of the current page, in light and dark, such as `dark: color-contrast (…): .why …`.
 * Evaluates the script, because the policy of the page blocks script elements.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  source ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const axe = await source;
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const violations = (await page.evaluate(
      `(() => { ${axe}; return axe.run({ runOnly: ${JSON.stringify(RULES[colorScheme])} }); })().then(({ violations }) => violations)`,
    )) as Violation[];
    for (const { id, help, nodes } of violations) {
      found.push(
        ...nodes.map(({ target, failureSummary }) => `${colorScheme}: ${id} (${help}): ${target} ${failureSummary}`),
      );
    }
  }
  return found;
}
