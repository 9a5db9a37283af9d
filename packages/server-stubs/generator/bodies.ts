import type {
  Content,
  ContentKind,
  DocumentedResponse,
  RequestBody,
} from '../src/runtime/route-table.ts';
import {
  entriesOf,
  follow,
  isObject,
  type JsonObject,
  join,
  type Pointer,
  toList,
} from './document.ts';
import { describeFields, isJson, typesOf } from './parameters.ts';
import type { Context, Direction } from './schema-set.ts';
import { allPartsOf, propertiesOf } from './schemas.ts';

export function describeBody(value: unknown, at: Pointer, context: Context): RequestBody {
  const { document } = context;
  const { value: body, pointer } = follow(document, value, at);
  const [media] = Object.values(Object(body.content));
  const { schema } = Object(media);
  const unwrap = Object(schema)[UNWRAP];
  const fields = allPartsOf(document, toFlat(document, schema)).flatMap(propertiesOf);
  return {
    required: body.required === true,
    ...(unwrap !== undefined && { unwrap, unwrapFields: fields.map(([name]) => name) }),
    content: describeContent(body.content, join(pointer, 'content'), 'request', context),
  };
}

/** Statuses before their range, `default` last. If none is documented, any JSON is allowed. */
export function describeResponses(
  value: unknown,
  pointer: Pointer,
  context: Context,
): DocumentedResponse[] {
  const responses = entriesOf(value)
    .filter(([status]) => /^(?:default|[1-5](?:XX|\d\d))$/i.test(status))
    .map(([status, entry]) => describeResponse(status, entry, join(pointer, status), context));
  if (responses.length > 0) return responses.sort((a, b) => (a.status < b.status ? -1 : 1));
  return [{ status: 'default', content: [{ mediaType: 'application/json', kind: 'json' }] }];
}

function describeResponse(
  status: string,
  entry: unknown,
  at: Pointer,
  context: Context,
): DocumentedResponse {
  const { document } = context;
  const { value, pointer } = follow(document, entry, at);
  const headers = entriesOf(value.headers)
    .filter(([, header]) => follow(document, header, '#').value.required === true)
    .map(([name]) => name.toLowerCase())
    .filter((name) => name !== 'content-type');
  return {
    status: status === 'default' ? status : status.toUpperCase(),
    ...(headers.length > 0 && { requiredHeaders: headers }),
    content: describeContent(value.content, join(pointer, 'content'), 'response', context),
  };
}

function describeContent(
  value: unknown,
  pointer: Pointer,
  direction: Direction,
  context: Context,
): Content[] {
  return entriesOf(value).map(([mediaType, media]): Content => {
    const at = join(pointer, mediaType);
    const schema = toFlat(context.document, Object(media).schema ?? true);
    const isText = [...typesOf(context.document, schema)].every((type) => type === 'string');
    const kind = toContentKind(mediaType, isText);
    // Of responses, only JSON is validated, because text and bytes may be streams.
    const isRequest = direction === 'request';
    const form = kind === 'form' && isRequest && describeFields(media, schema, at, context);
    const isChecked =
      kind === 'json' || (isRequest && (form ? form.isSupported : kind === 'text' && isText));
    const validate = isChecked ? context[direction].add(schema, join(at, 'schema')) : undefined;
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
export function toFlat(document: JsonObject, schema: unknown): unknown {
  if (!isObject(schema) || typeof schema[UNWRAP] !== 'string') return schema;
  const isFlat = (each: unknown) =>
    !toList(follow(document, each, '#').value.required).includes(schema[UNWRAP]);
  return toList(schema.oneOf).find(isFlat) ?? schema;
}
