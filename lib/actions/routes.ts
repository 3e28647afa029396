import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { assertCheckAllowed } from '#lib/access/restriction.ts';
import { Report, ReportReply, report } from '#lib/actions/run/report.ts';
import { runActionManually } from '#lib/actions/run/run.ts';
import { atMost } from '#lib/platform/http/json-size.ts';
import { ListQuery, limitParam, listOf } from '#lib/platform/http/paging.ts';
import { Reply, route } from '#lib/platform/http/route.ts';
import { VARIABLE_NAME } from '#lib/platform/template.ts';
import { ActionPatch, ActionRecord, actionRecord, NewAction } from './action.ts';
import { createAction, deleteAction, updateAction } from './change-action.ts';
import { ExecutionRecord, executionRecord } from './execution.ts';
import { actionList, executionList, LineNumber, LogLine, logLines, requireAction, requireExecution } from './store.ts';

const endpoint = route<Context>();

/** Maximum size of a report. More than 100 lines of 2 KB, because longer lines are accepted and truncated. */
const MAX_REPORT_BYTES = 1024 * 1024;
const MAX_VARS = 100;

const Vars = atMost(
  MAX_VARS,
  z
    .record(z.string(), z.string())
    .superRefine((vars, context) => {
      for (const name of Object.keys(vars).filter((one) => !VARIABLE_NAME.test(one))) {
        const message = 'is not a valid variable name; use 1 to 64 letters, digits, "_", "." or "-"';
        context.addIssue({ code: 'custom', path: [name], message });
      }
    })
    .describe('Variables by name. They override built-in ones, except before the path of the URL.'),
  `must have at most ${MAX_VARS} variables`,
);

const loadAction = (context: Context, { id }: { id: string }) => requireAction(context, id);
const loadExecution = (context: Context, { exec_id }: { exec_id: string }) => requireExecution(context, exec_id);

/** Loads an execution for a report. A key restricted to checks or entities is rejected. */
async function loadForReport(context: Context, params: { exec_id: string }) {
  const found = await loadExecution(context, params);
  assertCheckAllowed(context.caller);
  return found;
}

const settingsRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/actions',
    access: 'read',
    summary: 'List all actions',
    description: 'Oldest first. Header values are never shown.',
    status: 200,
    query: ListQuery,
    reply: z.array(ActionRecord),
    run: (context, call) => listOf(`${context.tenant} actions`, call, actionList(context)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/actions',
    access: 'configure',
    summary: 'Create an action',
    description: 'An account has at most 50 actions.',
    status: 201,
    body: NewAction,
    reply: ActionRecord,
    errors: ['NOT_FOUND', 'LIMIT_EXCEEDED'],
    run: async (context, { body }) => actionRecord(context, await createAction(context, body)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/actions/{id}',
    access: 'read',
    summary: 'Get an action',
    status: 200,
    reply: ActionRecord,
    load: loadAction,
    run: async (context, { loaded }) => actionRecord(context, loaded),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/actions/{id}',
    access: 'configure',
    summary: 'Update an action',
    description: 'Only given properties change. Headers are replaced as a map; ******** keeps a stored value.',
    status: 200,
    body: ActionPatch,
    nulls: ['remediation'],
    reply: ActionRecord,
    load: loadAction,
    run: async (context, { loaded, body }) => actionRecord(context, await updateAction(context, loaded.id, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/actions/{id}',
    access: 'configure',
    summary: 'Delete an action and its executions',
    status: 204,
    load: loadAction,
    run: (context, { loaded }) => deleteAction(context, loaded.id),
  }),
];

const executionRoutes = [
  endpoint({
    method: 'POST',
    path: '/v1/actions/{id}/run',
    access: 'respond',
    rate: 'send',
    summary: 'Run an action now and wait for the response',
    status: 200,
    body: z.object({ vars: Vars.default({}) }).meta({ id: 'Variables' }),
    reply: ExecutionRecord,
    load: loadAction,
    run: async (context, { loaded, body }) =>
      executionRecord(context, await runActionManually(context, loaded.id, body.vars)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/actions/{id}/executions',
    access: 'read',
    summary: 'List executions of an action, newest first',
    status: 200,
    query: ListQuery.extend({ limit: limitParam(50, 200) }),
    reply: z.array(ExecutionRecord),
    load: loadAction,
    run: (context, call) =>
      listOf(`${context.tenant} executions ${call.loaded.id}`, call, executionList(context, call.loaded)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/actions/executions/{exec_id}',
    access: 'read',
    summary: 'Get an execution',
    status: 200,
    reply: ExecutionRecord,
    load: loadExecution,
    run: async (context, { loaded }) => executionRecord(context, loaded.execution),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/actions/executions/{exec_id}/events',
    access: 'push',
    rate: 'push',
    summary: 'Report status and log lines of a pipeline',
    status: 200,
    body: Report,
    maxBody: MAX_REPORT_BYTES,
    reply: ReportReply,
    errors: ['LOG_LIMIT'],
    load: loadForReport,
    run: async (context, { loaded, body }) => {
      const { execution, dropped } = await report(context, { id: loaded.execution.id, action: loaded.action }, body);
      return { ...executionRecord(context, execution), logs_dropped: dropped };
    },
  }),
  endpoint({
    method: 'GET',
    path: '/v1/actions/executions/{exec_id}/logs',
    access: 'read',
    summary: 'List the log lines of an execution, in order',
    status: 200,
    query: ListQuery.extend({
      after: LineNumber.describe('Line number after which lines are returned. Default: 0.'),
      detail: z.enum(['0', '1']).default('0').describe('1: include number and time of each line. Default: 0.'),
    }),
    reply: z.union([z.array(z.string()), z.array(LogLine)]),
    load: loadExecution,
    run: async (context, call) => {
      const { value, headers } = await listOf(
        `${context.tenant} logs ${call.loaded.execution.id}`,
        call,
        logLines(context, call.loaded.execution, call.query.after),
      );
      return new Reply(call.query.detail === '1' ? value : value.map(({ line }) => line), headers);
    },
  }),
];

export const actionRoutes = [...settingsRoutes, ...executionRoutes];
