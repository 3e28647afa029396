import type { MaintenanceWindow } from '#console/api/records.ts';
import type { MemberSchema } from '#console/rules/form-fields.ts';
import { selectorOf, selectorSchema, typedSelector } from '#console/rules/selector.ts';

const ONCE = 'once';
const AGAIN = 'again and again';

/** Members of one kind alone, in the order of the form. */
const OF_ONCE = ['starts_at', 'ends_at'];
const OF_AGAIN = ['cron', 'duration_seconds', 'time_zone', 'every_weeks', 'from', 'until'];

const instant = (title: string, description = ''): MemberSchema => ({
  type: 'string',
  format: 'date-time',
  title,
  description,
});

/**
 * What a window is made of, as people type it: its length in minutes.
 * @param blueprints slugs to choose from
 * @param zone where the clock of whoever types it hangs
 */
export function windowSchema(blueprints: readonly string[], zone: string): MemberSchema {
  const { properties = {} } = selectorSchema(blueprints);
  const { blueprints: _one, ...selector } = properties;
  return {
    required: ['name', 'comes', ...OF_ONCE, 'cron', 'duration_seconds'],
    properties: {
      name: { type: 'string', description: 'What people call it.' },
      comes: { type: 'string', title: 'It comes', enum: [ONCE, AGAIN] },
      starts_at: instant('Begins'),
      ends_at: instant('Ends', 'At most 31 days later.'),
      cron: {
        type: 'string',
        title: 'Begins, as cron',
        description:
          'Minute, hour, day of month, month, day of week: 30 2 * * sat#2 is the second Saturday, L the last day.',
      },
      duration_seconds: { type: 'number', title: 'Lasts, in minutes', description: 'In real time, 1 to 44640.' },
      time_zone: { type: 'string', description: 'Where its clock hangs.', default: zone },
      every_weeks: {
        type: 'integer',
        title: 'Every so many weeks',
        description: '2: in every other week, from its first on.',
        default: 1,
      },
      from: instant('From', 'None begins before it. Empty: from now on.'),
      until: instant('Until', 'None begins then or later. Empty: it has no end.'),
      scope: {
        type: 'object',
        properties: {
          blueprint_slug: { type: 'string', title: 'Of the blueprint', enum: blueprints },
          ...selector,
          include_dependents: {
            type: 'boolean',
            title: 'And what depends on them',
            description: 'Also what goes down because an entity does whose checks are all in it.',
            default: false,
          },
        },
      },
      note: { type: 'string', description: 'What is done in it.', default: '' },
    },
  };
}

/** Whether a field is shown. One that is there stays what it is. @param comes as it is chosen */
export function isShown(path: string, comes: string | undefined, isStored: boolean): boolean {
  if (path === 'comes') return !isStored;
  return !(comes === AGAIN ? OF_ONCE : OF_AGAIN).includes(path);
}

const MINUTE_SECONDS = 60;

/** A window as its form has it. */
export const typedWindow = ({ scope: { all: _all, ...scope }, duration_seconds, ...window }: MaintenanceWindow) => ({
  ...window,
  comes: window.cron === null ? ONCE : AGAIN,
  duration_seconds: duration_seconds === null ? null : duration_seconds / MINUTE_SECONDS,
  scope: { ...scope, ...typedSelector(scope) },
});

/** What of a window is sent. */
export type WindowRequest = Omit<Partial<MaintenanceWindow>, 'scope'> & Pick<MaintenanceWindow, 'scope'>;

/** What a form has sent, as the API takes it; where nothing is chosen it is about all checks. */
export function requestOf({ comes, scope, ...body }: Record<string, unknown>): WindowRequest {
  const { duration_seconds: minutes } = body;
  const { include_dependents, ...checks } = (scope ?? {}) as Partial<MaintenanceWindow['scope']>;
  const strange = comes === AGAIN ? OF_ONCE : OF_AGAIN;
  const members = Object.entries(body).filter(([name]) => !strange.includes(name));
  return {
    // Without one it would be a window that comes once.
    ...(comes === AGAIN && { cron: '' }),
    ...Object.fromEntries(members),
    ...(comes === AGAIN && typeof minutes === 'number' && { duration_seconds: Math.round(minutes * MINUTE_SECONDS) }),
    scope: { ...(selectorOf(checks) ?? { all: true }), ...(include_dependents && { include_dependents }) },
  };
}
