import { createHash } from 'node:crypto';
import { memoryFiles } from '#infra/local/files.ts';
import { DEFAULT_LIMITS } from '#lib/access/account.ts';
import { createAccount } from '#lib/access/change-account.ts';
import type { Ports } from '#lib/env.ts';
import { type Keys, keyTable } from '#lib/keys.ts';
import { makeIds } from '#lib/platform/ids.ts';
import { iso } from '#lib/platform/time.ts';
import { recordOutage } from '#lib/schedule/outages.ts';
import { readSettings } from '#lib/settings.ts';
import { checksIn, type NetworkSpell, type Shown } from '#test/oracle/inside.ts';
import { makeRandom, type Random } from '#test/support/random.ts';
import { makeClock } from '#test/support/virtual-clock.ts';
import '#test/support/all-loaded.ts';
import { resetPushes } from './agents.ts';
import { makeManners } from './manners.ts';
import { runNeighbor } from './neighbor.ts';
import { makeObservations, type Observations } from './observations.ts';
import { observedTable } from './observed-table.ts';
import { people } from './people.ts';
import { runPipeline } from './pipeline.ts';
import type { Shared } from './process.ts';
import { drawProfile, type Profile, repaired } from './profile.ts';
import { runPublicist } from './publicist.ts';
import { shownOf } from './read-check.ts';
import { receivers } from './receivers.ts';
import { makeClient } from './requests.ts';
import { disableAccountFor } from './stops.ts';
import { runTwin } from './twin.ts';
import { virtualCloud } from './virtual-cloud.ts';
import { virtualNet } from './virtual-net.ts';
import { drawWeather, makeWeather } from './weather.ts';

/**
 * Start times: ten minutes before midnight, so that an hour and a day are rolled up in the run; or before clocks in
 * Europe are set back, or forward.
 */
const STARTS = [
  Date.UTC(2026, 10, 20, 23, 50),
  Date.UTC(2026, 10, 20, 23, 50),
  Date.UTC(2026, 9, 25, 0, 50),
  Date.UTC(2026, 2, 29, 0, 50),
];
/** Time after the faults for everything to finish (ms). A deleted check is reclaimed after ten minutes. */
const SETTLE_MS = 13 * 60_000;

/** Maximum number of function runs; a run of 30 minutes has about 10,000, and one without end fills the memory. */
const MAX_FUNCTION_RUNS = 100_000;

/** The outcome of a run, for the oracle. */
export type Run = {
  seed: number;
  profile: Profile;
  seen: Observations;
  keys: Keys;
  /** Time at which the faults stop (epoch ms). */
  calmFrom: number;
  end: number;
  /** Data of each check from the API at the end, by its id. */
  shown: Map<string, Shown>;
  /** Whether it was stopped because the service repeated work without end. */
  is_endless: boolean;
};

/** A run whose seed is a multiple of this number has a status page with subscribers. */
const PAGE_SEEDS = 5;

const silentLog = { info: () => {}, warn: () => {}, error: () => {} };

/**
 * Simulates one whole life of the service, in memory and in virtual time. The same seed and length give the same run.
 * @param minutes active time, before it settles
 */
export async function simulate(seed: number, minutes = 30): Promise<Run> {
  const lengthMs = minutes * 60_000;
  const random = makeRandom(seed);
  const profile = drawProfile(random);
  const clock = makeClock(random.pick(STARTS) + random.int(0, 59_999));
  const seen = makeObservations();
  const ids = makeIds(clock, random.bytes);
  const settings = readSettings({
    CHECK_EGRESS: 'any',
    MIN_INTERVAL_SECONDS: '1',
    SHARDS: String(profile.shards),
    BUCKETS: '2',
    REFERENCE_HOST: profile.referenceHost,
    JOB_GROUP_MS: String(profile.jobGroupMs),
  });
  const keys = keyTable(settings);
  resetPushes();

  const table = observedTable(clock, seen, (item) => cloud.inserted(item));
  const weather = makeWeather(clock, seen);
  const manners = makeManners(random, clock, seen, weather.sleep);
  const outer = { random, clock, seen, manners, profile: () => profile, onProbe: weather.onProbe };
  const receiver = receivers(outer);
  const shared: Shared = {
    random,
    clock,
    ids,
    settings,
    seen,
    table,
    queues: { send: async (queue, messages) => cloud.send(queue, messages) },
    bus: { publish: async () => {} },
    files: memoryFiles(),
    net: virtualNet(
      { ...outer, referenceHost: profile.referenceHost, onCall: (id) => void runPipeline(world, id) },
      receiver.post,
    ),
    publish: receiver.publish,
    log: silentLog,
    profile: repaired(profile),
    sleep: weather.sleep,
    stalled: weather.stalled,
    storeSpell: weather.storeSpell,
    noteOutage: (outage) => recordOutage({ ports: outside, keys }, outage),
  };
  const outside = shared as unknown as Ports;
  const cloud = virtualCloud(shared);
  // In half of the runs, the limit is so low that alerts are combined.
  const alerts_per_minute_limit = seed % 2 === 0 ? 6 : DEFAULT_LIMITS.alerts_per_minute_limit;
  const owner = { email: 'ops@shop.test', name: 'Shop', alerts_per_minute_limit };
  const account = createAccount({ ports: outside, keys }, owner);
  await clock.runUntil(clock.now() + 10);
  const client = makeClient(cloud.request, (await account).key.key, clock);
  const world = { random, clock, seen, client, profile };

  const started = clock.now();
  const calmFrom = started + lengthMs;
  const end = calmFrom + SETTLE_MS;
  startTicks(shared, cloud.send, started, end);
  clock.at(started + 20_000, () => {
    shared.profile = profile;
  });
  clock.at(calmFrom, () => {
    shared.profile = repaired(profile);
  });
  drawWeather(
    { ...weather, random, clock, profile, started, lengthMs },
    { ...cloud, refuseWrites: table.refuseWrites },
  );
  for (let i = 0; i < profile.stops; i++) {
    const tenant = (await account).account.id;
    const ms = random.int(5_000, 200_000);
    clock.at(started + random.int(90_000, lengthMs - ms - 60_000), () =>
      disableAccountFor({ ports: outside, keys, tenant, origin: 'operator' }, seen, ms),
    );
  }
  drawSpells(random, seen, profile, started, lengthMs);
  if (profile.neighbor) {
    const { key } = await createAccount({ ports: outside, keys }, { email: 'ops@next-door.test', name: 'Next door' });
    const client = makeClient(cloud.request, key.key, clock);
    clock.at(started + random.int(60_000, lengthMs / 2), () => void runNeighbor(random, clock, client));
  }
  if (profile.twin) {
    const { key } = await createAccount({ ports: outside, keys }, { email: 'ops@twin.test', name: 'Twin' });
    const client = makeClient(cloud.request, key.key, clock);
    clock.at(started + random.int(5_000, 60_000), () => void runTwin({ random, clock, client }));
  }
  void people({ ...world, end: calmFrom });
  if (seed % PAGE_SEEDS === 0) clock.at(started + random.int(30_000, 90_000), () => void runPublicist(world, calmFrom));
  const isEndless = (): boolean => seen.runs.size > MAX_FUNCTION_RUNS;
  await clock.runUntil(end, isEndless);
  const shown = new Map<string, Shown>();
  for (const check of checksIn(seen)) shown.set(check.id, await shownOf({ ports: outside, keys }, check));
  table.close();
  return { seed, profile, seen, keys, calmFrom, end, shown, is_endless: isEndless() };
}

/** Draws network outages of the service, and periods in which no target responds. */
function drawSpells(random: Random, seen: Observations, profile: Profile, started: number, lengthMs: number): void {
  const draw = (unresponsive: NetworkSpell['unresponsive']) => {
    const from = started + random.int(90_000, lengthMs - 60_000);
    seen.spells.push({
      from,
      to: from + random.int(10_000, 150_000),
      unresponsive,
      error: random.pick(['dns', 'timeout']),
    });
  };
  for (let i = 0; i < profile.networkSpells; i++) draw('network');
  for (let i = 0; i < profile.targetSpells; i++) draw('targets');
}

/** Sends a tick every minute, some of them late, twice, or not at all. */
function startTicks(
  shared: Shared,
  send: (queue: string, messages: { body: unknown }[]) => void,
  from: number,
  end: number,
) {
  const { random, clock } = shared;
  // The host sends the current minute's tick when it starts.
  for (let minute = Math.floor(from / 60_000) * 60_000; minute < end; minute += 60_000) {
    clock.at(minute, () => {
      if (minute > from && random.chance(shared.profile.tickMissing)) return;
      for (let copies = random.chance(shared.profile.tickDouble) ? 2 : 1; copies > 0; copies--) {
        const late = shared.profile.quiet || minute <= from ? random.int(0, 2000) : random.int(0, 60_000);
        const tick = (): void => {
          if (shared.storeSpell() === 'disk full') clock.at(clock.now() + 1000, tick);
          else send('tick', [{ body: { scheduled_time: iso(minute) } }]);
        };
        clock.at(minute + late, tick);
      }
    });
  }
}

/**
 * Returns a hash of all commits of a run, 16 hex digits. Two runs with the same hash wrote the same items at the same
 * times.
 * @param sorted whether to ignore the order of writes in a commit and of properties in an item
 */
export function fingerprint({ seen }: Run, sorted = false): string {
  const hash = createHash('sha256');
  for (const { at, changes } of seen.commits) {
    hash.update(`${at}`);
    const rows = changes.map(({ key, after }) =>
      JSON.stringify([key.pk, key.sk, after], sorted ? withSortedKeys : undefined),
    );
    for (const row of sorted ? rows.toSorted() : rows) hash.update(row);
  }
  return hash.digest('hex').slice(0, 16);
}

/** Sorts the properties of each object by name. A replacer for JSON.stringify. */
function withSortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
