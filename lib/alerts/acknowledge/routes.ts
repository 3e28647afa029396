import type { Context } from '#lib/access/context.ts';
import { AcknowledgementRecord } from '#lib/checks/acknowledgement.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { AcknowledgeBody, acknowledgeAs, takeBack } from '#lib/incidents/acknowledge.ts';
import { route } from '#lib/platform/http/route.ts';

const row = route<Context>();

const loadCheck = (context: Context, { id }: { id: string }) => requireCheck(context, id);

export const acknowledgeRows = [
  row({
    method: 'POST',
    path: '/v1/checks/{id}/acknowledge',
    access: 'respond',
    summary: 'Look after a failure: no reminder is sent of it, and nobody else is called; the first one stays',
    status: 200,
    body: AcknowledgeBody,
    reply: AcknowledgementRecord,
    errors: ['CONFLICT'],
    load: loadCheck,
    run: (context, { loaded, body }) => acknowledgeAs(context, loaded, body),
  }),
  row({
    method: 'DELETE',
    path: '/v1/checks/{id}/acknowledge',
    access: 'respond',
    summary: 'Take an acknowledgement back; reminders and the escalation go on',
    status: 204,
    load: loadCheck,
    run: (context, { loaded }) => takeBack(context, loaded),
  }),
];
