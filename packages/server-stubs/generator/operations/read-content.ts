import type { ContentKind, Parameter } from '../../src/runtime/route-table.ts';
import {
  entriesOf,
  Invalid,
  isObject,
  join,
  type Located,
  type Pointer,
  toText,
} from '../old/document.ts';
import { membersOf, propertiesOf, requiredOf, type Schema } from '../schema/schema.ts';
import { type SchemaStore, sameValue, valueTypes } from '../schema/schema-store.ts';
import type { BodyModel, ContentModel, HeaderModel, ResponseModel } from './model.ts';
import { isJson, readAdditional, readShape } from './read-parameter.ts';

const UNWRAP = 'x-berth-unwrap';
const MORE_CONTENT = 'x-berth-content';

export function readBody(
  value: unknown,
  pointer: Pointer,
  store: SchemaStore,
): BodyModel | undefined {
  if (value === undefined) return undefined;
  const body = store.follow(value, pointer);
  const contents = readContent(body.value.content, join(body.pointer, 'content'), store);
  if (contents.length === 0) {
    throw new Invalid(body.pointer, 'A request body needs content with a media type.');
  }
  const wrappers = new Set(
    contents.map(({ schema }) => (isObject(schema) ? toText(schema[UNWRAP]) : undefined)),
  );
  const [unwrap] = wrappers;
  if (wrappers.size > 1) {
    throw new Invalid(body.pointer, `All media types of a body must have the same ${UNWRAP}.`);
  }
  const required = body.value.required === true;
  if (unwrap === undefined) return { required, contents };
  const flat = contents.map((each) => toFlat(each, unwrap, store));
  const fields = flat.flatMap(({ schema = true }) => {
    const target = store.resolve(schema);
    return typeof target === 'boolean' ? [] : propertiesOf(target).map(([name]) => name);
  });
  return { required, contents: flat, unwrap, unwrapFields: [...new Set(fields)] };
}

/** Fields may be flat or nested in a property. Validators and handlers only see the flat form. */
function toFlat(content: ContentModel, wrapper: string, store: SchemaStore): ContentModel {
  const isWrapped = (each: Schema) => {
    const target = store.resolve(each);
    if (typeof target === 'boolean' || !requiredOf(target).includes(wrapper)) return false;
    return propertiesOf(target).every(([name]) => name === wrapper);
  };
  const choices = isObject(content.schema) ? membersOf(content.schema, 'oneOf') : [];
  const flat = choices.findIndex((each) => !isWrapped(each));
  const schema = choices[flat];
  if (choices.length !== 2 || schema === undefined || !choices.some(isWrapped)) {
    throw new Invalid(
      content.pointer,
      `${UNWRAP} must be next to a oneOf with two schemas: the flat one, and an object that requires ${JSON.stringify(wrapper)}.`,
    );
  }
  return { ...content, schema, pointer: join(content.pointer, 'oneOf', flat) };
}

/** Statuses first, then ranges, `default` last. If none is documented, any JSON is allowed. */
export function readResponses(
  value: unknown,
  pointer: Pointer,
  store: SchemaStore,
): ResponseModel[] {
  const responses = entriesOf(value)
    .filter(([status]) => !status.startsWith('x-'))
    .flatMap(([status, entry]) => {
      const read = () => readResponse(status, entry, join(pointer, status), store);
      return store.problems.attempt(read) ?? [];
    });
  if (responses.length === 0) {
    const contents = [{ mediaType: 'application/json', kind: 'json', pointer: '#' } as const];
    return [{ status: 'default', description: undefined, headers: [], contents }];
  }
  return responses.sort((a, b) => rank(a.status) - rank(b.status));
}

function rank(status: string): number {
  if (status === 'default') return 2;
  return status.endsWith('XX') ? 1 : 0;
}

function readResponse(
  status: string,
  value: unknown,
  pointer: Pointer,
  store: SchemaStore,
): ResponseModel {
  const name = status === 'default' ? status : status.toUpperCase();
  if (!/^(?:default|[1-5]XX|[1-5]\d\d)$/.test(name)) {
    throw new Invalid(
      pointer,
      'The key of a response must be a status, a range such as 4XX, or default.',
    );
  }
  const response = store.follow(value, pointer);
  return {
    status: name,
    description: toText(response.value.description),
    headers: readHeaders(response.value.headers, join(response.pointer, 'headers'), store),
    contents: ['content', MORE_CONTENT].flatMap((each) =>
      readContent(response.value[each], join(response.pointer, each), store),
    ),
  };
}

function readHeaders(value: unknown, pointer: Pointer, store: SchemaStore): HeaderModel[] {
  return entriesOf(value)
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .flatMap(([name, entry]) => {
      const read = () => store.follow(entry, join(pointer, name));
      const header = store.problems.attempt(read)?.value;
      if (header === undefined) return [];
      const description = toText(header.description);
      return [{ name, description, required: header.required === true }];
    });
}

function readContent(value: unknown, pointer: Pointer, store: SchemaStore): ContentModel[] {
  return entriesOf(value).flatMap(([mediaType, entry]) => {
    const read = () => readMedia(mediaType, store.follow(entry, join(pointer, mediaType)), store);
    return store.problems.attempt(read) ?? [];
  });
}

function readMedia(mediaType: string, media: Located, store: SchemaStore): ContentModel {
  const pointer = join(media.pointer, 'schema');
  if (!('schema' in media.value))
    return { mediaType, kind: toContentKind(mediaType, false), pointer };
  const schema = store.get(pointer);
  const types = [...valueTypes(schema, store)];
  const isStructured = types.some((type) => type !== 'string');
  const kind = toContentKind(mediaType, isStructured);
  return {
    mediaType,
    kind,
    ...(kind === 'form' && readForm(media, schema, store)),
    pointer,
    schema,
  };
}

/** @param isStructured the schema allows more than text, so that a range of media types means JSON */
function toContentKind(mediaType: string, isStructured: boolean): ContentKind {
  const type = mediaType.toLowerCase();
  if (isJson(type)) return 'json';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
  if (type.startsWith('*/*') || type.startsWith('application/*')) {
    return isStructured ? 'json' : 'binary';
  }
  if (type.startsWith('text/') || /^application\/(?:.+\+)?xml/.test(type)) return 'text';
  return 'binary';
}

const FORM_STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;

/** The fields of a form. OpenAPI 3.1.1 §4.8.15.1: an object is JSON, unless its encoding has a style. */
function readForm(
  media: Located,
  schema: Schema,
  store: SchemaStore,
): Pick<ContentModel, 'fields' | 'additional'> {
  const encodings = new Map(entriesOf(media.value.encoding));
  const fields = [...toProperties(schema, store)].map(([name, property]): Parameter => {
    const encoding = encodings.get(name);
    const given = isObject(encoding) ? encoding : {};
    const style = FORM_STYLES.find((each) => each === given.style) ?? 'form';
    const shape = readShape(property, style, store);
    const isText = style === 'form' && shape.shape === 'object';
    return {
      name,
      in: 'query',
      style,
      explode: typeof given.explode === 'boolean' ? given.explode : style === 'form',
      required: false,
      ...(isText ? { shape: 'json', types: [] } : shape),
    };
  });
  const additional = readAdditional(schema, store);
  return {
    ...(fields.length > 0 && { fields }),
    ...(Array.isArray(additional) && additional.join() !== 'string' && { additional }),
  };
}

/** A property that several schemas define may match any of them. */
function toProperties(schema: Schema, store: SchemaStore): Map<string, Schema> {
  const found = new Map<string, Schema>();
  for (const [name, property] of sameValue(schema, store).flatMap(propertiesOf)) {
    const known = found.get(name);
    found.set(name, known === undefined ? property : { anyOf: [known, property] });
  }
  return found;
}
