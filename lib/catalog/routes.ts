import * as z from 'zod';
import type { Context } from '#lib/access/context.ts';
import { relationRoutes } from '#lib/catalog/relations/relation-routes.ts';
import { ListQuery, listOf } from '#lib/platform/http/paging.ts';
import { route } from '#lib/platform/http/route.ts';
import { pick } from '#lib/platform/plain-data.ts';
import { Blueprint, BlueprintPatch, blueprintRecord, NewBlueprint } from './blueprint.ts';
import {
  addField,
  changeField,
  createBlueprint,
  deleteBlueprint,
  deleteField,
  updateBlueprint,
} from './change-blueprint.ts';
import { createEntity, deleteEntity, updateEntity } from './change-entity.ts';
import { Entity, EntityPatch, entityRecord, NewEntity } from './entity.ts';
import { EntityFilter } from './entity-filter.ts';
import { FieldInput } from './field.ts';
import { blueprintList, entityList, requireBlueprint, requireEntity, requireEntityWithBlueprint } from './store.ts';

const endpoint = route<Context>();

const blueprintRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/blueprints',
    access: 'read',
    summary: 'List blueprints',
    status: 200,
    query: ListQuery,
    reply: z.array(Blueprint),
    run: (context, call) => listOf(`${context.tenant} blueprints`, call, blueprintList(context)),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/blueprints',
    access: 'write',
    summary: 'Create a blueprint',
    description: 'The first blueprint is the default.',
    status: 201,
    body: NewBlueprint,
    reply: Blueprint,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    run: (context, { body }) => createBlueprint(context, body),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/blueprints/{slug}',
    access: 'read',
    summary: 'Get a blueprint',
    status: 200,
    reply: Blueprint,
    load: (context, { slug }) => requireBlueprint(context, slug),
    run: async (_context, { loaded }) => blueprintRecord(loaded.blueprint, loaded.catalog),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/blueprints/{slug}',
    access: 'write',
    summary: 'Update a blueprint',
    status: 200,
    body: BlueprintPatch,
    reply: Blueprint,
    load: (context, { slug }) => requireBlueprint(context, slug),
    run: (context, { params, body }) => updateBlueprint(context, params.slug, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/blueprints/{slug}',
    access: 'write',
    summary: 'Delete a blueprint that has no entities',
    status: 204,
    errors: ['CONFLICT'],
    run: (context, { params }) => deleteBlueprint(context, params.slug),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/blueprints/{slug}/fields',
    access: 'write',
    summary: 'Add a field to a blueprint',
    description: 'Returns the blueprint.',
    status: 201,
    body: FieldInput,
    reply: Blueprint,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    load: (context, { slug }) => requireBlueprint(context, slug),
    run: (context, { params, body }) => addField(context, params.slug, body),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/blueprints/{slug}/fields/{name}',
    names: ['name'],
    access: 'write',
    summary: 'Replace the definition of a field',
    description: 'The name cannot change. Returns the blueprint.',
    status: 200,
    body: FieldInput,
    reply: Blueprint,
    errors: ['LIMIT_EXCEEDED'],
    load: (context, { slug }) => requireBlueprint(context, slug),
    run: (context, { params, body }) => changeField(context, params.slug, params.name, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/blueprints/{slug}/fields/{name}',
    names: ['name'],
    access: 'write',
    summary: 'Remove a field from a blueprint',
    description: 'Its values in entities are hidden.',
    status: 204,
    run: (context, { params }) => deleteField(context, params.slug, params.name),
  }),
];

const entityRoutes = [
  endpoint({
    method: 'GET',
    path: '/v1/blueprints/{blueprint_slug}/entities',
    access: 'read',
    summary: 'List the entities of a blueprint',
    status: 200,
    query: EntityFilter.extend(ListQuery.shape),
    reply: z.array(Entity),
    load: (context, { blueprint_slug }) => requireBlueprint(context, blueprint_slug),
    run: (context, call) =>
      listOf(
        `${context.tenant} entities ${call.params.blueprint_slug}`,
        call,
        entityList(context, call.loaded.blueprint, pick(EntityFilter, call.query)),
      ),
  }),
  endpoint({
    method: 'POST',
    path: '/v1/blueprints/{blueprint_slug}/entities',
    access: 'write',
    summary: 'Create an entity',
    status: 201,
    body: NewEntity,
    reply: Entity,
    errors: ['CONFLICT', 'LIMIT_EXCEEDED'],
    load: (context, { blueprint_slug }) => requireBlueprint(context, blueprint_slug),
    run: (context, { params, body }) => createEntity(context, params.blueprint_slug, body),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/blueprints/{blueprint_slug}/entities/{slug}',
    access: 'read',
    summary: 'Get an entity by blueprint and slug',
    status: 200,
    reply: Entity,
    load: (context, { blueprint_slug, slug }) => requireEntity(context, blueprint_slug, slug),
    run: async ({ ports }, { loaded }) => entityRecord(loaded.entity, loaded.blueprint, ports.clock.now()),
  }),
  endpoint({
    method: 'PUT',
    path: '/v1/blueprints/{blueprint_slug}/entities/{slug}',
    access: 'write',
    summary: 'Update an entity',
    description: 'Only given properties change; fields and labels are merged, null removes a key.',
    status: 200,
    body: EntityPatch,
    nulls: ['silenced_until'],
    reply: Entity,
    load: (context, { blueprint_slug, slug }) => requireEntity(context, blueprint_slug, slug),
    run: (context, { params, body }) => updateEntity(context, params.blueprint_slug, params.slug, body),
  }),
  endpoint({
    method: 'DELETE',
    path: '/v1/blueprints/{blueprint_slug}/entities/{slug}',
    access: 'write',
    summary: 'Delete an entity with its checks and relations',
    status: 204,
    run: (context, { params }) => deleteEntity(context, params.blueprint_slug, params.slug),
  }),
  endpoint({
    method: 'GET',
    path: '/v1/entities/{id}',
    access: 'read',
    summary: 'Get an entity by id',
    status: 200,
    reply: Entity,
    load: (context, { id }) => requireEntityWithBlueprint(context, id),
    run: async ({ ports }, { loaded }) => entityRecord(loaded.entity, loaded.blueprint, ports.clock.now()),
  }),
];

export const catalogRoutes = [...blueprintRoutes, ...entityRoutes, ...relationRoutes];
