import type { ParameterModel } from '../operations/model.ts';
import type { Schema, SchemaObject } from '../schema/schema.ts';
import { ANNOTATIONS, type SchemaStore } from '../schema/schema-store.ts';

/**
 * One schema for all parameters of an operation, `{ path, query, header, cookie }`. What cannot fail is
 * left out: a path that matches has all its parameters, and each of them is text.
 *
 * @returns `undefined` where nothing is left
 */
export function toParametersSchema(
  parameters: readonly ParameterModel[],
  store: SchemaStore,
): SchemaObject | undefined {
  const held = parameters.filter((each) => !isAnyText(each, store));
  const places = [...new Set(held.map(({ parameter }) => parameter.in))];
  if (places.length === 0) return undefined;
  return {
    type: 'object',
    properties: Object.fromEntries(places.map((place) => [place, toPlace(place, held)])),
  };
}

function toPlace(place: string, parameters: readonly ParameterModel[]): SchemaObject {
  const here = parameters.filter(({ parameter }) => parameter.in === place);
  const required = here.filter(({ parameter }) => parameter.required && place !== 'path');
  return {
    type: 'object',
    ...(required.length > 0 ? { required: required.map(({ parameter }) => parameter.name) } : {}),
    properties: Object.fromEntries(here.map(({ parameter, schema }) => [parameter.name, schema])),
  };
}

/** A parameter in the path whose schema takes every text. */
function isAnyText({ parameter, schema }: ParameterModel, store: SchemaStore): boolean {
  if (parameter.in !== 'path' || parameter.shape !== 'scalar') return false;
  const target: Schema = store.resolve(schema);
  if (typeof target === 'boolean') return target;
  return Object.entries(target).every(
    ([key, value]) =>
      ANNOTATIONS.has(key) || key.startsWith('x-') || (key === 'type' && value === 'string'),
  );
}
