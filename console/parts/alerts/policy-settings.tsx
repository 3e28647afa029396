import { schemas } from '#console/api/schemas.ts';
import { Button } from '#console/parts/button.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { type Callable, withChannelNames } from '#console/rules/escalation.ts';
import type { FormSchema } from '#console/rules/form-fields.ts';
import { duration } from '#console/rules/time.ts';
import { count, number } from '#console/rules/words.ts';
import type { PolicySettings } from '#lib/alerting/policy/settings.ts';

const SETTINGS = schemas.policy.properties;

type Name = keyof PolicySettings;
type Policy = PolicySettings & { inherited: readonly string[] };

/** Returns the form schema of a policy. @param channels that its escalation can notify */
export const policySchema = ({ escalation: steps }: Policy, channels: readonly Callable[]): FormSchema => {
  const { escalation, ...settings } = SETTINGS;
  return { type: 'object', properties: { ...settings, escalation: withChannelNames(escalation, steps, channels) } };
};

/** All settings, in the order of the table. */
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
  /** Owner of inherited settings: `the service`. */
  from: string;
  why: string | undefined;
  resetSetting: (name: string) => void;
};

/** Lists all settings, each set here or inherited. */
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
