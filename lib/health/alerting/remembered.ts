import { toldFlapping } from '#lib/alerting/decide/memory.ts';
import { type CooldownClass, startCooldown } from '#lib/alerting/decide/quiet-rules.ts';
import type { AnnouncedAlert, CheckItem } from '#lib/checks/check-item.ts';
import { announce } from '#lib/health/state/announced.ts';

type Alerts = CheckItem['alerts'];

/** Pure: what a check remembers once alerts that its channels are to believe were planned. */
export function withAnnounced(alerts: Alerts, planned: readonly AnnouncedAlert[]): Alerts {
  let after = alerts;
  for (const alert of planned) after = { ...after, announced: announce(after, alert) };
  return after;
}

/** Pure: the same where nobody is left to whom anything was announced. */
export function withoutAnnounced({ announced: _announced, ...alerts }: Alerts): Alerts {
  return alerts;
}

/** What it remembers of its change of state, at `at` (epoch ms): its cooldown begins, and that it flaps was told. */
export const afterTelling = (
  alerts: Alerts,
  planned: readonly AnnouncedAlert[],
  cooldown: CooldownClass,
  at: number,
): Alerts => withAnnounced({ ...alerts, ...startCooldown(cooldown, at), ...toldFlapping(alerts) }, planned);
