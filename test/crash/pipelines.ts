import type { Client } from '#test/support/client.ts';
import { got } from '#test/support/fleet.ts';
import type { Random } from '#test/support/random.ts';
import { type Answer, type Arrival, moody } from './outside.ts';
import { unlessCut } from './unless-cut.ts';

/** What the pipeline of one run has reported: lines that were sent at all, and those that were acknowledged. */
export type Report = { sent_lines: number; acked_lines: number; done: boolean };

const LINES = ['checking out', 'rolling back', 'done'];
/** Between two tries of a report, ms. */
const PAUSE_MS = 200;

/** The pipelines that actions start. Each reports under the id that it was given, until it is heard. */
export class Pipelines {
  readonly reports = new Map<string, Report>();
  readonly wrong: string[] = [];
  readonly #client: Client;
  #stopped = false;

  constructor(client: Client) {
    this.#client = client;
  }

  /** A run arrives: its pipeline begins, however the call is answered. Now and then it is not answered at all. */
  begin(arrival: Arrival, random: Random): Answer {
    const { run } = JSON.parse(arrival.body);
    arrival.id = run;
    if (!this.reports.has(run)) {
      const report: Report = { sent_lines: 0, acked_lines: 0, done: false };
      this.reports.set(run, report);
      this.#run(run, report).catch((error: Error) => this.wrong.push(`run ${run}: ${error.message}`));
    }
    return random.chance(0.03) ? { status: 200, wait_ms: 60_000 } : moody(random);
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(run: string, report: Report): Promise<void> {
    await this.#say(run, { status: 'running', logs: LINES }, report);
    await this.#say(run, { status: 'succeeded' }, report);
    report.done = !this.#stopped;
  }

  async #say(run: string, body: { status: string; logs?: string[] }, report: Report): Promise<void> {
    const lines = body.logs?.length ?? 0;
    while (!this.#stopped) {
      report.sent_lines += lines;
      const answer = await unlessCut(this.#client.post(`/v1/actions/executions/${run}/events`, body));
      if (answer) {
        got(answer, 200);
        report.acked_lines += lines;
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
