import { toJsonSchema } from './to-json-schema.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Names of the settings that may stand at a place of the configuration. */
export function knownSettings(path: readonly (string | number)[]): string[] {
  let places: Schema[] = branchesOf(toJsonSchema() as Schema);
  for (const step of path) {
    places = places.flatMap((schema) => {
      const next = typeof step === 'number' ? schema.items : childOf(schema, step);
      return next === undefined ? [] : branchesOf(next);
    });
  }
  return [...new Set(places.flatMap(({ properties }) => Object.keys(properties ?? {})))];
}

function childOf({ properties, additionalProperties }: Schema, name: string): Schema | undefined {
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

function branchesOf(schema: Schema): Schema[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return [schema, ...inner.flatMap(branchesOf)];
}
