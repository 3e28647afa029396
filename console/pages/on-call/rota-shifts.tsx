import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { Rota, Shift } from '#console/api/records.ts';
import { zone } from '#console/app/appearance.ts';
import { now } from '#console/app/clock.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Section } from '#console/parts/page.tsx';
import { Data } from '#console/parts/states.tsx';
import { overrideSchema } from '#console/rules/rotas.ts';
import { hourAndMinute, timeRange } from '#console/rules/time.ts';
import { barsOf, type Day, weeksFrom } from '#console/rules/windows/calendar.ts';
import { Subscribe } from './subscribe.tsx';

const WEEKS = 5;
const HOUR_MS = 3_600_000;

type ShiftsProps = { rota: Rota; reload: () => void };

/** Shows the shifts of a rota in a calendar of five weeks, and lists its overrides. */
export function RotaShifts({ rota, reload }: ShiftsProps) {
  const weeks = weeksFrom(now.value, zone.value, WEEKS);
  const [from, to] = [weeks[0]![0]!.from, weeks.at(-1)!.at(-1)!.to].map((at) => new Date(at).toISOString());
  const query = new URLSearchParams({ from: from!, to: to! });
  const shifts = useLoad<Shift[]>(`/v1/rotas/${rota.id}/shifts?${query}`);
  const [isAdding, setAdding] = useState(false);
  const [isSubscribing, setSubscribing] = useState(false);
  const why = refusal('write');
  /** Changes the overrides. Reads them first, so that changes by other users are kept. */
  async function change(build: (overrides: Rota['overrides']) => object[]): Promise<void> {
    const { overrides } = await call<Rota>('GET', `/v1/rotas/${rota.id}`);
    await call('PUT', `/v1/rotas/${rota.id}`, { overrides: build(overrides) });
    reload();
  }
  const nextHour = Math.ceil(now.value / HOUR_MS) * HOUR_MS;
  return (
    <Section
      title={rota.name}
      actions={
        <span class="row-actions">
          <Button small why={why} onClick={() => setSubscribing(true)}>
            Subscribe
          </Button>
          <Button small icon="add" why={why} onClick={() => setAdding(true)}>
            Add override
          </Button>
        </span>
      }
    >
      <Data of={shifts} what="Loading the shifts">
        {(found) => <Weeks weeks={weeks} shifts={found} />}
      </Data>
      {rota.overrides.length > 0 && (
        <>
          <h3>Overrides</h3>
          <ul class="coming">
            {rota.overrides.map(({ starts_at, ends_at, member }) => {
              const when = timeRange(Date.parse(starts_at), Date.parse(ends_at), zone.value);
              return (
                <li key={starts_at}>
                  {when}: <bdi>{member}</bdi>{' '}
                  <Button
                    small
                    quiet
                    icon="close"
                    label={`Remove the override ${when}`}
                    why={why}
                    onClick={() =>
                      void change((all) => all.filter((one) => one.starts_at !== starts_at)).catch(showError)
                    }
                  />
                </li>
              );
            })}
          </ul>
        </>
      )}
      {isSubscribing && <Subscribe rota={rota} reload={reload} onClose={() => setSubscribing(false)} />}
      {isAdding && (
        <Dialog help="overrides" title="Add override" onClose={() => setAdding(false)}>
          <SchemaForm
            name={`override ${rota.id}`}
            schema={overrideSchema(
              rota,
              new Date(nextHour).toISOString(),
              new Date(nextHour + 24 * HOUR_MS).toISOString(),
            )}
            submit="Save override"
            send={async (body) => {
              await change((all) => [...all, body]);
              showToast('The override is added.');
              setAdding(false);
            }}
            onCancel={() => setAdding(false)}
          />
        </Dialog>
      )}
    </Section>
  );
}

const Weeks = ({ weeks, shifts }: { weeks: readonly (readonly Day[])[]; shifts: readonly Shift[] }) => {
  const spans = shifts.map((of) => ({ from: Date.parse(of.from), to: Date.parse(of.to), of }));
  return (
    <section class="calendar" aria-label="Shifts">
      {weeks.map((week) => (
        <ol key={week[0]!.from} class="week">
          {week.map(({ from, to, number }, i) => (
            <li
              key={from}
              class={from <= now.value && now.value < to ? 'day today' : 'day'}
              style={{ gridColumn: i + 1 }}
              aria-hidden="true"
            >
              <span>{number}</span>
            </li>
          ))}
          {barsOf(week, spans).map(({ of, from, to, column, columns, lane, isContinued }) => {
            const when = timeRange(from, to, zone.value);
            const is = to <= now.value ? 'over' : from <= now.value ? 'open' : 'next';
            return (
              <li
                key={from}
                class={isContinued ? 'continued' : undefined}
                style={{ gridColumn: `${column + 1} / span ${columns}`, gridRow: lane + 2 }}
              >
                <span class={`bar ${is}`} title={`${of.member}: ${when}`}>
                  <span class="bar-when">{when}</span>
                  <span class="bar-begin" aria-hidden="true">
                    {isContinued ? '…' : hourAndMinute(from, zone.value)}
                  </span>{' '}
                  <bdi>{of.member}</bdi>
                  {of.override && ', override'}
                  {is === 'open' && ', on call'}
                </span>
              </li>
            );
          })}
        </ol>
      ))}
    </section>
  );
};
