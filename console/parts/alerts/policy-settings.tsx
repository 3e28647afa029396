import { Button } from '#console/parts/button.tsx';
import { type Column, Table } from '#console/parts/table/table.tsx';
import { type Callable, escalationSchema } from '#console/rules/escalation.ts';
import { labelOf, type MemberSchema } from '#console/rules/form-fields.ts';
import { duration } from '#console/rules/time.ts';
import { count } from '#console/rules/words.ts';
import type { EscalationStep } from '#lib/alerting/policy/policy.ts';

/** The settings of a policy, as a check and the account have them. */
const POLICY_SETTINGS = {
  cooldown_seconds: {
    type: 'integer',
    description: 'After an alert, no other is sent for so many seconds; 0: none is held back.',
    default: 300,
  },
  repeat_interval_seconds: {
    type: 'integer',
    description: 'Seconds between reminders while it is down; 0: none.',
    default: 0,
  },
  notify_on_recovery: { type: 'boolean', description: 'Tells when it is up again.', default: true },
  notify_on_degraded: {
    type: 'boolean',
    description: 'Tells of degraded as well; without it degraded counts as up.',
    default: true,
  },
  catch_up: {
    type: 'boolean',
    title: 'Catch up',
    description: 'Tells the present state once what held an alert back is over.',
    default: true,
  },
  flap_threshold: {
    type: 'integer',
    title: 'Flapping after',
    description: 'So many changes within the time below are told once, as flapping; 0: off, else 3 to 20.',
    default: 0,
  },
  flap_window_seconds: {
    type: 'integer',
    title: 'Flapping within',
    description: 'Seconds in which changes count together.',
    default: 3600,
  },
  hold_for_dependencies: {
    type: 'boolean',
    title: 'Ask dependencies first',
    description: 'Waits some seconds until it is known whether the failure follows from what the entity depends on.',
    default: true,
  },
} as const satisfies MemberSchema['properties'];

type Name = keyof typeof POLICY_SETTINGS;
type Settings = { readonly [name in Name]: number | boolean } & {
  inherited: readonly string[];
  escalation: readonly EscalationStep[];
};

/** The form of a policy. @param channels that its escalation may call */
export const policySchema = ({ escalation }: Pick<Settings, 'escalation'>, channels: readonly Callable[]) =>
  ({
    type: 'object',
    properties: { ...POLICY_SETTINGS, escalation: escalationSchema(escalation, channels) },
  }) satisfies MemberSchema;

/** Every setting, in the order of the table. */
export const SETTING_NAMES = [...(Object.keys(POLICY_SETTINGS) as Name[]), 'escalation'] as const;
type Row = (typeof SETTING_NAMES)[number];

const shownValue = (policy: Settings, name: Row): string => {
  if (name === 'escalation') return policy.escalation.length === 0 ? 'none' : count(policy.escalation.length, 'step');
  const value = policy[name];
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (name === 'flap_threshold') return value === 0 ? 'off' : `${value} changes`;
  return value === 0 ? 'none' : duration(value * 1000);
};

type TableProps = {
  policy: Settings;
  /** From whom a setting is that is not set here: `the service`. */
  from: string;
  why: string | undefined;
  /** Gives a setting back to the default. */
  giveBack: (name: string) => void;
};

/** Each setting, and whether it is set here or inherited. */
export const PolicyTable = ({ policy, from, why, giveBack }: TableProps) => (
  <div class="wrapped">
    <Table
      label="Settings of the policy"
      rows={SETTING_NAMES}
      columns={columnsOf(policy, from, why, giveBack)}
      keyOf={(name) => name}
    />
  </div>
);

const titleOf = (name: Row): string => {
  const member: MemberSchema = name === 'escalation' ? {} : POLICY_SETTINGS[name];
  return member.title ?? labelOf(name.replace(/_seconds$/, ''));
};

const columnsOf = (
  policy: Settings,
  from: string,
  why: string | undefined,
  giveBack: TableProps['giveBack'],
): readonly Column<Row>[] => [
  { head: 'Setting', grow: true, cell: titleOf },
  { head: 'Value', cell: (name) => <strong>{shownValue(policy, name)}</strong> },
  {
    head: 'From',
    cell: (name) =>
      policy.inherited.includes(name) ? (
        <span class="hint">inherited from {from}</span>
      ) : (
        <Button small quiet why={why} label={`Give ${titleOf(name)} back to ${from}`} onClick={() => giveBack(name)}>
          set here: give back
        </Button>
      ),
  },
];
