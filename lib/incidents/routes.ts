import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { AcknowledgementRecord } from '#lib/checks/acknowledgement.ts';
import { requireCheck } from '#lib/checks/settings/store.ts';
import { ListQuery, limitParam, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { assertTimeRange } from '#lib/platform/instant.ts';
import { AcknowledgeBody, acknowledgeAs, unacknowledge } from './acknowledge.ts';
import {
  acknowledgeIncident,
  addNote,
  changeIncident,
  IncidentPatch,
  makeIncident,
  NewIncident,
  NewNote,
  resolveIncident,
} from './change-incident.ts';
import { IncidentDetail, type IncidentItem, IncidentRecord, incidentRecord } from './incident.ts';
import { IncidentFilter, incidentDetail, incidentList, requireIncident } from './list-incidents.ts';
import { entryView, TimelineEntry, timelineOf } from './timeline.ts';

const row = route<Context>();

const load = (context: Context, { id }: { id: string }) => requireIncident(context, id);

const view = ({ ports }: Context, incident: IncidentItem) => incidentRecord(incident, ports.clock.now());

export const incidentRoutes = [
  row({
    method: 'GET',
    path: '/v1/incidents',
    access: 'read',
    summary: 'Incidents, newest first',
    status: 200,
    query: IncidentFilter.extend({ ...ListQuery.shape, limit: limitParam(50, 500) }),
    reply: z.array(IncidentRecord),
    run: (context, call) => {
      const { limit: _limit, cursor: _cursor, ...wanted } = call.query;
      assertTimeRange(wanted);
      const scope = `${context.tenant} incidents ${JSON.stringify(wanted)}`;
      return listOf(scope, call, incidentList(context, wanted));
    },
  }),
  row({
    method: 'POST',
    path: '/v1/incidents',
    access: 'respond',
    summary: 'Make an incident that no check has found',
    status: 201,
    body: NewIncident,
    reply: IncidentRecord,
    run: async (context, { body }) => view(context, await makeIncident(context, body)),
  }),
  row({
    method: 'GET',
    path: '/v1/incidents/{id}',
    access: 'read',
    summary: 'An incident: what is part of it, and who was told',
    status: 200,
    reply: IncidentDetail,
    load,
    run: (context, { loaded }) => incidentDetail(context, loaded),
  }),
  row({
    method: 'PUT',
    path: '/v1/incidents/{id}',
    access: 'respond',
    summary: 'Change what is supplied of an incident',
    status: 200,
    body: IncidentPatch,
    reply: IncidentRecord,
    load,
    run: async (context, { loaded, body }) => view(context, await changeIncident(context, loaded.id, body)),
  }),
  row({
    method: 'POST',
    path: '/v1/incidents/{id}/acknowledge',
    access: 'respond',
    summary: 'Look after an incident: no reminder is sent of what is told of it; the first one stays',
    status: 200,
    body: AcknowledgeBody,
    reply: IncidentRecord,
    errors: ['CONFLICT'],
    load,
    run: async (context, { loaded, body }) => view(context, await acknowledgeIncident(context, loaded.id, body)),
  }),
  row({
    method: 'POST',
    path: '/v1/incidents/{id}/resolve',
    access: 'respond',
    summary: 'End an incident; an automatic one only once nothing of it is down',
    status: 200,
    reply: IncidentRecord,
    errors: ['CONFLICT'],
    load,
    run: async (context, { loaded }) => view(context, await resolveIncident(context, loaded.id)),
  }),
  row({
    method: 'POST',
    path: '/v1/incidents/{id}/notes',
    access: 'respond',
    summary: 'Write something down in the timeline of an incident',
    status: 201,
    body: NewNote,
    reply: TimelineEntry,
    load,
    run: async (context, { loaded, body }) => entryView(context, await addNote(context, loaded, body)),
  }),
  row({
    method: 'GET',
    path: '/v1/incidents/{id}/timeline',
    access: 'read',
    summary: 'What happened in an incident, newest first',
    status: 200,
    query: z.object({ ...ListQuery.shape, limit: limitParam(100, 1000) }),
    reply: z.array(TimelineEntry),
    load,
    run: (context, call) =>
      listOf(`${context.tenant} timeline ${call.loaded.id}`, call, timelineOf(context, call.loaded)),
  }),
];

const loadCheck = (context: Context, { id }: { id: string }) => requireCheck(context, id);

export const acknowledgeRoutes = [
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
    run: (context, { loaded }) => unacknowledge(context, loaded),
  }),
];
