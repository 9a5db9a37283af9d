import fc, { type Arbitrary } from 'fast-check';
import { isObject, type JsonObject } from '../contract/openapi.ts';
import { isXml } from '../http/media-type.ts';
import type { ApiDocument } from './load-document.ts';
import type { Content, Operation, Parameter } from './plan.ts';
import { alternatives, flatten } from './schema.ts';

/** The values of a request, before they are serialized. */
export interface Draft {
  /** Values by parameter key. */
  parameters: Record<string, unknown>;
  /** Media type of the body; absent if there is none. */
  mediaType?: string;
  body?: unknown;
}

/** Optional properties are left out, and arrays are empty, below this depth. */
const DEEPEST = 4;
const MOST_ITEMS = 3;
/** Generated strings and arrays are at most this much longer than the schema requires. */
const SLACK = 12;

/** Values for formats that no pattern describes. */
const FORMATS: Record<string, () => Arbitrary<string>> = {
  'date-time': () => fc.date({ ...years(), noInvalidDate: true }).map((date) => date.toISOString()),
  date: () =>
    fc.date({ ...years(), noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
  time: () => fc.constantFrom('00:00:00Z', '23:59:59Z', '12:30:00+02:00'),
  duration: () => fc.constantFrom('P1D', 'PT1H30M'),
  email: () => fc.constantFrom('a@example.com', 'first.last+tag@example.org'),
  uuid: () => fc.uuid(),
  uri: () => fc.constantFrom('https://example.com', 'https://example.com/a?b=c#d'),
  url: () => fc.constantFrom('https://example.com', 'https://example.com/a?b=c#d'),
  'uri-reference': () => fc.constantFrom('/a', 'https://example.com/a'),
  hostname: () => fc.constantFrom('example.com', 'a.example.org'),
  ipv4: () => fc.ipV4(),
  ipv6: () => fc.ipV6(),
  byte: () => fc.constantFrom('', 'YQ==', 'YmVydGg='),
};

// `fc.string` takes milliseconds to create, and a document has thousands of strings.
const LETTERS = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCXYZ0123456789');
const CHARACTERS = fc.constantFrom(...'aZ09 -_.:/?&%+"\'\\<é日😀');

const years = () => ({ min: new Date('1990-01-01'), max: new Date('2090-01-01') });

/**
 * Converts a schema to a generator of values. Some values may be invalid if the schema combines constraints
 * that the generator does not support together, so the caller must validate them.
 *
 * @param plain whether to use only characters that every part of a request can contain
 */
function toArbitrary(
  root: JsonObject,
  given: unknown,
  plain: boolean,
  depth = 0,
): Arbitrary<unknown> {
  if (depth > DEEPEST * 2) return fc.constant(null);
  const schema = flatten(root, given);
  if ('const' in schema) return fc.constant(schema.const);
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return fc.constantFrom(...schema.enum);
  const branches = alternatives(root, schema);
  if (branches.length > 1 || branches[0] !== schema) {
    return fc.oneof(...branches.map((branch) => toArbitrary(root, branch, plain, depth + 1)));
  }
  const types = typesOf(schema).filter((type) => !plain || type !== 'null');
  return fc.oneof(...types.map((type) => ofType(root, type, schema, plain, depth)));
}

function typesOf({ type, properties, items, minimum, maximum }: JsonObject): string[] {
  if (typeof type === 'string') return [type];
  if (Array.isArray(type) && type.length > 0) return type.map(String);
  if (properties !== undefined) return ['object'];
  if (items !== undefined) return ['array'];
  return minimum !== undefined || maximum !== undefined ? ['number'] : ['string'];
}

function ofType(
  root: JsonObject,
  type: string,
  schema: JsonObject,
  plain: boolean,
  depth: number,
): Arbitrary<unknown> {
  switch (type) {
    case 'object':
      return toObject(root, schema, plain, depth);
    case 'array': {
      const least = Number(schema.minItems ?? 0);
      const most = Math.min(Number(schema.maxItems ?? MOST_ITEMS), least + MOST_ITEMS);
      const items = toArbitrary(root, schema.items, plain, depth + 1);
      const limits = {
        minLength: least,
        maxLength: depth > DEEPEST ? least : Math.max(least, most),
      };
      return schema.uniqueItems === true
        ? fc.uniqueArray(items, { ...limits, selector: (item) => JSON.stringify(item) })
        : fc.array(items, limits);
    }
    case 'integer':
    case 'number':
      return toNumber(schema, type);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return toTextArbitrary(schema, plain);
  }
}

function toObject(
  root: JsonObject,
  schema: JsonObject,
  plain: boolean,
  depth: number,
): Arbitrary<unknown> {
  const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
  const entries = Object.entries(Object(schema.properties)).filter(([name, property]) => {
    const isKept = required.has(name) || depth < DEEPEST;
    return isKept && flatten(root, property).readOnly !== true && property !== false;
  });
  const undeclared = [...required].filter(
    (name) => !Object.hasOwn(Object(schema.properties), name),
  );
  const model = Object.fromEntries([
    ...entries.map(([name, each]) => [name, toArbitrary(root, each, plain, depth + 1)] as const),
    ...undeclared.map((name) => [name, fc.constantFrom('a', 'b')] as const),
  ]);
  const requiredKeys = Object.keys(model).filter((name) => required.has(name));
  return fc.record(model, { requiredKeys, noNullPrototype: true });
}

function toNumber(schema: JsonObject, type: string): Arbitrary<number> {
  const limit = (name: string, otherwise: number) =>
    typeof schema[name] === 'number' ? (schema[name] as number) : otherwise;
  const step = limit('multipleOf', 1);
  const least = Math.max(limit('minimum', -1000), limit('exclusiveMinimum', -Infinity));
  const above = Math.max(least, -Number.MAX_SAFE_INTEGER);
  const most = Math.min(limit('maximum', above + 2000), limit('exclusiveMaximum', Infinity));
  const min = Math.ceil(above / step) + (above === schema.exclusiveMinimum ? 1 : 0);
  const max = Math.floor(most / step) - (most === schema.exclusiveMaximum ? 1 : 0);
  if (min <= max) return fc.integer({ min, max }).map((count) => count * step);
  if (type === 'integer' || !(above < most)) return fc.constant(above);
  return fc.double({ min: above, max: most, noNaN: true });
}

function toTextArbitrary(schema: JsonObject, plain: boolean): Arbitrary<string> {
  const least = Number(schema.minLength ?? (plain ? 1 : 0));
  const most = Math.min(Number(schema.maxLength ?? least + SLACK), least + SLACK);
  const length = { minLength: least, maxLength: Math.max(least, most) };
  if (typeof schema.pattern === 'string') {
    try {
      // Without a limit of its own, a pattern may require more than the usual length.
      const limits = schema.maxLength === undefined ? {} : { maxLength: Number(schema.maxLength) };
      return fc.stringMatching(new RegExp(schema.pattern, 'u'), limits);
    } catch {
      // Assertions such as lookaheads are not supported.
    }
  }
  const format = typeof schema.format === 'string' ? FORMATS[schema.format] : undefined;
  if (format) return format();
  const ofCharacters = (characters: Arbitrary<string>) =>
    fc.array(characters, length).map((each) => each.join(''));
  return plain
    ? ofCharacters(LETTERS)
    : fc.oneof({ weight: 3, arbitrary: ofCharacters(LETTERS) }, ofCharacters(CHARACTERS));
}

/** Creates requests for an operation from its examples and its schemas. */
export interface Generator {
  /** Returns at most `count` valid requests, those from examples first. */
  valid(count: number): Draft[];
  isValid(draft: Draft): boolean;
  /** Returns a valid value for a schema. */
  sample(schema: unknown): unknown;
}

/** Number of values to generate for each value that is needed, because some of them are invalid. */
const SPARE = 4;

export function createGenerator(
  document: ApiDocument,
  operation: Operation,
  seed: number,
): Generator {
  const { root } = document;
  const schemaOf = (pointer: string | undefined) =>
    pointer === undefined ? { type: 'string' } : document.schemaAt(pointer, 'request');
  const fits = (pointer: string | undefined, value: unknown) =>
    pointer === undefined || document.validate(pointer, 'request', value) === undefined;
  const isUsable = ({ mediaType }: Content) => isWritable(mediaType);
  const contents = operation.body?.content.filter(isUsable) ?? [];

  const isValid = ({ parameters, mediaType, body }: Draft) =>
    operation.parameters.every(({ key, required, schema }) =>
      key in parameters ? fits(schema, parameters[key]) : !required,
    ) &&
    (mediaType === undefined
      ? operation.body?.required !== true
      : fits(contents.find((content) => content.mediaType === mediaType)?.schema, body));

  const sample = (schema: unknown, plain = false): unknown[] => {
    const parameters = { seed, numRuns: SPARE };
    return fc.sample(toArbitrary(root, schema, plain), parameters);
  };
  const best = ({ schema, examples }: Pick<Parameter, 'schema' | 'examples'>, plain: boolean) =>
    [...examples, ...sample(schemaOf(schema), plain)].filter((value) => fits(schema, value));

  const fromExamples = (all: boolean): Draft[] => {
    const parameters = Object.fromEntries(
      operation.parameters
        .filter(({ required, examples }) => required || (all && examples.length > 0))
        .map((parameter) => [parameter.key, best(parameter, true)[0]]),
    );
    const bodies: Draft[] = contents.flatMap((content) =>
      best(content, false)
        .slice(0, Math.max(1, content.examples.length))
        .map((body) => ({ parameters, mediaType: content.mediaType, body })),
    );
    return bodies.length > 0 ? bodies : [{ parameters }];
  };

  const arbitrary: Arbitrary<Draft> = fc
    .record({
      parameters: fc.record(
        Object.fromEntries(
          operation.parameters.map(({ key, schema }) => [
            key,
            toArbitrary(root, schemaOf(schema), true),
          ]),
        ),
        {
          requiredKeys: operation.parameters.filter((each) => each.required).map(({ key }) => key),
          noNullPrototype: true,
        },
      ),
      content:
        contents.length === 0
          ? fc.constant({})
          : fc.oneof(
              ...contents.map(({ mediaType, schema }) =>
                toArbitrary(root, schemaOf(schema), false).map((body) => ({ mediaType, body })),
              ),
            ),
    })
    .map(({ parameters, content }) => ({ parameters, ...content }) as Draft);

  return {
    isValid,
    sample: (schema) => sample(schema)[0],
    valid(count) {
      const generated = fc.sample(arbitrary, { seed, numRuns: count * SPARE });
      const minimal = fromExamples(false).slice(0, 1);
      const drafts = [...fromExamples(true), ...minimal, ...generated].filter(isValid);
      const distinct = new Map(drafts.map((draft) => [JSON.stringify(draft), draft]));
      return [...distinct.values()].slice(0, count);
    },
  };
}

/** Returns whether the suite can send a body of this media type. */
export function isWritable(mediaType: string): boolean {
  const isKnown = /[/+](json|x-www-form-urlencoded|form-data|octet-stream)\b|^text\//;
  return isKnown.test(mediaType) && !isXml(mediaType);
}

/** Yields smaller requests, which lack one part or have a shorter or simpler value. They may be invalid. */
export function* shrink(draft: Draft): IterableIterator<Draft> {
  const { parameters, ...content } = draft;
  for (const key of Object.keys(parameters)) {
    const { [key]: value, ...others } = parameters;
    yield { parameters: others, ...content };
    for (const smaller of shrinkValue(value)) {
      yield { parameters: { ...parameters, [key]: smaller }, ...content };
    }
  }
  if (content.mediaType === undefined) return;
  yield { parameters };
  for (const body of shrinkValue(content.body)) yield { ...draft, body };
}

function* shrinkValue(value: unknown): IterableIterator<unknown> {
  if (typeof value === 'string' && value.length > 1) {
    yield value.slice(0, 1);
    yield value.slice(0, value.length / 2);
  }
  if (typeof value === 'number' && value !== 0) yield* [0, 1, Math.trunc(value / 2)];
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      yield value.toSpliced(at, 1);
      for (const smaller of shrinkValue(item)) yield value.with(at, smaller);
    }
  }
  if (!isObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    const { [name]: _, ...others } = value;
    yield others;
    for (const smaller of shrinkValue(item)) yield { ...value, [name]: smaller };
  }
}
