import type { MaintenanceWindow } from '#console/api/records.ts';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { selectorOf, selectorSchema, typedSelector } from '#console/rules/selector.ts';

const ONCE = 'once';
const RECURRING = 'recurring';

const ONCE_FIELDS = ['starts_at', 'ends_at'];
const RECURRING_FIELDS = ['cron', 'duration_seconds', 'time_zone', 'every_weeks', 'from', 'until'];

const instant = (title: string, description = ''): FormSchema => ({
  type: 'string',
  format: 'date-time',
  title,
  description,
});

/** Returns the form schema of a window. @param zone default time zone */
export function windowSchema(blueprints: readonly string[], zone: string): FormSchema {
  const { properties = {} } = selectorSchema(blueprints);
  const { blueprints: _one, ...selector } = properties;
  return {
    required: ['name', 'occurrence', ...ONCE_FIELDS, 'cron', 'duration_seconds'],
    properties: {
      name: { type: 'string', description: 'Name of the window.' },
      occurrence: { type: 'string', title: 'Occurrence', enum: [ONCE, RECURRING], default: ONCE },
      starts_at: instant('Start'),
      ends_at: instant('End', 'At most 31 days after the start.'),
      cron: {
        type: 'string',
        title: 'Start (cron)',
        description:
          'Minute, hour, day, month, day of week: 30 2 * * sun is Sundays at 02:30, sat#2 the second Saturday.',
      },
      duration_seconds: {
        type: 'integer',
        description: 'Elapsed time, unaffected by clock changes.',
        minimum: 60,
        maximum: 2_678_400,
      },
      time_zone: { type: 'string', description: 'Time zone of the start.', default: zone },
      every_weeks: {
        type: 'integer',
        title: 'Interval in weeks',
        description: '2: every second week, counted from the week of the first start.',
        default: 1,
      },
      from: instant(
        'From',
        'No occurrence starts earlier. Empty: now for a new window; unchanged for an existing one.',
      ),
      until: instant('Until', 'No occurrence starts at or after this time. Empty: no end.'),
      scope: {
        type: 'object',
        properties: {
          blueprint_slug: { type: 'string', title: 'Blueprint', enum: blueprints },
          ...selector,
          include_dependents: {
            type: 'boolean',
            title: 'Include dependents',
            description:
              'Also hold alerts of entities that fail because of an entity whose checks are all in the window.',
            default: false,
          },
        },
      },
      exclude_from_uptime: {
        type: 'boolean',
        title: 'Exclude from uptime',
        description: 'A failure during the window counts as maintenance, not as downtime.',
        default: true,
      },
      note: { type: 'string', description: 'Planned work.', default: '' },
      public_title: { type: 'string', title: 'Public title', description: 'Title on status pages.', default: '' },
    },
  };
}

/** Whether a field is shown. The kind of an existing window is fixed. @param occurrence chosen kind */
export function isShown(path: string, occurrence: string | undefined, isStored: boolean): boolean {
  if (path === 'occurrence') return !isStored;
  return !(occurrence === RECURRING ? ONCE_FIELDS : RECURRING_FIELDS).includes(path);
}

export const windowFormValues = ({ scope: { all: _all, ...scope }, ...window }: MaintenanceWindow) => ({
  ...window,
  occurrence: window.cron === null ? ONCE : RECURRING,
  scope: { ...scope, ...typedSelector(scope) },
});

export type WindowRequest = Omit<Partial<MaintenanceWindow>, 'scope'> & Pick<MaintenanceWindow, 'scope'>;

/** Converts form values to a request body; without a scope the window applies to all checks. */
export function requestOf({ occurrence, scope, ...body }: Record<string, unknown>): WindowRequest {
  const { include_dependents, ...checks } = (scope ?? {}) as Partial<MaintenanceWindow['scope']>;
  const otherKind = occurrence === RECURRING ? ONCE_FIELDS : RECURRING_FIELDS;
  const members = Object.entries(body).filter(([name]) => !otherKind.includes(name));
  return {
    // Without cron, the API creates a one-time window.
    ...(occurrence === RECURRING && { cron: '' }),
    ...Object.fromEntries(members),
    scope: { ...(selectorOf(checks) ?? { all: true }), ...(include_dependents && { include_dependents }) },
  };
}
