import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { Me } from '#console/api/records.ts';
import { me, readMe, refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { CopyButton } from '#console/parts/copy-button.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Section } from '#console/parts/page.tsx';
import { Table } from '#console/parts/table/table.tsx';
import type { MemberSchema } from '#console/rules/form-fields.ts';
import { type LimitRow, limitRows } from '#console/rules/limits.ts';
import { count, number } from '#console/rules/words.ts';

const ACCOUNT: MemberSchema = {
  properties: {
    name: { type: 'string', description: 'What the account is called.' },
    email: { type: 'string', title: 'Contact', description: 'An e-mail address; it is no login.' },
  },
  required: ['name', 'email'],
};

/** The account, and what its plan allows. */
export function Account() {
  // What there is of each limit may be old.
  useEffect(() => void readMe(), []);
  const account = me.value;
  if (!account) return null;
  const why = refusal('manage');
  return (
    <>
      <Section title="Account">
        <SchemaForm
          name="account"
          schema={ACCOUNT}
          record={account}
          submit="Save"
          why={why}
          send={async (body) => {
            await call('PUT', '/v1/account', body);
            await readMe();
            showToast('The account was changed.');
          }}
        />
        {why && <p class="hint">{why}</p>}
        <p class="id-line">
          Id <code>{account.id}</code> <CopyButton text={account.id} />
        </p>
      </Section>
      <Section title="Limits">
        <Table label="Limits" rows={limitRows(account)} columns={COLUMNS} keyOf={({ name }) => name} />
        <p class="hint">The operator of this service sets them.</p>
      </Section>
      <Section title="Kept and reached">
        <AccountFacts of={account} />
      </Section>
    </>
  );
}

const COLUMNS = [
  {
    head: 'What',
    grow: true,
    cell: ({ name, about }: LimitRow) => (
      <>
        {name} {about && <span class="hint">{about}</span>}
      </>
    ),
  },
  {
    head: 'Share',
    wide: true,
    cell: ({ name, used, limit }: LimitRow) =>
      used !== undefined && (
        <meter aria-label={`${name} used`} max={Math.max(1, limit)} high={limit * 0.9} optimum={0} value={used} />
      ),
  },
  {
    head: 'Used',
    numeric: true,
    cell: ({ used }: LimitRow) => (used === undefined ? <span class="hint">not counted</span> : number(used)),
  },
  { head: 'Limit', numeric: true, cell: ({ limit }: LimitRow) => number(limit) },
];

/** How long things are kept, where checks may go, and how much may be asked. */
const AccountFacts = ({ of: { retention_days, rollup_days, egress, rate_limits } }: { of: Me }) => (
  <dl class="facts">
    <Fact name="Results">{count(retention_days, 'day')}</Fact>
    <Fact name="Incidents, deliveries, executions">{count(Math.max(90, retention_days), 'day')}</Fact>
    <Fact name="History">
      by the day {count(rollup_days, 'day')}, by the hour {count(Math.min(90, rollup_days), 'day')}
    </Fact>
    <Fact name="Checks and channels may reach">
      {egress === 'public' ? 'public addresses' : 'any address that the operator allows'}
    </Fact>
    <Fact name="Requests a second">
      {rate_limits
        ? Object.entries(rate_limits)
            .map(([kind, rate]) => `${kind} ${number(rate.per_second)}`)
            .join(', ')
        : 'not limited'}
    </Fact>
  </dl>
);

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);
