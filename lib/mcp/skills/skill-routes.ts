import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { ListQuery, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { createSkill, deleteSkill, updateSkill } from './change-skill.ts';
import { NewSkill, Skill, SkillPatch, skillRecord } from './skill.ts';
import { requireSkill, skillList } from './skill-store.ts';

const endpoint = route<Context>();

export const skillRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/skills',
    access: 'read',
    summary: 'List skills',
    status: 200,
    query: ListQuery,
    reply: z.array(Skill),
    run: (context, call) => listOf(`${context.tenant} skills`, call, skillList(context)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/skills',
    access: 'write',
    summary: 'Register a skill',
    description: 'MCP clients then find its tools.',
    status: 201,
    body: NewSkill,
    reply: Skill,
    errors: ['NOT_FOUND', 'CONFLICT', 'LIMIT_EXCEEDED'],
    run: async (context, { body }) => skillRecord(await createSkill(context, body)),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/skills/{slug}',
    access: 'read',
    summary: 'Get a skill',
    status: 200,
    reply: Skill,
    load: (context, { slug }) => requireSkill(context, slug),
    run: async (_context, { loaded }) => skillRecord(loaded),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/skills/{slug}',
    access: 'write',
    summary: 'Update a skill',
    description: 'Only given properties change; tools are replaced as a list.',
    status: 200,
    body: SkillPatch,
    reply: Skill,
    load: (context, { slug }) => requireSkill(context, slug),
    run: async (context, { params, body }) => skillRecord(await updateSkill(context, params.slug, body)),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/skills/{slug}',
    access: 'write',
    summary: 'Delete a skill',
    status: 204,
    load: (context, { slug }) => requireSkill(context, slug),
    run: (context, { params }) => deleteSkill(context, params.slug),
  }),
];
