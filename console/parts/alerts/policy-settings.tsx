import type { ComponentProps } from 'preact';
import { useLoad } from '#console/api/load.ts';
import type { Rota } from '#console/api/records.ts';
import { schemas } from '#console/api/schemas.ts';
import { Button } from '#console/parts/button.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Data } from '#console/parts/states.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { type StepRecipient, withRecipientNames } from '#console/rules/escalation.ts';
import { duration } from '#console/rules/time.ts';
import { count, number } from '#console/rules/words.ts';
import type { PolicySettings } from '#lib/alerting/policy/settings.ts';

const SETTINGS = schemas.policy.properties;

type Name = keyof PolicySettings;
type Policy = PolicySettings & { inherited: readonly string[] };

type FormProps = Omit<ComponentProps<typeof SchemaForm>, 'schema' | 'record'> & {
  policy: Policy;
  channels: readonly StepRecipient[];
};

/** Form of a policy. Waits for the rotas, because escalation steps offer them by name. */
export function PolicyForm({ policy, channels, ...rest }: FormProps) {
  const rotas = useLoad<Rota[]>('/v1/rotas');
  const { escalation, ...settings } = SETTINGS;
  return (
    <Data of={rotas} what="Loading the rotas">
      {(found) => {
        const steps = withRecipientNames(escalation, policy.escalation, channels, found);
        const schema = { type: 'object', properties: { ...settings, escalation: steps } };
        return <SchemaForm {...rest} schema={schema} record={policy} />;
      }}
    </Data>
  );
}

/** Names of all settings, in the order of the table. */
export const SETTING_NAMES = Object.keys(SETTINGS) as Name[];

const settingText = (policy: Policy, name: Name): string => {
  const value = policy[name];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'number') return value.length === 0 ? 'none' : count(value.length, 'step');
  if (value === 0) return 'off';
  return name.endsWith('_seconds') ? duration(value * 1000) : number(value);
};

type TableProps = {
  policy: Policy;
  /** Owner of the inherited settings: `the service` or `the account`. */
  from: string;
  why: string | undefined;
  resetSetting: (name: string) => void;
};

/** Lists all settings with their values. A setting is either inherited, or set here and can be reset. */
export const PolicyTable = ({ policy, from, why, resetSetting }: TableProps) => (
  <div class="wrapped">
    <Table
      label="Settings of the policy"
      rows={SETTING_NAMES}
      columns={columnsOf(policy, from, why, resetSetting)}
      keyOf={(name) => name}
    />
  </div>
);

const columnsOf = (
  policy: Policy,
  from: string,
  why: string | undefined,
  resetSetting: TableProps['resetSetting'],
): readonly Column<Name>[] => [
  { head: 'Setting', grow: true, cell: (name) => SETTINGS[name].title },
  { head: 'Value', cell: (name) => <strong>{settingText(policy, name)}</strong> },
  {
    head: 'From',
    cell: (name) =>
      policy.inherited.includes(name) ? (
        <span class="hint">inherited from {from}</span>
      ) : (
        <Button
          small
          quiet
          why={why}
          label={`Reset ${SETTINGS[name].title} to the value of ${from}`}
          onClick={() => resetSetting(name)}
        >
          set here: reset
        </Button>
      ),
  },
];
