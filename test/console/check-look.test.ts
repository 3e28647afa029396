import { describe, expect, it } from 'vitest';
import { axeViolations } from '#test/support/axe.ts';
import { receiving } from '#test/support/receiving.ts';
import { atNight } from './at-night.ts';
import { browserAndService } from './browser-and-service.ts';
import { binary } from './chromium.ts';
import { lookingAtCheck } from './looking-at-check.ts';
import { expectDisabled } from './person.ts';

describe.skipIf(!binary)('check page for readers in a browser', () => {
  const world = browserAndService();
  const openCheck = lookingAtCheck(world, receiving());

  it('hides secrets and disables changes for a read-only key', async () => {
    const person = await openCheck({ readOnly: true });
    await expectDisabled(person, 'Disable', /read-only/);
    await expectDisabled(person, 'Send test', /read-only/);
    expect(await person.page.content()).not.toContain(person.path);
  });

  it('shows a message for an unknown check', async () => {
    const { page } = await openCheck();
    await page.evaluate(`location.hash = '#/checks/chk_nothing'`);
    await page.getByText('Check not found').waitFor();
  });

  atNight('is accessible in both themes, and fits a phone', async () => {
    const { page } = await openCheck();
    await page.getByText(/Accepted by Slack/).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await axeViolations(page)).toEqual([]);
  });
});
