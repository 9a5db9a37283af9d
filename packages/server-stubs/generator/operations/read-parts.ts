import { entriesOf, isObject, join, type Located, toText } from '../document.ts';
import { readDiscriminator } from '../schema/lower-discriminator.ts';
import {
  isSchema,
  membersOf,
  propertiesOf,
  type Schema,
  type SchemaObject,
} from '../schema/schema.ts';
import { hiddenProperties, type SchemaStore } from '../schema/schema-store.ts';
import { isScalar, sameValue, toScalars, valueTypes } from '../schema/value-types.ts';
import { isJson } from './content-kind.ts';
import type { PartModel, PartsModel } from './model.ts';
import type { Reader } from './reader.ts';

const BYTES = 'application/octet-stream';

/** Reads the parts of a multipart form; `undefined` if the schema names none. */
export function readParts(media: Located, schema: Schema, reader: Reader): PartsModel | undefined {
  const { store } = reader;
  const pointer = join(media.pointer, 'schema');
  const encodings = new Map(entriesOf(media.value.encoding));
  const target = store.resolve(schema);
  if (typeof target === 'boolean') return undefined;
  const hidden = hiddenProperties(target, 'request', store);
  const known = [...toProperties(target, store)]
    .filter(([name]) => !hidden.has(name))
    .map(([name, property]) => {
      const encoding = encodings.get(name);
      if (isObject(encoding) && 'headers' in encoding) {
        reader.note(
          join(media.pointer, 'encoding', name, 'headers'),
          'Headers of parts are not checked.',
        );
      }
      return toPart(name, property, encoding, join(pointer, 'properties', name), store);
    });
  const others = toOthers(target, join(pointer, 'additionalProperties'), store);
  if (known.length === 0 && others === 'skip') return undefined;
  const files = known.filter(({ part }) => part.kind === 'file' || part.kind === 'any');
  const names = new Set(files.map(({ name }) => name));
  return { known, others, schema: withoutFiles(target, names, store) };
}

/** Returns the properties of a form. One that several schemas define may match any of them. */
function toProperties(schema: Schema, store: SchemaStore): Map<string, Schema> {
  const found = new Map<string, Schema[]>();
  for (const [name, property] of sameValue(schema, store).flatMap(propertiesOf)) {
    found.set(name, [...(found.get(name) ?? []), property]);
  }
  return new Map(
    [...found].map(([name, [first = true, ...rest]]) => [
      name,
      rest.length === 0 ? first : { anyOf: [first, ...rest] },
    ]),
  );
}

function toPart(
  name: string,
  property: Schema,
  encoding: unknown,
  pointer: string,
  store: SchemaStore,
): PartModel {
  const items = sameValue(property, store).flatMap((each) =>
    isSchema(each.items) ? [each.items] : [],
  );
  const isList = valueTypes(property, store).has('array');
  const schema = isList ? (items[0] ?? true) : property;
  const mediaTypes = toMediaTypes(isObject(encoding) ? encoding.contentType : undefined);
  const kind = toKind(schema, mediaTypes, store);
  const types = toScalars(valueTypes(schema, store));
  const isText = types.length === 1 && types[0] === 'string';
  return {
    name,
    part: {
      kind,
      // What may be anything may be a list.
      ...(isList || kind === 'any' ? { list: true } : {}),
      ...(kind === 'file' || kind === 'any' || isText || types.length === 0 ? {} : { types }),
      // Any file is a sequence of bytes.
      ...(mediaTypes.length === 0 || mediaTypes.includes(BYTES) ? {} : { mediaTypes }),
    },
    schema,
    pointer: isList ? join(pointer, 'items') : pointer,
  };
}

/** Reads the `contentType` of an encoding, which may be a list. */
function toMediaTypes(contentType: unknown): string[] {
  const types = toText(contentType)?.split(',') ?? [];
  return types.map((each) => each.split(';')[0]?.trim().toLowerCase() ?? '').filter(Boolean);
}

/** OpenAPI 3.1.1, section 4.8.15.1.1: the media type of a part depends on its schema. */
function toKind(
  schema: Schema,
  mediaTypes: readonly string[],
  store: SchemaStore,
): PartModel['part']['kind'] {
  const types = valueTypes(schema, store);
  if (!isScalar(types) || mediaTypes.some(isJson)) return 'json';
  const isBinary = sameValue(schema, store).some(
    ({ format, contentMediaType, contentEncoding }) =>
      format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined),
  );
  if (isBinary) return 'file';
  const isOther = (type: string) => !type.startsWith('text/') && !/[/+]xml$/.test(type);
  const isFile = mediaTypes.length > 0 && mediaTypes.every(isOther);
  if (types.size === 0) return isFile ? 'file' : 'any';
  return isFile && [...types].every((type) => type === 'string') ? 'file' : 'text';
}

function toOthers(schema: SchemaObject, pointer: string, store: SchemaStore): PartsModel['others'] {
  const { additionalProperties, unevaluatedProperties } = schema;
  if (additionalProperties === false || unevaluatedProperties === false) return 'reject';
  if (!isObject(additionalProperties)) return 'skip';
  return toPart('', additionalProperties, undefined, pointer, store);
}

/**
 * Returns the schema of a form in which files are the string `''`: their own schemas are left out, except for
 * the length of a list.
 */
function withoutFiles(
  schema: Schema,
  files: ReadonlySet<string>,
  store: SchemaStore,
  seen: ReadonlySet<string> = new Set(),
): Schema {
  if (typeof schema === 'boolean' || readDiscriminator(schema) !== undefined) return schema;
  const { $ref, properties, ...rest } = schema;
  const own: SchemaObject = { ...rest };
  if (properties !== undefined) {
    own.properties = Object.fromEntries(
      propertiesOf(schema).map(([name, property]) => [
        name,
        files.has(name) ? toCount(property, store) : property,
      ]),
    );
  }
  const into = (each: Schema, path = seen) => withoutFiles(each, files, store, path);
  for (const keyword of ['allOf', 'anyOf', 'oneOf'] as const) {
    if (keyword in schema) own[keyword] = membersOf(schema, keyword).map((each) => into(each));
  }
  if ($ref === undefined || seen.has($ref)) return own;
  return { allOf: [into(store.get($ref), new Set([...seen, $ref])), own] };
}

function toCount(property: Schema, store: SchemaStore): Schema {
  const lists = sameValue(property, store).map(({ minItems, maxItems }) => ({
    ...(minItems === undefined ? {} : { minItems }),
    ...(maxItems === undefined ? {} : { maxItems }),
  }));
  return Object.assign({}, ...lists);
}
