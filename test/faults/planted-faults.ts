/** A mistake in the service: in `file` each `find` becomes `replace`. */
export type PlantedFault = { name: string; file: string; edits: { find: string; replace: string }[] };

const fault = (name: string, file: string, find: string, replace: string): PlantedFault => ({
  name,
  file,
  edits: [{ find, replace }],
});

/** Mistakes that somebody could make, each of which breaks a promise: the simulation must find every one of them. */
export const plantedFaults: PlantedFault[] = [
  fault(
    'the watermark is moved before the jobs are sent',
    'lib/schedule/emit.ts',
    "  if (jobs.length > 0) await ports.queues.send('job'",
    "  await Promise.all(open.map((window) => moveWatermark(ports, keys, window)));\n  if (jobs.length > 0) await ports.queues.send('job'",
  ),
  fault(
    'a result is named by a random token, not by its slot',
    'lib/health/recording/record-probe.ts',
    'String(check.rev)',
    'crypto.randomUUID()',
  ),
  fault(
    'the settings revision is left out of the key of a result',
    'lib/health/recording/record-probe.ts',
    'String(check.rev)',
    "'0'",
  ),
  fault(
    'results are put unconditionally',
    'lib/health/recording/record-probe.ts',
    "{ put: result, if: 'absent' }",
    '{ put: result }',
  ),
  fault(
    'a delivery gets a random id',
    'lib/alerts/plan/fan-out.ts',
    '        id,\n        kind,',
    "        id: ports.ids.id('dlv'),\n        kind,",
  ),
  fault(
    'a check is written whatever its version',
    'lib/checks/next-check.ts',
    '({ put: next, if: { version: old.v } })',
    '({ put: next, ...(old && {}) })',
  ),
  fault(
    'an entity is written whatever its version',
    'lib/health/state/change-state.ts',
    '{ put: nextEntity, if: { version: entity.v } }',
    '{ put: nextEntity }',
  ),
  fault(
    'silence is judged without a mark',
    'lib/health/recording/detect-silence.ts',
    '  marked.silence_mark = marked.v;\n',
    '',
  ),
  fault(
    'a change is acknowledged before it is fanned out',
    'functions/notifier.ts',
    '(record) => fanOutOrPark(world, newImage<TransitionItem>(record))',
    'async (record) => void fanOutOrPark(world, newImage<TransitionItem>(record)).catch(() => {})',
  ),
  fault(
    'a delivery that is still pending is not sent again',
    'lib/alerts/plan/new-delivery.ts',
    'return (outcome.present[0] as DeliveryItem | undefined) ?? AGAIN;',
    "return outcome.present[0] ? ({ ...outcome.present[0], id: '' } as DeliveryItem) : AGAIN;",
  ),
  fault(
    'a run of the prober that is out of time goes on recording',
    'lib/health/recording/run-jobs.ts',
    'if (!probe || signal?.aborted) return;',
    'if (!probe) return;',
  ),
  fault(
    'a run of the prober that is out of time drops its jobs',
    'functions/prober.ts',
    'context?.signal?.throwIfAborted();',
    '',
  ),
  fault(
    'a record that fails takes its batch with it',
    'lib/platform/batch.ts',
    "if (one.status === 'fulfilled') return [];",
    "if (settled.every(({ status }) => status === 'fulfilled')) return [];",
  ),
  fault(
    'silence counts time in which nobody watched',
    'lib/health/recording/detect-silence.ts',
    'await lastOutageEnd(ports, keys, shard)',
    '0 * (await lastOutageEnd(ports, keys, shard))',
  ),
  fault(
    'alerts of a disabled account are sent',
    'lib/alerts/deliver/deliver.ts',
    'if (!account || isDisabled(account))',
    'if (!account)',
  ),
  fault(
    'checks of a disabled account are probed',
    'lib/health/recording/run-jobs.ts',
    '|| isDisabled(account)) return [];',
    ') return [];',
  ),
  fault('actions of a disabled account are run', 'lib/actions/run/claim.ts', '|| isDisabled(account) ||', '||'),
  fault(
    'an action is sent before its run is claimed',
    'lib/actions/run/claim.ts',
    "{ put: execution, if: 'absent' }",
    '{ put: execution }',
  ),
  fault(
    'a probe that fails while we stand still is held against its target',
    'lib/health/recording/run-jobs.ts',
    'if (outcome && isOwnStall(outcome, timeout_ms, stalled_ms)) {',
    'if (outcome && isOwnStall(outcome, timeout_ms, 0)) {',
  ),
  fault(
    'silence of all hosts is held against them when our own network is down',
    'lib/health/recording/run-jobs.ts',
    "else if (blame === 'network') await noteGap(ports, keys, one, 'network');",
    '',
  ),
  fault(
    'places for probes are given to whoever comes first',
    'lib/platform/sharing/fair-shares.ts',
    'const room = tenant.running < share ? places + share : places;',
    'const room = places;',
  ),
];
