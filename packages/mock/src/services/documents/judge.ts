import {
  type getHttpOperationsFromSpec,
  stripReadOnlyProperties,
  validateAgainstSchema,
} from '../../contract/oracle/prism.ts';
import type { Params } from '../routes.ts';

/** An operation of a document in the form that Prism expects. */
export type Resource = Awaited<ReturnType<typeof getHttpOperationsFromSpec>>[number];

/** A request in the form that Prism expects. */
export interface JudgedRequest {
  readonly params: Params;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
}

type Schema = Parameters<typeof validateAgainstSchema>[1];
type Spec = NonNullable<NonNullable<Resource['request']>['query' | 'path' | 'headers']>[number];

const SCALARS: readonly unknown[] = ['string', 'integer', 'number', 'boolean'];
const JSON_TYPE = /^application\/json *(;|$)/i;
/** Matches a path value that means the same whether or not it is decoded. */
const PLAIN = /^[\w.~-]+$/;

/**
 * Creates a function that returns true only for requests that Prism accepts. It runs the validators that Prism
 * compiles, without the rest of Prism, which takes ten times as long. False means that Prism must decide: the
 * request is invalid, or has parameters or a body that only Prism reads.
 */
export function createJudge(resource: Resource): (request: JudgedRequest) => boolean {
  const { request = {} } = resource;
  const bundle = (resource as { __bundled__?: unknown }).__bundled__;
  const passes = (value: unknown, schema: Schema, coerce: boolean) =>
    validateAgainstSchema(value, schema, coerce, 0, undefined, bundle)._tag === 'None';

  const toPart = (specs: readonly Spec[] = [], style: string) => {
    const parts = specs.map((spec) => ({
      name: spec.name.toLowerCase(),
      kind: kindOf(spec, style),
    }));
    // Prism validates all parameters in one location as a single object with lowercase names.
    const schema = {
      type: 'object',
      properties: Object.fromEntries(
        specs.flatMap(({ name, schema }) => (schema ? [[name.toLowerCase(), schema]] : [])),
      ),
      required: specs.flatMap(({ name, required }) => (required ? [name.toLowerCase()] : [])),
    } as Schema;
    return (values: Readonly<Record<string, string | readonly string[]>>): boolean => {
      const own: Record<string, unknown> = {};
      for (const { name, kind } of parts) {
        const value = values[name];
        if (value === undefined || value === '') continue;
        if (kind === 'list') own[name] = [value].flat();
        else if (kind === 'scalar' && typeof value === 'string') own[name] = value;
        else return false;
      }
      return parts.length === 0 || passes(own, schema, true);
    };
  };

  const path = toPart(request.path, 'simple');
  const query = toPart(request.query, 'form');
  const header = toPart(request.headers, 'simple');
  const isBodyValid = createBodyJudge(request.body, bundle, passes);
  return ({ params, query: given, headers, body }) =>
    Object.values(params).every((value) => PLAIN.test(value)) &&
    path(toLower(params)) &&
    query(toLower(given)) &&
    header(headers) &&
    isBodyValid(body, headers);
}

/** Returns how to read a value, or undefined if only Prism can read it. */
function kindOf(spec: Spec, style: string): 'scalar' | 'list' | undefined {
  const { type } = (spec.schema ?? {}) as { type?: unknown };
  if (spec.deprecated || (spec.style ?? style) !== style) return undefined;
  if (SCALARS.includes(type)) return 'scalar';
  return type === 'array' && style === 'form' && spec.explode ? 'list' : undefined;
}

function createBodyJudge(
  spec: NonNullable<Resource['request']>['body'],
  bundle: unknown,
  passes: (value: unknown, schema: Schema, coerce: boolean) => boolean,
): (body: unknown, headers: JudgedRequest['headers']) => boolean {
  const content = spec?.contents?.find(({ mediaType }) => mediaType === 'application/json');
  const text = JSON.stringify([content?.schema, bundle]);
  const isReadOnly = text.includes('"readOnly":true');
  // Prism merges `allOf` before it removes the properties that a request must not have.
  const isPlain = content !== undefined && !(isReadOnly && text.includes('"allOf"'));
  const stripped =
    isReadOnly && content?.schema ? stripReadOnlyProperties(content.schema) : undefined;
  const schema = stripped?._tag === 'Some' ? stripped.value : content?.schema;
  return (body, headers) => {
    // Prism treats these values as a missing body.
    if (!body) return body === undefined && !spec?.required;
    if (!isPlain || !JSON_TYPE.test(String(headers['content-type']))) return false;
    return schema === undefined || passes(body, schema as Schema, false);
  };
}

function toLower<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  const lower: Record<string, Value> = Object.create(null);
  for (const name of Object.keys(values)) lower[name.toLowerCase()] = values[name] as Value;
  return lower;
}
