import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiFailure, call } from '#console/api/call.ts';
import { channelTitle } from '#console/api/check-names.ts';
import { useLoad } from '#console/api/load.ts';
import type { ListedChannel, Monitor } from '#console/api/records.ts';
import { schemas } from '#console/api/schemas.ts';
import { live } from '#console/app/live.ts';
import { go } from '#console/app/router.ts';
import { refusal } from '#console/app/session.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SelectField } from '#console/parts/field.tsx';
import { Form, FormFields } from '#console/parts/form/form.tsx';
import { useForm } from '#console/parts/form/use-form.ts';
import { Data } from '#console/parts/states.tsx';
import { pathTo } from '#console/rules/address.ts';
import { channelFields, monitorBody, monitorFields } from '#console/rules/monitor.ts';
import { monitorSettings, PRESETS, type PresetName, presetOf } from '#lib/checks/settings/presets.ts';
import { SettingsTest } from './test-settings.tsx';

type MonitorFormProps = {
  before?: () => Promise<void>;
  onCreated: (monitor: Monitor) => void;
  onCancel?: () => void;
  focused?: boolean;
  children?: (body: Record<string, unknown>) => ComponentChildren;
};

const PRESET_OPTIONS = Object.entries(PRESETS).map(([value, { title }]) => ({ value, label: title }));

export const MonitorDialog = ({ onClose }: { onClose: () => void }) => (
  <Dialog help="monitor" title="Monitor a URL" wide onClose={onClose}>
    <MonitorForm
      focused
      onCreated={({ check }) => {
        onClose();
        go(pathTo('/checks/:id', { id: check.id }));
      }}
      onCancel={onClose}
    />
  </Dialog>
);

/** Form for a monitor: creates entity, check, and channel in one request. */
export function MonitorForm(props: MonitorFormProps) {
  const channels = useLoad<ListedChannel[]>('/v1/notify/channels');
  return (
    <Data of={channels}>
      {(found) => <LoadedForm {...props} channels={found.filter(({ scope }) => scope === 'account')} />}
    </Data>
  );
}

function LoadedForm({
  channels,
  before,
  onCreated,
  onCancel,
  focused = false,
  children,
}: MonitorFormProps & { channels: ListedChannel[] }) {
  const [preset, choosePreset] = useState<PresetName>('website');
  const [channelType, chooseChannelType] = useState(channels.length > 0 ? '' : Object.keys(schemas.channels)[0]!);
  const ofMonitor = monitorFields(preset);
  const ofChannel = channelType === '' ? [] : channelFields(schemas.channels[channelType]!, channelTitle(channelType));
  const form = useForm({
    name: 'monitor',
    specs: [...ofMonitor, ...ofChannel],
    send: async (typed) => {
      await before?.();
      const monitor = await call<Monitor>('POST', '/v1/monitors', monitorBody(preset, channelType, typed));
      showToast([`${monitor.entity.name} is monitored.`, ...monitor.notes].join(' '));
      void live.refresh();
      onCreated(monitor);
    },
  });
  const body = monitorBody(preset, channelType, form.body());
  return (
    <>
      <Form form={form} submit="Start monitoring" why={refusal('write')} onCancel={onCancel} focused={focused}>
        <FormFields form={form} specs={ofMonitor} />
        <div class="fields">
          <SelectField
            label="Preset"
            value={preset}
            options={PRESET_OPTIONS}
            hint={presetOf(preset).about}
            onChange={(name) => choosePreset(name as PresetName)}
          />
          <NotifySelect channels={channels} value={channelType} onChange={chooseChannelType} />
        </div>
        <FormFields form={form} specs={ofChannel} />
        {presetOf(preset).target !== 'none' && (
          <SettingsTest form={form} settings={() => testBody(preset, form.body())} />
        )}
      </Form>
      {children?.(body)}
    </>
  );
}

type NotifyProps = { channels: readonly ListedChannel[]; value: string; onChange: (type: string) => void };

function NotifySelect({ channels, value, onChange }: NotifyProps) {
  const names = channels.map((channel) => ('name' in channel ? channel.name : channel.id)).join(', ');
  const none = { value: '', label: channels.length > 0 ? 'Existing channels only' : 'No channel' };
  const types = Object.keys(schemas.channels).map((type) => ({ value: type, label: `New: ${channelTitle(type)}` }));
  const hint =
    channels.length > 0
      ? `Existing account channels: ${names}.`
      : value === ''
        ? 'No alert is sent until you add a channel.'
        : 'Type of a new account channel, which receives all alerts.';
  return <SelectField label="Notify" value={value} options={[...types, none]} hint={hint} onChange={onChange} />;
}

/** Returns the body of a settings test. Throws ApiFailure for an invalid target. */
function testBody(
  preset: PresetName,
  { channel: _channel, ...typed }: Record<string, unknown>,
): Record<string, unknown> {
  const settings = monitorSettings({ ...typed, preset });
  if ('message' in settings) {
    throw new ApiFailure(settings.message, { status: 400, code: 'VALIDATION_ERROR', details: [settings] });
  }
  const { interval_seconds: _interval, retry_interval_seconds: _retry, name: _name, ...check } = settings.check;
  return check;
}
