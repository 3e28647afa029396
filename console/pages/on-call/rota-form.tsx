import { call } from '#console/api/call.ts';
import { useLoad } from '#console/api/load.ts';
import type { ListedChannel, Rota } from '#console/api/records.ts';
import { zone } from '#console/app/appearance.ts';
import { showToast } from '#console/app/toasts.tsx';
import { Dialog } from '#console/parts/dialog.tsx';
import { SchemaForm } from '#console/parts/form/form.tsx';
import { Data, Empty } from '#console/parts/states.tsx';
import { rotaSchema } from '#console/rules/rotas.ts';
import { typedTime, zoneName } from '#console/rules/time.ts';

type RotaFormProps = { rota?: Rota; onSaved: () => void; onClose: () => void };

export function RotaForm({ rota, onSaved, onClose }: RotaFormProps) {
  const channels = useLoad<ListedChannel[]>('/v1/notify/channels', { all: true });
  const today = typedTime(new Date().toISOString(), zone.value).slice(0, 10);
  return (
    <Dialog help="rotas" title={rota ? `Edit ${rota.name}` : 'New rota'} wide onClose={onClose}>
      <Data of={channels} what="Loading the channels">
        {(found) => {
          const accountChannels = found.filter((one) => one.scope === 'account');
          if (accountChannels.length === 0 && !rota)
            return (
              <Empty title="No account channels">
                <p>
                  A rota notifies people through account channels.{' '}
                  <a href="#/alerts/channels?new=channel">Add an account channel</a> first.
                </p>
              </Empty>
            );
          return (
            <SchemaForm
              name={rota ? `rota ${rota.id}` : 'new rota'}
              schema={rotaSchema(accountChannels, zoneName(zone.value), today, rota)}
              record={rota}
              submit={rota ? 'Save rota' : 'Create rota'}
              send={async (body) => {
                await (rota ? call('PUT', `/v1/rotas/${rota.id}`, body) : call('POST', '/v1/rotas', body));
                showToast(rota ? 'The rota is changed.' : 'The rota is created.');
                onClose();
                onSaved();
              }}
              onCancel={onClose}
            />
          );
        }}
      </Data>
    </Dialog>
  );
}
