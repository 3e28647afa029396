import * as z from 'zod';
import { auditWriter } from '#lib/access/audit-writer.ts';
import type { Context } from '#lib/access/context.ts';
import { seesSecrets } from '#lib/access/redaction.ts';
import { readAlerting } from '#lib/alerting/policy/account-alerting.ts';
import {
  CALENDAR_PATH,
  onCallAt,
  type RotaItem,
  type RotaPlan,
  type Shift,
  shiftsWithin,
} from '#lib/alerting/policy/rotas.ts';
import { type Audited, isSame } from '#lib/audit/write.ts';
import { AppError, invalid, notFound } from '#lib/platform/errors.ts';
import { CreatedAt, IdOf, route, Unchanged, UpdatedAt } from '#lib/platform/http/route.ts';
import { assertUnchanged } from '#lib/platform/http/validation.ts';
import { Instant } from '#lib/platform/instant.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { REDACTED } from '#lib/platform/secrets/kept-secrets.ts';
import { Name } from '#lib/platform/text.ts';
import { DAY_MS, iso } from '#lib/platform/time.ts';
import { assertTimeZone } from '#lib/schedule/calendar/calendar.ts';
import { calendarErrorsAt } from '#lib/schedule/calendar/calendar-errors.ts';
import { changeAlerting } from './change-alerting.ts';

const MAX_ROTAS = 20;
const MAX_MEMBERS = 30;
const MAX_CHANNELS = 10;
const MAX_OVERRIDES = 100;
const MAX_RANGE_MS = 93 * DAY_MS;
/** Bounds of the year of a hand-over, far below 9999, after which ISO 8601 times need more than four digits. */
const YEARS = { first: 1970, last: 2999 };
const isInYears = (year: number): boolean => year >= YEARS.first && year <= YEARS.last;
const IN_YEARS = `must be in the years ${YEARS.first} to ${YEARS.last}`;

const DESCRIPTIONS = {
  name: 'Display name.',
  members: 'People in the order of their shifts, 1–30.',
  handover: 'Interval and time at which the next member takes over.',
  time_zone: 'IANA time zone of the hand-over. Default: UTC.',
  starts_on:
    'Local date in 1970–2999 on which the first member takes over. The first member is also on call before it. A weekly hand-over is on the weekday of this date.',
  overrides: 'Time ranges in which another member is on call, without overlaps, at most 100. PUT replaces the list.',
};

const Member = z
  .object({
    name: Name.describe('Name of the person, unique in the rota.'),
    channel_ids: z
      .array(z.string())
      .min(1, 'must name at least one channel')
      .max(MAX_CHANNELS, `must name at most ${MAX_CHANNELS} channels`)
      .describe('Account channels that notify the person.'),
  })
  .meta({ id: 'RotaMember' });

const Handover = z
  .object({
    every: z.enum(['day', 'week']).describe('Length of a shift.'),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 09:00')
      .describe('Local time, HH:MM.'),
  })
  .meta({ id: 'RotaHandover' });

const overrideMemberProperty = { member: z.string().describe('Name of the member on call.') };

const settings = {
  name: Name.describe(DESCRIPTIONS.name),
  members: z
    .array(Member)
    .min(1, 'must have at least one person')
    .max(MAX_MEMBERS, `must have at most ${MAX_MEMBERS} people`)
    .describe(DESCRIPTIONS.members),
  handover: Handover.describe(DESCRIPTIONS.handover),
  time_zone: z.string().max(100).describe(DESCRIPTIONS.time_zone).exactOptional(),
  starts_on: z.iso
    .date()
    .refine((date) => isInYears(Number(date.slice(0, 4))), IN_YEARS)
    .describe(DESCRIPTIONS.starts_on),
  overrides: z
    .array(
      z.object({
        starts_at: Instant.describe('Start.'),
        ends_at: Instant.describe('End, after the start.'),
        ...overrideMemberProperty,
      }),
    )
    .max(MAX_OVERRIDES, `must have at most ${MAX_OVERRIDES} overrides`)
    .describe(DESCRIPTIONS.overrides)
    .exactOptional(),
};

const NewRota = z.object(settings).meta({ id: 'NewRota' });
type NewRota = z.output<typeof NewRota>;

const RotaPatch = z
  .object({
    id: Unchanged.exactOptional(),
    ...settings,
    name: settings.name.exactOptional(),
    members: settings.members.exactOptional(),
    handover: settings.handover.exactOptional(),
    starts_on: settings.starts_on.exactOptional(),
  })
  .meta({ id: 'RotaPatch' });

const ShiftRecord = z
  .object({
    from: z.iso.datetime().describe('Start.'),
    to: z.iso.datetime().describe('End.'),
    member: z.string().describe('Name of the person on call.'),
    channel_ids: z.array(z.string()).describe('Account channels that notify the person.'),
    override: z.boolean().describe('Whether an override sets the member.'),
  })
  .meta({ id: 'Shift' });

const RotaRecord = z
  .object({
    id: IdOf('the rota'),
    name: z.string().describe(DESCRIPTIONS.name),
    members: z.array(Member).describe(DESCRIPTIONS.members),
    handover: Handover.describe(DESCRIPTIONS.handover),
    time_zone: z.string().describe(DESCRIPTIONS.time_zone),
    starts_on: z.string().describe(DESCRIPTIONS.starts_on),
    overrides: z
      .array(
        z.object({
          starts_at: z.iso.datetime().describe('Start.'),
          ends_at: z.iso.datetime().describe('End, after the start.'),
          ...overrideMemberProperty,
        }),
      )
      .describe(DESCRIPTIONS.overrides),
    on_call: ShiftRecord.describe('The shift now.'),
    next: ShiftRecord.describe('The next shift.'),
    calendar_path: z
      .string()
      .describe('Secret path of the shifts as an iCalendar file, for calendar programs. Requests need no key.'),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  })
  .meta({ id: 'Rota' });

const shiftView = (shift: Shift) => ({
  ...shift,
  channel_ids: [...shift.channel_ids],
  from: iso(shift.from),
  to: iso(shift.to),
});

const planOf = ({ members, handover, time_zone, starts_on, overrides }: RotaPlan) => ({
  members: members.map(({ name, channel_ids }) => ({ name, channel_ids: [...channel_ids] })),
  handover,
  time_zone,
  starts_on,
  overrides: overrides.map(({ starts_at, ends_at, member }) => ({
    starts_at: iso(starts_at),
    ends_at: iso(ends_at),
    member,
  })),
});

const calendarPath = (tenant: string, { id, calendar_secret }: RotaItem): string =>
  `${CALENDAR_PATH}${tenant}/${id}/${calendar_secret}/calendar.ics`;

export function rotaView({ ports, tenant, caller }: Context, rota: RotaItem): z.infer<typeof RotaRecord> {
  const { current, next } = onCallAt(rota, ports.clock.now());
  return pick(RotaRecord, {
    ...rota,
    ...planOf(rota),
    on_call: shiftView(current),
    next: shiftView(next),
    calendar_path: seesSecrets(caller) ? calendarPath(tenant, rota) : REDACTED,
  });
}

const auditedRota: Audited<RotaItem> = {
  type: 'rota',
  target: ({ id, name }) => ({ id, name }),
  properties: (rota) => ({ name: rota.name, ...planOf(rota), calendar_path: rota.calendar_secret }),
  shown: (rota) => ({ name: rota.name, ...planOf(rota), calendar_path: REDACTED }),
};

/** Reads the rotas of the account, oldest first. */
const allRotas = async (context: Context): Promise<readonly RotaItem[]> =>
  (await readAlerting(context, context.tenant)).rotas;

function rotaIn(rotas: readonly RotaItem[], id: string): RotaItem {
  const rota = rotas.find((one) => one.id === id);
  if (!rota) throw notFound(`Rota ${id}`);
  return rota;
}

/** Validates a plan and sorts its overrides. @throws AppError VALIDATION_ERROR */
function validated<Plan extends RotaPlan>(plan: Plan, channels: readonly { id: string }[]): Plan {
  calendarErrorsAt('time_zone', () => assertTimeZone(plan.time_zone));
  const names = plan.members.map(({ name }) => name);
  for (const [i, { name, channel_ids }] of plan.members.entries()) {
    if (names.indexOf(name) < i) throw invalid(`members.${i}.name`, 'is the name of another member; make it unique');
    for (const [j, id] of channel_ids.entries()) {
      if (channels.some((one) => one.id === id)) continue;
      const message = 'is not a channel of the account; GET /v1/notify/channels lists them, with scope account';
      throw invalid(`members.${i}.channel_ids.${j}`, message);
    }
  }
  for (const [i, { starts_at, ends_at, member }] of plan.overrides.entries()) {
    if (!names.includes(member)) throw invalid(`overrides.${i}.member`, 'is not a member of the rota');
    if (ends_at <= starts_at) throw invalid(`overrides.${i}.ends_at`, 'must be after starts_at');
    const other = plan.overrides.findIndex((one) => one.starts_at < ends_at && starts_at < one.ends_at);
    if (other < i) throw invalid(`overrides.${i}`, `overlaps override ${other}; only one applies at a time`);
  }
  return { ...plan, overrides: plan.overrides.toSorted((a, b) => a.starts_at - b.starts_at) };
}

async function addRota(context: Context, { time_zone = 'UTC', overrides = [], ...input }: NewRota): Promise<RotaItem> {
  const { ports, keys, tenant } = context;
  const id = ports.ids.id('rot');
  const now = iso(ports.clock.now());
  const calendar_secret = ports.ids.shortSecret();
  const base = {
    ...keys.rota(tenant, id),
    v: ports.ids.token(),
    id,
    calendar_secret,
    created_at: now,
    updated_at: now,
  };
  const auditWrites = auditWriter(context, 'create', auditedRota);
  let rota: RotaItem | undefined;
  await changeAlerting(context, ({ rotas, channels }) => {
    if (rotas.length >= MAX_ROTAS)
      throw new AppError('LIMIT_EXCEEDED', `An account has at most ${MAX_ROTAS} rotas. Delete one first.`);
    rota = validated({ ...base, ...input, time_zone, overrides }, channels);
    return { writes: [{ put: rota, if: 'absent' }, ...auditWrites(undefined, rota)] };
  });
  return rota!;
}

async function changeRota(
  context: Context,
  id: string,
  { id: same, ...changes }: z.output<typeof RotaPatch>,
): Promise<RotaItem> {
  const { ports } = context;
  assertUnchanged({ id }, { id: same });
  const auditWrites = auditWriter(context, 'update', auditedRota);
  let result: RotaItem | undefined;
  await changeAlerting(context, ({ rotas, channels }) => {
    const rota = rotaIn(rotas, id);
    const changed = validated({ ...rota, ...changes }, [
      ...channels,
      // Channels that were deleted in the meantime can stay.
      ...rota.members.flatMap(({ channel_ids }) => channel_ids.map((channel) => ({ id: channel }))),
    ]);
    result = rota;
    if (isSame(auditedRota, rota, changed)) return undefined;
    result = { ...changed, v: ports.ids.token(), updated_at: iso(ports.clock.now()) };
    return { writes: [{ put: result, if: { version: rota.v } }, ...auditWrites(rota, result)], rechecks: true };
  });
  return result!;
}

async function rotateCalendar(context: Context, id: string): Promise<RotaItem> {
  const { ports } = context;
  const [v, calendar_secret] = [ports.ids.token(), ports.ids.shortSecret()];
  const auditWrites = auditWriter(context, 'rotate', auditedRota);
  let result: RotaItem | undefined;
  await changeAlerting(context, ({ rotas }) => {
    const rota = rotaIn(rotas, id);
    result = { ...rota, v, calendar_secret, updated_at: iso(ports.clock.now()) };
    return { writes: [{ put: result, if: { version: rota.v } }, ...auditWrites(rota, result)] };
  });
  return result!;
}

async function deleteRota(context: Context, id: string): Promise<void> {
  const { keys, tenant } = context;
  const auditWrites = auditWriter(context, 'delete', auditedRota);
  await changeAlerting(context, ({ rotas }) => {
    const rota = rotaIn(rotas, id);
    const gone = { delete: keys.rota(tenant, id), if: { version: rota.v } };
    return { writes: [gone, ...auditWrites(rota, undefined)], rechecks: true };
  });
}

const endpoint = route<Context>();

const load = async (context: Context, { id }: { id: string }) => rotaIn(await allRotas(context), id);

const RangeQuery = z.object({
  from: Instant.describe('Start of the range. Default: now.').exactOptional(),
  to: Instant.describe('End of the range, at most 93 days after the start. Default: 35 days after it.').exactOptional(),
});

export const rotaRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/rotas',
    access: 'read',
    summary: 'List on-call rotas',
    description: 'Includes the current and the next shift.',
    status: 200,
    reply: z.array(RotaRecord),
    run: async (context) => (await allRotas(context)).map((rota) => rotaView(context, rota)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/rotas',
    access: 'write',
    summary: 'Create an on-call rota',
    description: 'Escalation steps can name it.',
    status: 201,
    body: NewRota,
    reply: RotaRecord,
    errors: ['LIMIT_EXCEEDED'],
    run: async (context, { body }) => rotaView(context, await addRota(context, body)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/rotas/{id}',
    access: 'read',
    summary: 'Get an on-call rota',
    status: 200,
    reply: RotaRecord,
    load,
    run: async (context, { loaded }) => rotaView(context, loaded),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/rotas/{id}',
    access: 'write',
    summary: 'Update an on-call rota',
    description: 'Omitted properties keep their value. The change has immediate effect.',
    status: 200,
    body: RotaPatch,
    reply: RotaRecord,
    load,
    run: async (context, { loaded, body }) => rotaView(context, await changeRota(context, loaded.id, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/rotas/{id}',
    access: 'write',
    summary: 'Delete an on-call rota',
    description: 'Escalation steps that name it then notify only their own channels and other rotas.',
    status: 204,
    load,
    run: (context, { loaded }) => deleteRota(context, loaded.id),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/rotas/{id}/rotate-calendar',
    access: 'write',
    summary: 'Replace the calendar address of an on-call rota',
    description: 'The previous address stops working.',
    status: 200,
    reply: RotaRecord,
    load,
    run: async (context, { loaded }) => rotaView(context, await rotateCalendar(context, loaded.id)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/rotas/{id}/shifts',
    access: 'read',
    summary: 'List the shifts of an on-call rota',
    description: 'Shifts that overlap the range, ascending.',
    status: 200,
    query: RangeQuery,
    reply: z.array(ShiftRecord),
    load,
    run: async ({ ports }, { loaded, query }) => {
      const { from = ports.clock.now(), to = from + 35 * DAY_MS } = query;
      if (!isInYears(new Date(from).getUTCFullYear())) throw invalid('from', IN_YEARS);
      if (to <= from) throw invalid('to', 'must be after from');
      if (to - from > MAX_RANGE_MS) throw invalid('to', 'must be at most 93 days after from');
      return shiftsWithin(loaded, from, to).map(shiftView);
    },
  }),
];
