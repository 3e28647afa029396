import { useState } from 'preact/hooks';
import { call } from '#console/api/call.ts';
import type { Channel } from '#console/api/records.ts';
import { refusal } from '#console/app/session.ts';
import { showError, showToast } from '#console/app/toasts.tsx';
import { Button } from '#console/parts/button.tsx';

type Address = NonNullable<Channel['addresses']>[number];

const WORDS: Readonly<Record<Address['status'], string>> = {
  confirmed: 'confirmed',
  pending: 'not confirmed',
  unsubscribed: 'unsubscribed',
};

type MailAddressesProps = { addresses: Channel['addresses']; onChange: () => void };

/** Lists the e-mail addresses of a channel, with a button that requests a missing confirmation again. */
export const MailAddresses = ({ addresses, onChange }: MailAddressesProps) =>
  addresses && (
    <ul class="mail-addresses">
      {addresses.map((one) => (
        <MailAddress key={one.address} {...one} onChange={onChange} />
      ))}
    </ul>
  );

function MailAddress({ address, status, error, onChange }: Address & Pick<MailAddressesProps, 'onChange'>) {
  const [busy, setBusy] = useState(false);
  async function ask() {
    setBusy(true);
    try {
      await call('POST', '/v1/notify/addresses/ask', { address });
      showToast(`${address} gets a mail with a link to confirm.`);
      onChange();
    } catch (failure) {
      showError(failure);
    }
    setBusy(false);
  }
  return (
    <li>
      <span dir="auto">{address}</span>
      <span class="tag">{WORDS[status]}</span>
      {status !== 'confirmed' && (
        <Button
          small
          quiet
          why={refusal('respond')}
          busy={busy}
          label={`Send confirmation to ${address} again`}
          onClick={() => void ask()}
        >
          Send again
        </Button>
      )}
      {error !== '' && <span class="hint">{error}</span>}
    </li>
  );
}
