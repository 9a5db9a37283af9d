import type {
  Content,
  ContentKind,
  DocumentedResponse,
  RequestBody,
} from '../src/runtime/route-table.ts';
import { asObject, entriesOf, follow, isObject, type JsonObject, toList } from './document.ts';
import { describeFields, isJson, typesOf } from './parameters.ts';
import type { Context } from './schema-set.ts';
import { ALL_OF, partsOf, propertiesOf } from './schemas.ts';

export function describeBody(value: JsonObject, context: Context): RequestBody {
  const { root } = context.document;
  const { content, required } = follow(root, value);
  const [media] = Object.values(asObject(content));
  const { schema } = asObject(media);
  const unwrap = asObject(schema)[UNWRAP];
  const fields = partsOf(root, toFlat(root, schema), ALL_OF).flatMap(propertiesOf);
  return {
    required: required === true,
    ...(typeof unwrap === 'string' && { unwrap, unwrapFields: fields.map(([name]) => name) }),
    content: describeContent(content, 'request', context),
  };
}

/** Statuses before their range, `default` last. If none is documented, any JSON is allowed. */
export function describeResponses(value: unknown, context: Context): DocumentedResponse[] {
  const responses = entriesOf(value)
    .filter(([status]) => /^(?:default|[1-5](?:XX|\d\d))$/i.test(status))
    .map(([status, entry]) => describeResponse(status, entry, context));
  if (responses.length > 0) return responses.sort((a, b) => (a.status < b.status ? -1 : 1));
  return [{ status: 'default', content: [{ mediaType: 'application/json', kind: 'json' }] }];
}

function describeResponse(status: string, entry: unknown, context: Context): DocumentedResponse {
  const { root } = context.document;
  const { headers, content } = follow(root, entry);
  const required = entriesOf(headers)
    .filter(([, header]) => follow(root, header).required === true)
    .map(([name]) => name.toLowerCase())
    .filter((name) => name !== 'content-type');
  return {
    status: status === 'default' ? status : status.toUpperCase(),
    ...(required.length > 0 && { requiredHeaders: required }),
    content: describeContent(content, 'response', context),
  };
}

function describeContent(
  content: unknown,
  direction: 'request' | 'response',
  context: Context,
): Content[] {
  const { document } = context;
  return entriesOf(content).map(([mediaType, media]): Content => {
    const schema = toFlat(document.root, asObject(media).schema ?? true);
    const isText = [...typesOf(document.root, schema)].every((type) => type === 'string');
    const kind = toContentKind(mediaType, isText);
    // Of responses, only JSON is validated, because text and bytes may be streams.
    const isRequest = direction === 'request';
    const form = kind === 'form' && isRequest && describeFields(media, schema, document);
    const isChecked =
      kind === 'json' || (isRequest && (form ? form.isSupported : kind === 'text' && isText));
    const at = document.pointerTo(media, 'schema');
    const validate = isChecked ? context[direction].add(schema, at) : undefined;
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
export function toFlat(root: JsonObject, schema: unknown): unknown {
  if (!isObject(schema) || typeof schema[UNWRAP] !== 'string') return schema;
  const isFlat = (each: unknown) => !toList(follow(root, each).required).includes(schema[UNWRAP]);
  return toList(schema.oneOf).find(isFlat) ?? schema;
}
