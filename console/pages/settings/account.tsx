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
import type { FormSchema } from '#console/rules/form-fields.ts';
import { type LimitRow, limitRows } from '#console/rules/limits.ts';
import { count, number } from '#console/rules/words.ts';

const ACCOUNT: FormSchema = {
  properties: {
    name: { type: 'string', description: 'Name of the account.' },
    email: {
      type: 'string',
      title: 'Contact',
      description: 'E-mail address of the contact. It cannot be used to sign in.',
    },
  },
  required: ['name', 'email'],
};

export function Account() {
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
            showToast('The account is changed.');
          }}
        />
        {why && <p class="hint">{why}</p>}
        <p class="id-line">
          Id <code>{account.id}</code> <CopyButton text={account.id} />
        </p>
      </Section>
      <Section title="Limits">
        <Table label="Limits" rows={limitRows(account)} columns={COLUMNS} keyOf={({ name }) => name} />
        <p class="hint">The operator of this service sets the limits.</p>
      </Section>
      <Section title="Retention and access">
        <AccountFacts of={account} />
      </Section>
    </>
  );
}

const COLUMNS = [
  {
    head: 'Resource',
    grow: true,
    cell: ({ name, about }: LimitRow) => (
      <>
        {name} {about && <span class="hint">{about}</span>}
      </>
    ),
  },
  {
    head: 'Usage',
    onlyWide: true,
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

const AccountFacts = ({ of: { retention_days, rollup_days, egress, rate_limits } }: { of: Me }) => (
  <dl class="facts">
    <Fact name="Results">{count(retention_days, 'day')}</Fact>
    <Fact name="State changes, deliveries, executions">{count(Math.max(90, retention_days), 'day')}</Fact>
    <Fact name="History">
      daily {count(rollup_days, 'day')}, hourly {count(Math.min(90, rollup_days), 'day')}
    </Fact>
    <Fact name="Allowed targets">
      {egress === 'public' ? 'public addresses' : 'any address that the operator allows'}
    </Fact>
    <Fact name="Requests per second (store: KB)">
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
