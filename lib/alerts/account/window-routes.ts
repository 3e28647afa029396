import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import {
  addWindow,
  allWindows,
  changeWindow,
  deleteWindow,
  requireWindow,
  windowView,
} from '#lib/alerting/configure/windows.ts';
import { route } from '#lib/platform/http/route.ts';
import { noticeOf } from './matching.ts';
import { ChangedWindow, NewWindow, WindowPatch, WindowRecord } from './window-schemas.ts';

const row = route<Context>();

const load = (context: Context, { id }: { id: string }) => requireWindow(context, id);

export const windowRows = [
  row({
    method: 'GET',
    path: '/v1/windows',
    access: 'read',
    summary: 'The maintenance windows of the account, and when each is open next',
    status: 200,
    reply: z.array(WindowRecord),
    run: async (context) => {
      const now = context.ports.clock.now();
      return (await allWindows(context)).map((window) => windowView(window, now));
    },
  }),
  row({
    method: 'POST',
    path: '/v1/windows',
    access: 'respond',
    summary: 'Make a maintenance window: what its checks would tell in it is held until it is over',
    status: 201,
    body: NewWindow,
    nulls: ['until'],
    reply: ChangedWindow,
    errors: ['LIMIT_EXCEEDED'],
    run: async (context, { body }) => {
      const window = await addWindow(context, body);
      return { ...windowView(window, context.ports.clock.now()), notice: await noticeOf(context, window.scope) };
    },
  }),
  row({
    method: 'GET',
    path: '/v1/windows/{id}',
    access: 'read',
    summary: 'A maintenance window',
    status: 200,
    reply: WindowRecord,
    load,
    run: async ({ ports }, { loaded }) => windowView(loaded, ports.clock.now()),
  }),
  row({
    method: 'PUT',
    path: '/v1/windows/{id}',
    access: 'respond',
    summary: 'Change what is supplied of a maintenance window; it counts at once',
    status: 200,
    body: WindowPatch,
    nulls: ['until'],
    reply: ChangedWindow,
    load,
    run: async (context, { loaded, body }) => {
      const window = await changeWindow(context, loaded.id, body);
      return { ...windowView(window, context.ports.clock.now()), notice: await noticeOf(context, window.scope) };
    },
  }),
  row({
    method: 'DELETE',
    path: '/v1/windows/{id}',
    access: 'respond',
    summary: 'Delete a maintenance window; one that is open ends',
    status: 204,
    load,
    run: (context, { loaded }) => deleteWindow(context, loaded.id),
  }),
];
