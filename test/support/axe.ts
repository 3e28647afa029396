import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** WCAG 2.2 AA, and what its authors hold to be good practice; of this a theme changes the contrast alone. */
const RULES = {
  light: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'],
  dark: ['color-contrast'],
};

type Violation = { id: string; help: string; nodes: { target: string[]; failureSummary: string }[] };

let source: Promise<string> | undefined;

/**
 * What axe-core finds wrong with the page as it is now, in light and in dark: `dark: color-contrast: .why: …`. It is
 * evaluated, as the policy of the page lets no script in.
 */
export async function barriers(page: Page): Promise<string[]> {
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
