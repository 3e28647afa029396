import { describe, expect, it } from 'vitest';
import {
  inForce,
  POLICY_DEFAULTS,
  POLICY_NAMES,
  type PolicyInForce,
  SETTINGS,
  settingChanges,
  settingMembers,
} from '#lib/alerting/policy/settings.ts';

describe('the settings of a policy', () => {
  it.each(POLICY_NAMES)('accepts the default of %s, and null as a change', (name) => {
    expect(settingMembers[name].safeParse(POLICY_DEFAULTS[name]).error).toBeUndefined();
    expect(settingChanges[name].safeParse(null).error).toBeUndefined();
  });

  it('gives each a title of its own and a description that names the default', () => {
    const titles = POLICY_NAMES.map((name) => SETTINGS[name].title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const name of POLICY_NAMES) expect(settingMembers[name].description).toMatch(/^[A-Z0-9].*\. Default: \S+\.$/);
  });
});

describe('what a decision stores of a policy', () => {
  it('is the settings that rules read, and whether it is silenced', () => {
    const { silenced, ...stored } = inForce({ ...POLICY_DEFAULTS, silenced: true });
    expect(silenced).toBe(true);
    expect(POLICY_DEFAULTS).toMatchObject(stored);
    const names = ['cooldown_seconds', 'notify_on_recovery', 'notify_on_degraded', 'repeat_interval_seconds'];
    names.push('late_alerts', 'flap_threshold', 'hold_for_dependencies');
    expect(Object.keys(stored)).toEqual(expect.arrayContaining(names));
  });

  it('has no setting that is not flagged as read by rules', () => {
    const policy: PolicyInForce = inForce({ ...POLICY_DEFAULTS, silenced: false });
    // @ts-expect-error: `decides` is not set for it
    expect(policy.flap_window_seconds).toBeUndefined();
  });
});
