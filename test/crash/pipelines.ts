import type { Reported } from '#test/oracle/history.ts';
import type { Client } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import type { Random } from '#test/support/random.ts';
import { type Arrival, moody, type PlannedResponse } from './outside.ts';
import { unlessCut } from './unless-cut.ts';

const LINES = ['checking out', 'rolling back', 'done'];
/** Pause between two attempts of a report (ms). */
const PAUSE_MS = 200;

/** Pipelines that actions start. Each reports under its execution id until the report is acknowledged. */
export class Pipelines {
  readonly reports: Reported[] = [];
  /** Number of unfinished pipelines. */
  open = 0;
  readonly wrong: string[] = [];
  readonly #client: Client;
  readonly #begun = new Set<string>();
  #stopped = false;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Starts the pipeline of an execution, whatever the response is. Sometimes the response comes after the timeout. */
  begin(arrival: Arrival, random: Random): PlannedResponse {
    const { run } = JSON.parse(arrival.body);
    arrival.id = run;
    if (!this.#begun.has(run)) this.#run(run).catch((error: Error) => this.wrong.push(`run ${run}: ${error.message}`));
    return random.chance(0.03) ? { status: 200, wait_ms: 60_000 } : moody(random);
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(run: string): Promise<void> {
    this.#begun.add(run);
    this.open++;
    await this.#report(run, { status: 'running', logs: LINES });
    await this.#report(run, { status: 'succeeded' });
    if (!this.#stopped) this.open--;
  }

  async #report(execution_id: string, body: { status: string; logs?: string[] }): Promise<void> {
    const report: Reported = { execution_id, status: body.status, lines: body.logs ?? [], tries: 0 };
    this.reports.push(report);
    while (!this.#stopped) {
      report.tries++;
      const response = await unlessCut(this.#client.post(`/v1/actions/executions/${execution_id}/events`, body));
      if (response) {
        got(response, 200);
        report.status_code = response.status;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
