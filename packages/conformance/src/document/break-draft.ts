import { isObject, type JsonObject } from '../contract/openapi.ts';
import type { Draft, Generator } from './generate.ts';
import type { ApiDocument } from './load-document.ts';
import type { Operation, Parameter } from './plan.ts';
import { listPlaces, type Path, spellPath, valuesAt } from './schema.ts';

/** A constraint of an operation: on a parameter, or on the value at a path in the JSON body. */
export interface Constraint {
  /** Place and keyword: `query limit maximum`, `body items[].name required`. */
  constraint: string;
  parameter?: Parameter;
  path?: Path;
  keyword: string;
  limit: unknown;
  /** The schema that the keyword is in. */
  schema: JsonObject;
}

export interface Breaker extends Constraint {
  /**
   * Returns a copy of the request that violates the constraint, or `undefined` if the request cannot violate
   * it.
   */
  apply(draft: Draft): Draft | undefined;
}

const UNKNOWN = 'berthUnknownProperty';
/** Longer values are not sent. */
const LONGEST = 10_000;

/**
 * Values that violate a schema keyword. Each is validated before it is sent, because another part of the
 * schema may allow it.
 */
const KEYWORDS: Record<string, (limit: never, schema: JsonObject) => unknown[]> = {
  type: () => ['not-of-this-type', 7.5, true, null, [], {}],
  enum: () => ['not-in-the-enum', -987_654],
  const: () => ['not-the-constant', -987_654],
  minimum: (limit: number) => [limit - 1],
  maximum: (limit: number) => [limit + 1],
  exclusiveMinimum: (limit: number) => [limit],
  exclusiveMaximum: (limit: number) => [limit],
  multipleOf: (step: number) => [step * 1.5, step / 2],
  minLength: (length: number) =>
    length > 0 ? ['x'.repeat(length - 1), '1'.repeat(length - 1)] : [],
  maxLength: (length: number) =>
    length < LONGEST ? ['x'.repeat(length + 1), '1'.repeat(length + 1)] : [],
  pattern: (_: string, { minLength = 1 }) =>
    ['!', '~', ' ', 'x', '1'].map((c) => c.repeat(Number(minLength))),
};

/**
 * Like `KEYWORDS`, for constraints on the content of a value. `required` is a separate constraint for each
 * property.
 */
const STRUCTURES: Record<string, (limit: never, value: unknown) => unknown[]> = {
  additionalProperties: (_: boolean, value) =>
    isObject(value) ? [{ ...value, [UNKNOWN]: 'x' }] : [],
  minItems: (count: number, value) => (Array.isArray(value) ? [value.slice(0, count - 1)] : []),
  maxItems: (count: number, value) =>
    Array.isArray(value) && count < 1000
      ? [Array.from({ length: count + 1 }, (_, at) => value[at % value.length] ?? null)]
      : [],
  uniqueItems: (_: boolean, value) =>
    Array.isArray(value) && value.length > 0 ? [[...value, value[0]]] : [],
};

/** Keywords that are a constraint only if they have this value. */
const SWITCHES: Record<string, boolean> = { additionalProperties: false, uniqueItems: true };

/** Lists the constraints that a request for an operation can violate. */
export function listBreakers(
  document: ApiDocument,
  { parameters, body }: Operation,
  generator: Generator,
): Breaker[] {
  const breakers = parameters.flatMap((parameter) => breakParameter(document, parameter));
  if (body?.required) {
    breakers.push({
      ...{ constraint: 'body required', keyword: 'required', limit: true, schema: {} },
      apply: ({ parameters: kept }) => ({ parameters: kept }),
    });
  }
  const json = body?.content.find(({ mediaType }) => /[/+]json\b/.test(mediaType));
  if (json?.schema === undefined) return breakers;
  const { schema: pointer, mediaType } = json;
  const places = listPlaces(document.root, document.schemaAt(pointer, 'request'));
  for (const { path, schema } of places.values()) {
    if (schema.readOnly === true) continue;
    const add = (
      at: Path,
      keyword: string,
      limit: unknown,
      change: (value: unknown) => unknown[],
    ) => {
      const apply = (draft: Draft) => {
        if (draft.mediaType !== mediaType) return undefined;
        const [known] = valuesAt(draft.body, path);
        const base =
          known === undefined ? put(draft.body, path, generator.sample(schema)) : draft.body;
        const found = change(valuesAt(base, path)[0])
          .map((bad) => put(base, path, bad))
          .find((each) => isRefused(document, pointer, each));
        return found === undefined ? undefined : { ...draft, body: found };
      };
      const name = `body ${spellPath(at)}`.trimEnd();
      breakers.push({
        ...{ constraint: `${name} ${keyword}`, path: at, keyword, limit, schema, apply },
      });
    };
    for (const [keyword, limit] of Object.entries(schema)) {
      const structure = STRUCTURES[keyword];
      if (keyword === 'required') {
        for (const field of Array.isArray(limit) ? limit.map(String) : []) {
          add([...path, field], keyword, true, (value) =>
            isObject(value) ? [{ ...value, [field]: undefined }] : [],
          );
        }
      } else if (structure) {
        const isSet = keyword in SWITCHES ? limit === SWITCHES[keyword] : limit !== 0;
        if (isSet) add(path, keyword, limit, (value) => structure(limit as never, value));
      } else if (keyword in KEYWORDS) {
        add(path, keyword, limit, () => breakKeyword(keyword, schema));
      }
    }
  }
  return breakers;
}

function breakParameter(document: ApiDocument, parameter: Parameter): Breaker[] {
  const { key, in: place, required, schema, mediaType } = parameter;
  const breakers: Breaker[] = [];
  if (required && place !== 'path') {
    breakers.push({
      ...{ constraint: `${key} required`, parameter, keyword: 'required', limit: true, schema: {} },
      apply: ({ parameters: { [key]: _, ...others }, ...draft }) => ({
        ...draft,
        parameters: others,
      }),
    });
  }
  if (schema === undefined || mediaType !== undefined) return breakers;
  const places = listPlaces(document.root, document.schemaAt(schema, 'request'));
  const own = places.get('')?.schema ?? {};
  // Each property of the object is sent as a separate parameter, and unknown parameters may be ignored.
  if (own.properties !== undefined || [own.type].flat().includes('object')) return breakers;
  // Every value of a parameter is text on the wire.
  const isWritten = (value: unknown) =>
    (typeof value === 'string' && (value.trim() === value || place === 'query') && value !== '') ||
    typeof value === 'number';
  for (const keyword of Object.keys(KEYWORDS)) {
    const bad = breakKeyword(keyword, own).find(
      (value) =>
        isWritten(value) && toReadings(value).every((each) => isRefused(document, schema, each)),
    );
    if (bad === undefined) continue;
    breakers.push({
      ...{ constraint: `${key} ${keyword}`, parameter, keyword, limit: own[keyword], schema: own },
      apply: (draft) => ({ ...draft, parameters: { ...draft.parameters, [key]: bad } }),
    });
  }
  return breakers;
}

function breakKeyword(keyword: string, schema: JsonObject): unknown[] {
  const limit = schema[keyword];
  if (limit === undefined) return [];
  return KEYWORDS[keyword]?.(limit as never, schema) ?? [];
}

/**
 * Returns the values that a server may read from the text of a parameter: the value itself, or a list of one
 * or more items.
 */
function toReadings(value: unknown): unknown[] {
  const text = String(value);
  return [value, text, [value], text.split(','), text.split('|'), text.split(' ')];
}

function isRefused(document: ApiDocument, pointer: string, value: unknown): boolean {
  // As it is sent, without properties that are undefined.
  const sent = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  return document.validate(pointer, 'request', sent) !== undefined;
}

function put(body: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (step !== '*') {
    const own = isObject(body) ? body : {};
    return { ...own, [step]: put(own[step], rest, value) };
  }
  const [first, ...others] = Array.isArray(body) ? body : [];
  return [put(first, rest, value), ...others];
}
