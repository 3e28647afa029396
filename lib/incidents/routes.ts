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
  createIncident,
  IncidentPatch,
  NewIncident,
  NewNote,
  resolveIncident,
} from './change-incident.ts';
import { IncidentDetail, type IncidentItem, IncidentRecord, incidentRecord } from './incident.ts';
import { IncidentFilter, incidentDetail, incidentList, requireIncident } from './list-incidents.ts';
import {
  deleteUpdate,
  editUpdate,
  NewPublicUpdate,
  PublicUpdate,
  PublicUpdatePatch,
  publishUpdate,
  requireUpdate,
  updateList,
  updateView,
} from './public-updates.ts';
import { entryView, TimelineEntry, timelineOf } from './timeline.ts';

const endpoint = route<Context>();

const load = (context: Context, { id }: { id: string }) => requireIncident(context, id);

const loadUpdate = (context: Context, params: { id: string; update_id: string }) => requireUpdate(context, params);

const view = ({ ports }: Context, incident: IncidentItem) => incidentRecord(incident, ports.clock.now());

export const incidentRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/incidents',
    access: 'read',
    summary: 'List incidents, newest first',
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
  endpoint({
    method: 'POST',
    path: '/v1/incidents',
    access: 'respond',
    summary: 'Create a manual incident',
    description: 'Records a problem that no check detects. It stays open until a user resolves it.',
    status: 201,
    body: NewIncident,
    nulls: ['public_title'],
    reply: IncidentRecord,
    errors: ['LIMIT_EXCEEDED'],
    run: async (context, { body }) => view(context, await createIncident(context, body)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/incidents/{id}',
    access: 'read',
    summary: 'Get an incident',
    description: 'Includes its entities and the notified channels.',
    status: 200,
    reply: IncidentDetail,
    load,
    run: (context, { loaded }) => incidentDetail(context, loaded),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/incidents/{id}',
    access: 'respond',
    summary: 'Update an incident',
    description: 'Omitted properties keep their value.',
    status: 200,
    body: IncidentPatch,
    nulls: ['public_title'],
    reply: IncidentRecord,
    load,
    run: async (context, { loaded, body }) => view(context, await changeIncident(context, loaded.id, body)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/incidents/{id}/acknowledge',
    access: 'respond',
    summary: 'Acknowledge an incident',
    description:
      'Acknowledges its checks that are down: stops reminders and escalation, and notifies the recipients. An existing acknowledgement stays.',
    status: 200,
    body: AcknowledgeBody,
    reply: IncidentRecord,
    errors: ['CONFLICT'],
    load,
    run: async (context, { loaded, body }) => view(context, await acknowledgeIncident(context, loaded.id, body)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/incidents/{id}/resolve',
    access: 'respond',
    summary: 'Resolve an incident',
    description: 'An automatic incident cannot be resolved while one of its checks is down.',
    status: 200,
    reply: IncidentRecord,
    errors: ['CONFLICT'],
    load,
    run: async (context, { loaded }) => view(context, await resolveIncident(context, loaded.id)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/incidents/{id}/notes',
    access: 'respond',
    summary: 'Add a note to the incident timeline',
    status: 201,
    body: NewNote,
    reply: TimelineEntry,
    errors: ['LIMIT_EXCEEDED'],
    load,
    run: async (context, { loaded, body }) => entryView(context, await addNote(context, loaded, body)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/incidents/{id}/timeline',
    access: 'read',
    summary: 'List the timeline of an incident, newest first',
    status: 200,
    query: z.object({ ...ListQuery.shape, limit: limitParam(100, 1000) }),
    reply: z.array(TimelineEntry),
    load,
    run: (context, call) =>
      listOf(`${context.tenant} timeline ${call.loaded.id}`, call, timelineOf(context, call.loaded)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/incidents/{id}/updates',
    access: 'read',
    summary: 'List the public updates of an incident, newest first',
    status: 200,
    query: z.object({ ...ListQuery.shape, limit: limitParam(20, 100) }),
    reply: z.array(PublicUpdate),
    load,
    run: (context, call) =>
      listOf(`${context.tenant} updates ${call.loaded.id}`, call, updateList(context, call.loaded)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/incidents/{id}/updates',
    access: 'respond',
    summary: 'Publish an update of an incident',
    description:
      'It appears on status pages and in feeds. `resolved` also resolves the incident; another status reopens a resolved manual incident.',
    status: 201,
    body: NewPublicUpdate,
    reply: PublicUpdate,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    load,
    run: async (context, { loaded, body }) => updateView(await publishUpdate(context, loaded, body)),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/incidents/{id}/updates/{update_id}',
    access: 'respond',
    summary: 'Edit the text of a public update',
    description: 'Pages then mark it as edited. Subscribers are not notified.',
    status: 200,
    body: PublicUpdatePatch,
    reply: PublicUpdate,
    load: loadUpdate,
    run: async (context, { loaded, body }) => updateView(await editUpdate(context, loaded, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/incidents/{id}/updates/{update_id}',
    access: 'respond',
    summary: 'Delete a public update from status pages and feeds',
    description: 'The timeline keeps its author and status.',
    status: 204,
    load: loadUpdate,
    run: (context, { loaded }) => deleteUpdate(context, loaded),
  }),
];

const loadCheck = (context: Context, { id }: { id: string }) => requireCheck(context, id);

export const acknowledgeRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/checks/{id}/acknowledge',
    access: 'respond',
    summary: 'Acknowledge a failure',
    description:
      'Stops reminders and escalation, and notifies the recipients of the failure. An existing acknowledgement stays.',
    status: 200,
    body: AcknowledgeBody,
    reply: AcknowledgementRecord,
    errors: ['CONFLICT'],
    load: loadCheck,
    run: (context, { loaded, body }) => acknowledgeAs(context, loaded, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/checks/{id}/acknowledge',
    access: 'respond',
    summary: 'Remove an acknowledgement',
    description: 'Reminders and escalation resume.',
    status: 204,
    load: loadCheck,
    run: (context, { loaded }) => unacknowledge(context, loaded),
  }),
];
