import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ASSUMED } from '#infra/aws/scale.ts';
import { functions } from '#infra/topology.ts';
import { readSettings } from '#lib/settings.ts';
import { holdToShare } from './cpu-share.ts';
import { type Figures, quantile } from './figures.ts';
import { startTlsTarget } from './tls-target.ts';

/**
 * Measures how much higher the median latency (ms) of 50 simultaneous https probes is than that of one, for a target
 * that responds in 50 ms, with the settings of a deployment and the vCPU share of the prober on Lambda.
 */
export async function probesOnLambda(): Promise<Figures> {
  const share = functions.prober.memory_mb / ASSUMED.vcpu_mb;
  const { PROBES_AT_ONCE } = readSettings({});
  const target = await startTlsTarget(50);
  const medianOf = async (due: number): Promise<number> => {
    const words = ['tls-probes.ts', target.url, String(due), String(PROBES_AT_ONCE), '6'];
    const [file = '', ...args] = words;
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, file), ...args],
      {
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    // The share applies only after the modules are loaded.
    await once(child.stdout, 'data');
    const release = holdToShare(child.pid!, share);
    child.stdin.write('go\n');
    const [latencies] = await Promise.all([text(child.stdout), once(child, 'close')]);
    await release();
    return quantile(JSON.parse(latencies) as number[], 0.5);
  };
  try {
    const alone = await medianOf(1);
    return { lambda_50_tls_probes_add_ms_p50: (await medianOf(50)) - alone };
  } finally {
    await target.close();
  }
}
