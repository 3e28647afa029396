import { useMemo, useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useRead } from '#console/api/load.ts';
import type { EntityHistory } from '#console/api/records.ts';
import { live } from '#console/app/live.ts';
import type { PageProps } from '#console/app/pages.ts';
import { setQuery } from '#console/app/router.ts';
import { Button } from '#console/parts/button.tsx';
import { HelpLink } from '#console/parts/help-link.tsx';
import { Page } from '#console/parts/page.tsx';
import { saveFile } from '#console/parts/save-file.ts';
import { Data, Empty, Loading } from '#console/parts/states.tsx';
import { pathTo } from '#console/rules/address.ts';
import { MONTH_COUNTS, monthOf, monthStart, type ReportEntity, reportCsv } from '#console/rules/report.ts';
import { percent } from '#console/rules/words.ts';

/** Maximum number of entities per request. */
const PER_REQUEST = 50;

/** Page of the uptime of every entity by month, also as CSV. */
export default function ReportPage({ query }: PageProps) {
  const fleet = live.fleet.value;
  const [now] = useState(Date.now);
  const wanted = Number(query.get('months'));
  const months = MONTH_COUNTS.includes(wanted) ? wanted : MONTH_COUNTS[0]!;
  const entities = useMemo(
    () => [...(fleet?.values() ?? [])].toSorted((a, b) => a.name.localeCompare(b.name)),
    [fleet],
  );
  const from = monthStart(now, months - 1);
  const histories = useRead<EntityHistory[]>(
    entities.length > 0 ? `report ${from} ${entities.length}` : null,
    async (signal) => {
      const found: EntityHistory[] = [];
      for (let at = 0; at < entities.length; at += PER_REQUEST) {
        const ids = entities.slice(at, at + PER_REQUEST).map(({ id }) => id);
        const path = `/v1/history?bucket=month&from=${from}&entity_ids=${ids.join()}`;
        found.push(...(await call<{ entities: EntityHistory[] }>('GET', path, undefined, { signal })).entities);
      }
      return found;
    },
  );
  const csv = () =>
    saveFile(
      `uptime-${from.slice(0, 7)}.csv`,
      new Blob([reportCsv(entities, histories.data ?? [])], { type: 'text/csv' }),
    );
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
          <Button small why={histories.data ? undefined : 'The report is not loaded yet.'} onClick={csv}>
            Download CSV
          </Button>
        </>
      }
    >
      <p class="lead">
        Uptime by calendar month, in UTC, without maintenance. A month that is marked with * has data for a part of it.{' '}
        <HelpLink to="uptime" />
      </p>
      {!fleet && <Loading what="Loading the fleet" />}
      {fleet?.size === 0 && <Empty title="No entities" icon="fleet" />}
      {entities.length > 0 && (
        <Data of={histories} what="Loading the report">
          {(found) => <ReportTable entities={entities} histories={found} />}
        </Data>
      )}
    </Page>
  );
}

type TableProps = { entities: readonly ReportEntity[]; histories: readonly EntityHistory[] };

function ReportTable({ entities, histories }: TableProps) {
  const known = new Map(histories.map((history) => [history.entity_id, history.buckets]));
  const months = [...new Set(histories.flatMap(({ buckets }) => buckets.map(monthOf)))].toSorted();
  return (
    <div class="wide">
      <table class="table">
        <caption class="unseen">Uptime of each entity by month</caption>
        <thead>
          <tr>
            <th scope="col">Entity</th>
            {months.map((month) => (
              <th key={month} scope="col" class="numeric">
                {month}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entities.map(({ id, name, blueprint_slug, slug }) => (
            <tr key={id}>
              <th scope="row">
                <a dir="auto" href={`#${pathTo('/entities/:blueprint/:slug', { blueprint: blueprint_slug, slug })}`}>
                  {name}
                </a>
              </th>
              {months.map((month) => (
                <MonthCell key={month} bucket={known.get(id)?.find((one) => monthOf(one) === month)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Uptime of a month; a star marks a month of which a part has no data. */
function MonthCell({ bucket }: { bucket: EntityHistory['buckets'][number] | undefined }) {
  if (!bucket || bucket.uptime === null) return <td class="numeric">no data</td>;
  const isPartial = bucket.known_since !== bucket.from || (bucket.coverage ?? 1) < 0.99;
  const since = `Known since ${bucket.known_since}, ${percent(bucket.coverage)} of the time monitored`;
  return (
    <td class="numeric" {...(isPartial && { title: since })}>
      {percent(bucket.uptime)}
      {isPartial && (
        <>
          <span aria-hidden="true">*</span>
          <span class="unseen">{since}</span>
        </>
      )}
    </td>
  );
}
