import {
  entriesOf,
  isObject,
  join,
  type Located,
  type Pointer,
  toList,
  toText,
} from '../document.ts';
import { isSchema, membersOf, propertiesOf, requiredOf, type Schema } from '../schema/schema.ts';
import type { SchemaStore } from '../schema/schema-store.ts';
import { isScalar, sameValue, valueTypes } from '../schema/value-types.ts';
import { isJson, toContentKind } from './content-kind.ts';
import type { BodyModel, ContentModel, HeaderModel, ResponseModel } from './model.ts';
import { readParts } from './read-parts.ts';
import type { Reader } from './reader.ts';

const UNWRAP = 'x-berth-unwrap';
const MORE_CONTENT = 'x-berth-content';

/** Reads a request body or the target of its `$ref`. */
export function readBody(value: unknown, pointer: Pointer, reader: Reader): BodyModel | undefined {
  if (value === undefined) return undefined;
  const body = reader.follow(value, pointer);
  const contents = readContent(body.value.content, join(body.pointer, 'content'), reader);
  if (contents.length === 0) {
    if (entriesOf(body.value.content).length > 0) {
      reader.refuse(body.pointer, 'No media type of this request body can be used.');
    }
    reader.warn(body.pointer, 'This request body has no media type, so it is ignored.');
    return undefined;
  }
  const wrappers = new Set(contents.map(({ schema }) => wrapperOf(schema)));
  const [unwrap] = wrappers;
  if (wrappers.size > 1) {
    reader.refuse(body.pointer, `All media types of a body must have the same ${UNWRAP}.`);
  }
  const required = body.value.required === true;
  if (unwrap === undefined) return { required, contents };
  const flat = contents.map((each) => toFlat(each, unwrap, reader));
  return { required, contents: flat, unwrap, unwrapFields: fieldsOf(flat, reader) };
}

function fieldsOf(contents: readonly ContentModel[], { store }: Reader): string[] {
  const names = contents.flatMap(({ schema = true }) => {
    const target = store.resolve(schema);
    return typeof target === 'boolean' ? [] : propertiesOf(target).map(([name]) => name);
  });
  return [...new Set(names)];
}

function wrapperOf(schema: Schema | undefined): string | undefined {
  const name = isObject(schema) ? schema[UNWRAP] : undefined;
  return typeof name === 'string' ? name : undefined;
}

/** Fields may be flat or nested in a property. Validators and handlers only see the flat form. */
function toFlat(content: ContentModel, wrapper: string, reader: Reader): ContentModel {
  const choices = isObject(content.schema) ? membersOf(content.schema, 'oneOf') : [];
  const flat = choices.findIndex((each) => !isWrapped(each, wrapper, reader));
  const schema = choices[flat];
  if (
    choices.length !== 2 ||
    schema === undefined ||
    !choices.some((each) => isWrapped(each, wrapper, reader))
  ) {
    return reader.refuse(
      content.pointer,
      `${UNWRAP} must be next to a oneOf with two schemas: the flat one, and an object that requires ${JSON.stringify(wrapper)}.`,
    );
  }
  return { ...content, schema, pointer: join(content.pointer, 'oneOf', flat) };
}

function isWrapped(schema: Schema, wrapper: string, reader: Reader): boolean {
  const target = reader.store.resolve(schema);
  if (typeof target === 'boolean') return false;
  return (
    toList(requiredOf(target)).includes(wrapper) &&
    propertiesOf(target).every(([name]) => name === wrapper)
  );
}

const ANYTHING: ResponseModel = {
  status: 'default',
  headers: [],
  contents: [{ mediaType: 'application/json', kind: 'json', pointer: '#' }],
};

/** Reads the responses of an operation: statuses first, then ranges, `default` last. */
export function readResponses(value: unknown, pointer: Pointer, reader: Reader): ResponseModel[] {
  const responses = entriesOf(value)
    .filter(([status]) => !status.startsWith('x-'))
    .flatMap(([status, entry]) => {
      const read = () => readResponse(status, entry, join(pointer, status), reader);
      return reader.attempt('The response is left out.', read) ?? [];
    });
  if (responses.length === 0) {
    reader.note(pointer, 'No response is documented, so any JSON response is allowed.');
    return [ANYTHING];
  }
  return responses.sort((a, b) => rank(a.status) - rank(b.status));
}

function readResponse(
  status: string,
  value: unknown,
  pointer: Pointer,
  reader: Reader,
): ResponseModel {
  const name = status === 'default' ? status : status.toUpperCase();
  if (!/^(?:default|[1-5]XX|[1-5]\d\d)$/.test(name)) {
    reader.refuse(
      pointer,
      'The key of a response must be a status, a range such as 4XX, or default.',
    );
  }
  const response = reader.follow(value, pointer);
  const description = toText(response.value.description);
  return {
    status: name,
    headers: readHeaders(response.value.headers, join(response.pointer, 'headers'), reader),
    contents: ['content', MORE_CONTENT].flatMap((name) =>
      readContent(response.value[name], join(response.pointer, name), reader),
    ),
    ...(description === undefined ? {} : { description }),
  };
}

function readHeaders(value: unknown, pointer: Pointer, reader: Reader): HeaderModel[] {
  return entriesOf(value)
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .flatMap(([name, entry]) => {
      const read = () => reader.follow(entry, join(pointer, name));
      const header = reader.attempt('The header is left out.', read);
      if (header === undefined) return [];
      const description = toText(header.value.description);
      return [
        {
          name,
          required: header.value.required === true,
          ...(description === undefined ? {} : { description }),
        },
      ];
    });
}

function rank(status: string): number {
  if (status === 'default') return 2;
  return status.endsWith('XX') ? 1 : 0;
}

/** Reads media types; one that cannot be used is left out with a warning. */
function readContent(value: unknown, pointer: Pointer, reader: Reader): ContentModel[] {
  return entriesOf(value).flatMap(([mediaType, entry]) => {
    const read = () => readMedia(mediaType, reader.follow(entry, join(pointer, mediaType)), reader);
    return reader.attempt('The media type is left out.', read) ?? [];
  });
}

function readMedia(mediaType: string, media: Located, reader: Reader): ContentModel {
  const at = join(media.pointer, 'schema');
  if ('itemSchema' in media.value && !('schema' in media.value)) {
    reader.note(media.pointer, `Items of ${mediaType} are a stream, which is not validated.`);
    return { mediaType, kind: 'binary', pointer: at };
  }
  const schema = 'schema' in media.value ? reader.schema(at) : undefined;
  const types = schema === undefined ? [] : [...valueTypes(schema, reader.store)];
  const kind = toContentKind(
    mediaType,
    types.some((type) => type !== 'string'),
  );
  if (kind === 'text' && isObject(schema) && types.includes('object')) {
    reader.note(at, `Handlers get a body of ${mediaType} as text, which is not validated.`);
  }
  if (schema === undefined) return { mediaType, kind, pointer: at };
  const form = kind === 'form' ? readForm(media, schema, reader) : {};
  const parts = kind === 'multipart' ? readParts(media, schema, reader) : undefined;
  return { mediaType, kind, ...form, ...(parts && { parts }), pointer: at, schema };
}

const DELIMITERS: Readonly<Record<string, string>> = {
  form: ',',
  spaceDelimited: ' ',
  pipeDelimited: '|',
};

/** The fields of a form that are more than `name=value`, once for each value. */
function readForm(media: Located, schema: Schema, { store }: Reader): Pick<ContentModel, 'form'> {
  const nested = new Set<string>();
  const delimiters: [string, string][] = [];
  const encodings = new Map(entriesOf(media.value.encoding));
  for (const [name, field] of sameValue(schema, store).flatMap(propertiesOf)) {
    const encoding = encodings.get(name);
    const {
      style = 'form',
      explode = style === 'form',
      contentType = '',
    } = isObject(encoding) ? encoding : {};
    const types = valueTypes(field, store);
    const isBracketed = style === 'deepObject' || isJson(String(contentType));
    if (isNested(field, store) || (isBracketed && !isScalar(types))) nested.add(name);
    else if (types.has('array') && explode === false) {
      delimiters.push([name, DELIMITERS[String(style)] ?? ',']);
    }
  }
  if (nested.size + delimiters.length === 0) return {};
  return {
    form: {
      ...(nested.size > 0 ? { nested: [...nested] } : {}),
      ...(delimiters.length > 0 ? { delimiters: Object.fromEntries(delimiters) } : {}),
    },
  };
}

function isNested(field: Schema, store: SchemaStore): boolean {
  if (valueTypes(field, store).has('object')) return true;
  const items = sameValue(field, store).flatMap(({ items }) => (isSchema(items) ? [items] : []));
  return items.some((each) => !isScalar(valueTypes(each, store)));
}
