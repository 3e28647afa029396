import { callAll } from '#console/api/call.ts';
import { useRead } from '#console/api/load.ts';
import type { ReportEntity } from '#console/api/records.ts';
import type { PageProps } from '#console/app/pages.ts';
import { setQuery } from '#console/app/router.ts';
import { Button } from '#console/parts/button.tsx';
import { HelpLink } from '#console/parts/help-link.tsx';
import { Page } from '#console/parts/page.tsx';
import { saveFile } from '#console/parts/save-file.ts';
import { Data, Empty } from '#console/parts/states.tsx';
import { pathTo } from '#console/rules/address.ts';
import { count, percent } from '#console/rules/words.ts';
import { reportCsv } from '#lib/report/csv.ts';

/** Numbers of months to choose from, including the current month. */
const MONTH_COUNTS = [3, 6, 12];

/** Page with the uptime of every entity by month, also as CSV. */
export default function ReportPage({ query }: PageProps) {
  const wanted = Number(query.get('months'));
  const months = MONTH_COUNTS.includes(wanted) ? wanted : MONTH_COUNTS[0]!;
  const report = useRead<ReportEntity[]>(`report ${months}`, async (signal) => {
    const entities = await callAll<ReportEntity>(`/v1/report?months=${months}`, { signal });
    return entities.toSorted((a, b) => a.entity_name.localeCompare(b.entity_name));
  });
  const downloadCsv = () => {
    const entities = report.data ?? [];
    const firstMonth = entities[0]?.months[0]?.month ?? '';
    saveFile(`uptime-${firstMonth}.csv`, new Blob([reportCsv(entities)], { type: 'text/csv' }));
  };
  return (
    <Page
      title="Uptime report"
      above={<a href="#/">Fleet</a>}
      actions={
        <>
          {MONTH_COUNTS.map((one) => (
            <Button key={one} small pressed={one === months} onClick={() => setQuery({ months: String(one) })}>
              {one} months
            </Button>
          ))}
          <Button small why={report.data ? undefined : 'The report is not loaded yet.'} onClick={downloadCsv}>
            Download CSV
          </Button>
        </>
      }
    >
      <p class="lead">
        Uptime by calendar month, in UTC, without maintenance. An asterisk (*) marks a month with data for only a part
        of it. <HelpLink to="uptime" />
      </p>
      <Data of={report} what="Loading the report">
        {(found) =>
          found.length === 0 ? <Empty title="No entities" icon="fleet" /> : <ReportTable entities={found} />
        }
      </Data>
    </Page>
  );
}

function ReportTable({ entities }: { entities: readonly ReportEntity[] }) {
  return (
    <div class="wide">
      <table class="table">
        <caption class="unseen">Uptime of each entity by month</caption>
        <thead>
          <tr>
            <th scope="col">Entity</th>
            {entities[0]!.months.map(({ month }) => (
              <th key={month} scope="col" class="numeric">
                {month}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entities.map(({ entity_id, entity_name, blueprint_slug, slug, months }) => (
            <tr key={entity_id}>
              <th scope="row">
                <a dir="auto" href={`#${pathTo('/entities/:blueprint/:slug', { blueprint: blueprint_slug, slug })}`}>
                  {entity_name}
                </a>
              </th>
              {months.map((one) => (
                <MonthCell key={one.month} of={one} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Uptime, incidents and missed SLOs of a month. An asterisk marks a month with data for only a part of it. */
function MonthCell({ of }: { of: ReportEntity['months'][number] }) {
  const { month, uptime, known_since, coverage, incidents, slos } = of;
  const missed = slos.filter(({ state }) => state === 'exhausted').length;
  const notes = [incidents ? count(incidents, 'incident') : '', missed > 0 ? `${count(missed, 'SLO')} missed` : ''];
  const isPartial = known_since !== `${month}-01T00:00:00.000Z` || (coverage ?? 1) < 0.99;
  const since = `Data since ${known_since}, ${percent(coverage)} of the time monitored`;
  return (
    <td class="numeric" {...(uptime !== null && isPartial && { title: since })}>
      {uptime === null ? 'no data' : percent(uptime)}
      {uptime !== null && isPartial && (
        <>
          <span aria-hidden="true">*</span>
          <span class="unseen">{since}</span>
        </>
      )}
      {notes.filter(Boolean).map((note) => (
        <div key={note} class="hint">
          {note}
        </div>
      ))}
    </td>
  );
}
