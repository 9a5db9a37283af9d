import { decode, entriesOf, isObject, join, type Pointer, toNames } from '../old/document.ts';
import { membersOf, propertiesOf, type Schema, type SchemaObject } from './schema.ts';
import { alwaysSame, type SchemaStore } from './schema-store.ts';

/** Without choices next to it, as in the parent of an `allOf` family, it does not affect validation. */
export function readDiscriminator(schema: SchemaObject) {
  const discriminator = schema.discriminator;
  const keyword = 'oneOf' in schema ? ('oneOf' as const) : ('anyOf' as const);
  const choices = membersOf(schema, keyword);
  const property = isObject(discriminator) ? discriminator.propertyName : undefined;
  if (!isObject(discriminator) || typeof property !== 'string' || choices.length === 0) {
    return undefined;
  }
  const mapped = entriesOf(discriminator.mapping).flatMap(([value, name]) =>
    typeof name === 'string' ? [{ value, target: toPointer(name) }] : [],
  );
  const implied = choices.flatMap((choice) => {
    const target = isObject(choice) ? choice.$ref : undefined;
    if (target === undefined || mapped.some((tag) => tag.target === target)) return [];
    return [{ value: toNames(target).at(-1) ?? '', target }];
  });
  return { property, keyword, mapped, implied };
}

/**
 * The tag selects a schema, which must be valid in addition to the `oneOf`. The tags come first, so that an
 * error names the wrong field of the selected schema, and the list of allowed tags even earlier, so that an
 * error names all of them.
 */
export function lowerDiscriminator(schema: SchemaObject, store: SchemaStore): SchemaObject {
  const discriminator = readDiscriminator(schema);
  if (discriminator === undefined) return schema;
  const { property, keyword, mapped, implied } = discriminator;
  const { [keyword]: choices, allOf, ...rest } = schema;
  const tags = [...mapped, ...implied].map(
    ({ value, target }): Schema => ({
      if: { type: 'object', required: [property], properties: { [property]: { const: value } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { $ref: target },
    }),
  );
  const known = membersOf(schema, keyword).map((choice) => allowedOf(choice, property, store));
  const enumeration = known.every((values) => values !== undefined)
    ? [{ properties: { [property]: { enum: [...new Set(known.flat())] } } }]
    : [];
  const values = [...mapped, ...implied].map(({ value }) => value);
  const targets = new Set([...mapped, ...implied].map(({ target }) => target));
  const isTagged = membersOf(schema, keyword).every(
    (choice) =>
      isObject(choice) && (choice.type === 'null' || targets.has((choice.$ref as string) ?? '')),
  );
  const selection = { [keyword]: choices };
  return {
    ...rest,
    allOf: [
      ...(Array.isArray(allOf) ? allOf : []),
      ...enumeration,
      ...tags,
      isTagged ? withTagFirst(selection, property, values) : selection,
    ],
  };
}

/** Reports a missing or unknown tag instead of what is wrong with the first choice. */
function withTagFirst(
  selection: SchemaObject,
  property: string,
  values: readonly string[],
): SchemaObject {
  const tag = { required: [property], properties: { [property]: { enum: [...new Set(values)] } } };
  return { if: selection, else: { allOf: [tag, selection] } };
}

function allowedOf(
  choice: Schema,
  property: string,
  store: SchemaStore,
): readonly unknown[] | undefined {
  for (const [name, schema] of alwaysSame(choice, store).flatMap(propertiesOf)) {
    const target = name === property ? store.resolve(schema) : true;
    if (typeof target === 'boolean') continue;
    if ('const' in target) return [target.const];
    if (Array.isArray(target.enum)) return target.enum;
  }
  return undefined;
}

/** A mapping contains either a `$ref` or the name of a component. */
function toPointer(name: string): Pointer {
  return (name.startsWith('#') && decode(name)) || join('#/components/schemas', name);
}
