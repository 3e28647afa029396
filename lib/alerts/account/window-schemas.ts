import * as z from 'zod';
import { idsOf, SelectorLabels } from '#lib/alerting/policy/selector.ts';
import { CreatedAt, IdOf, Unchanged, UpdatedAt } from '#lib/platform/http/members.ts';
import { Instant } from '#lib/platform/instant.ts';
import { line, Name, Slug } from '#lib/platform/text.ts';

const MEANINGS = {
  name: 'What people call it.',
  note: 'What is done in it, for people.',
  scope: 'The checks that it is about: those that fit every member; `{"all": true}` for all.',
  starts_at: 'Of one that comes once: when it begins.',
  ends_at: 'Of one that comes once: when it ends; 60 seconds to 31 days after its begin.',
  cron: 'Of one that comes again: when it begins, as five fields of cron; `0 2 * * sat#2` is the second Saturday of each month, `L` its last day, `friL` its last Friday.',
  time_zone: 'Of one that comes again: where its clock hangs, a name of the IANA database. Default UTC.',
  duration_seconds: 'Of one that comes again: how long each is, in real time; 60 to 2678400 (31 days).',
  every_weeks: 'Of one that comes again: only in every so many weeks, counted from its first. Default 1.',
  from: 'Of one that comes again: none begins before it. Default: when the window was made.',
  until: 'Of one that comes again: none begins at or after it; null: it has no end.',
};

/** Which checks a window is about. */
export const WindowScope = z
  .strictObject({
    all: z.literal(true).describe('All checks.').exactOptional(),
    labels: SelectorLabels,
    blueprint_slug: Slug.describe('Checks of the entities of this blueprint.').exactOptional(),
    entity_ids: idsOf('ent', 'an entity').describe('Checks of these entities.').exactOptional(),
    check_ids: idsOf('chk', 'a check').describe('These checks.').exactOptional(),
    include_dependents: z
      .boolean()
      .describe('Also what goes down because an entity does whose checks are all in it. Default false.')
      .exactOptional(),
  })
  .refine(
    ({ include_dependents: _more, ...scope }) => Object.keys(scope).length > 0,
    'must have at least one member; {"all": true} stands for all checks',
  )
  .refine(
    ({ all, include_dependents: _more, ...rest }) => !all || Object.keys(rest).length === 0,
    'must have nothing beside all',
  )
  .meta({ id: 'WindowScope' });
export type WindowScope = z.infer<typeof WindowScope>;

const settings = {
  name: Name.describe(MEANINGS.name),
  note: line(0, 1000).describe(MEANINGS.note).exactOptional(),
  scope: WindowScope.describe(MEANINGS.scope),
  starts_at: Instant.describe(MEANINGS.starts_at).exactOptional(),
  ends_at: Instant.describe(MEANINGS.ends_at).exactOptional(),
  cron: z.string().min(1).max(200).describe(MEANINGS.cron).exactOptional(),
  time_zone: z.string().max(100).describe(MEANINGS.time_zone).exactOptional(),
  duration_seconds: z.int().describe(MEANINGS.duration_seconds).exactOptional(),
  every_weeks: z.int().min(1).max(52).describe(MEANINGS.every_weeks).exactOptional(),
  from: Instant.describe(MEANINGS.from).exactOptional(),
  until: Instant.nullable().describe(MEANINGS.until).exactOptional(),
};

export const NewWindow = z.object(settings).meta({ id: 'NewWindow' });
export type NewWindow = z.output<typeof NewWindow>;

/** What of a window is changed; the rest keeps its value. */
export const WindowPatch = z
  .object({
    id: Unchanged.exactOptional(),
    ...settings,
    name: settings.name.exactOptional(),
    scope: settings.scope.exactOptional(),
  })
  .meta({ id: 'WindowPatch' });
export type WindowPatch = z.output<typeof WindowPatch>;

const Interval = z.object({
  from: z.iso.datetime().describe('When it begins.'),
  to: z.iso.datetime().describe('When it ends.'),
});

export const WindowRecord = z
  .object({
    id: IdOf('the window'),
    name: z.string().describe(MEANINGS.name),
    note: z.string().describe(MEANINGS.note),
    scope: WindowScope.describe(MEANINGS.scope),
    starts_at: z.iso.datetime().nullable().describe(MEANINGS.starts_at),
    ends_at: z.iso.datetime().nullable().describe(MEANINGS.ends_at),
    cron: z.string().nullable().describe(MEANINGS.cron),
    time_zone: z.string().nullable().describe(MEANINGS.time_zone),
    duration_seconds: z.int().nullable().describe(MEANINGS.duration_seconds),
    every_weeks: z.int().nullable().describe(MEANINGS.every_weeks),
    from: z.iso.datetime().nullable().describe(MEANINGS.from),
    until: z.iso.datetime().nullable().describe(MEANINGS.until),
    open: z.boolean().describe('Whether it is open now.'),
    current: Interval.nullable().describe('The time in which it is open now; null while it is not.'),
    next: Interval.nullable().describe('When it is open next; null when it is never again.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
    created_by: z.string().describe('E-mail address of the user who made it; empty for a key of nobody.'),
  })
  .meta({ id: 'Window' });
export type WindowRecord = z.infer<typeof WindowRecord>;

export const ChangedWindow = WindowRecord.extend({
  notice: z.string().nullable().describe('Said where no check fits its scope at present; else null.'),
}).meta({ id: 'ChangedWindow' });
