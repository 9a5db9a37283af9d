import type {
  Content,
  ContentKind,
  DocumentedResponse,
  RequestBody,
  Validator,
} from '../src/runtime/route-table.ts';
import {
  entriesOf,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  type Problems,
  toList,
  toText,
} from './document.ts';
import { describeFields, isJson, typesOf } from './parameters.ts';
import { type Direction, propertiesOf, type Schema, type SchemaReader } from './schemas.ts';

/** What operations are read with. */
export interface ReadContext {
  readonly reader: SchemaReader;
  readonly problems: Problems;
  /** Returns the validator of a schema, or `undefined` if every value is valid. */
  readonly toValidator: (
    direction: Direction,
    schema: Schema,
    pointer: Pointer,
  ) => Validator | undefined;
}

export function describeBody(
  value: JsonObject,
  pointer: Pointer,
  context: ReadContext,
): RequestBody {
  const { reader } = context;
  const body = reader.locate(value, pointer);
  const content = join(body.pointer, 'content');
  const [first] = Object.keys(Object(body.value.content));
  const schema = first === undefined ? true : reader.get(join(content, first, 'schema'));
  const unwrap = toText(Object(schema)[UNWRAP]);
  const fields = reader.partsOf(toFlat(schema, reader), ['allOf']).flatMap(propertiesOf);
  return {
    required: body.value.required === true,
    ...(unwrap !== undefined && { unwrap, unwrapFields: fields.map(([name]) => name) }),
    content: describeContent(body.value.content, content, 'request', context),
  };
}

/** Statuses first, then ranges, `default` last. If none is documented, any JSON is allowed. */
export function describeResponses(
  value: unknown,
  pointer: Pointer,
  context: ReadContext,
): DocumentedResponse[] {
  const responses = entriesOf(value)
    .filter(([status]) => /^(?:default|[1-5](?:XX|\d\d))$/i.test(status))
    .map(([status, entry]) => describeResponse(status, entry, join(pointer, status), context));
  if (responses.length > 0) return responses.sort((a, b) => rank(a.status) - rank(b.status));
  return [{ status: 'default', content: [{ mediaType: 'application/json', kind: 'json' }] }];
}

function describeResponse(
  status: string,
  entry: unknown,
  pointer: Pointer,
  context: ReadContext,
): DocumentedResponse {
  const { reader } = context;
  const response = reader.locate(entry, pointer);
  const headers = entriesOf(response.value.headers)
    .filter(([, header]) => reader.locate(header, '#').value.required === true)
    .map(([name]) => name.toLowerCase())
    .filter((name) => name !== 'content-type');
  const content = join(response.pointer, 'content');
  return {
    status: status === 'default' ? status : status.toUpperCase(),
    ...(headers.length > 0 && { requiredHeaders: headers }),
    content: describeContent(response.value.content, content, 'response', context),
  };
}

function rank(status: string): number {
  if (status === 'default') return 2;
  return status.endsWith('XX') ? 1 : 0;
}

function describeContent(
  value: unknown,
  pointer: Pointer,
  direction: Direction,
  { reader, problems, toValidator }: ReadContext,
): Content[] {
  return entriesOf(value).map(([mediaType, entry]): Content => {
    const media = reader.locate(entry, join(pointer, mediaType));
    const at = join(media.pointer, 'schema');
    const schema = toFlat(reader.get(at), reader);
    const isText = [...typesOf(schema, reader)].every((type) => type === 'string');
    const kind = toContentKind(mediaType, isText);
    // Of responses, only JSON is validated, because text and bytes may be streams.
    const isRequest = direction === 'request';
    const form = kind === 'form' && isRequest && describeFields(media, schema, reader, problems);
    const isChecked =
      kind === 'json' || (isRequest && (form ? form.isSupported : kind === 'text' && isText));
    const validate = isChecked ? toValidator(direction, schema, at) : undefined;
    return {
      mediaType,
      kind,
      ...(form && form.fields.length > 0 && { fields: form.fields }),
      ...(validate && { validate }),
    };
  });
}

/** @param isText the schema allows nothing but text, so that a range of media types does not mean JSON */
function toContentKind(mediaType: string, isText: boolean): ContentKind {
  const type = mediaType.toLowerCase();
  if (isJson(type)) return 'json';
  if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
  if (/^(?:\*|application)\/\*/.test(type)) return isText ? 'binary' : 'json';
  return /^(?:text\/|application\/(?:.+\+)?xml)/.test(type) ? 'text' : 'binary';
}

const UNWRAP = 'x-berth-unwrap';

/** Fields may be flat or nested in a property. Validators and handlers only see the flat form. */
export function toFlat(schema: Schema, reader: SchemaReader): Schema {
  if (!isObject(schema) || typeof schema[UNWRAP] !== 'string') return schema;
  const isFlat = (each: unknown) =>
    reader.partsOf(each, []).every(({ required }) => !toList(required).includes(schema[UNWRAP]));
  return (toList(schema.oneOf).find(isFlat) as Schema | undefined) ?? schema;
}
