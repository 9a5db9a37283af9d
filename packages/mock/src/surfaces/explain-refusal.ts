import { createRequire } from 'node:module';
import type { Call, Violation } from '@berth/server-stubs';
import { HttpError } from '@berth/server-stubs/runtime';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { distance } from 'fastest-levenshtein';
import { type Operation, operations, type Schema, toFlatSchema } from '../contract/contract.ts';
import { recordOf } from '../session/call-record.ts';
import { isObject, parseJson, toKeys } from '../util/values.ts';

/**
 * Creates a function that logs what is wrong with a request, in more detail than the router: it reports all
 * errors in a body with the actual values, and suggests similar paths for an unknown path.
 */
export function createRefusalExplainer(
  words: (error: HttpError, call: Call) => string | undefined = () => undefined,
): (error: HttpError, call: Call) => HttpError {
  return (error, call) => {
    const record = recordOf(call.request);
    record.operationId = call.operationId || undefined;
    // A preflight announces a call, which is checked itself.
    const isPreflight = call.request.method === 'OPTIONS';
    const isMissing = error.kind === 'not-found' || error.kind === 'method-not-allowed';
    record.matched = isPreflight || !isMissing;
    const explained = {
      message: error.message,
      violations: error.violations,
      ...explain(error, call),
    };
    record.violations = explained.violations;
    const message = words(error, call) ?? explained.message;
    return new HttpError(error.kind, message, { ...error, ...explained, cause: error.cause });
  };
}

/** What a request violates, and a message that says it. What is not explained keeps the router's words. */
interface Explanation {
  readonly violations?: readonly Violation[];
  readonly message?: string;
}

function explain({ kind, violations }: HttpError, call: Call): Explanation {
  if (kind === 'not-found') {
    const templates = new Set(operations.map(({ path }) => path));
    return { message: explainPath(call.rawPath, [...templates]) };
  }
  const [first] = violations;
  const operation = operations.find(({ id }) => id === call.operationId);
  if (kind !== 'invalid-request' || first === undefined || operation === undefined) return {};
  if (first.in === 'path') return explainParameter(operation, call.rawPath, first);
  if (first.in !== 'body' || first.keyword === 'unwrap' || !operation.body) return {};
  const bytes = recordOf(call.request).wholeBody;
  return explainBody(operation.body, bytes, first);
}

/** More sentences than this do not help. */
const MAX_SENTENCES = 3;

/**
 * Returns all errors in a body that the router rejected at the first violation.
 *
 * @param bytes undefined if they are incomplete
 * @param first the error that the router found
 */
function explainBody(schema: Schema, bytes: Buffer | undefined, first: Violation): Explanation {
  const body = bytes && parseJson(bytes.toString());
  const wrapper = schema['x-berth-unwrap'] ?? '';
  const isWrapped = isObject(body) && Object.hasOwn(body, wrapper);
  const fields = isWrapped ? body[wrapper] : body;
  const validate = compileSchema(toFlatSchema(schema));
  const isExplained = bytes !== undefined && (isObject(fields) || !isWrapped);
  if (!isExplained || validate(fields) || !validate.errors) return { violations: [first] };
  const prefix = isWrapped ? `/${wrapper}` : '';
  const violations = validate.errors.map((error): Violation => {
    const { keyword, instancePath, params } = error;
    const missing = keyword === 'required' ? `/${params.missingProperty}` : '';
    const pointer = prefix + instancePath + missing;
    return { in: 'body', pointer, keyword, message: describeError(error, fields) };
  });
  const sentences = violations.slice(0, MAX_SENTENCES).map(({ message }) => message);
  return { violations, message: sentences.join(' ') };
}

/**
 * Describes which field is invalid and what it must be.
 *
 * @param body the validated value, used to report what was sent instead
 * @example
 * describeError(error, body); // 'fileList[0].fileID must be a string, got a number.'
 */
function describeError(error: ErrorObject, body: unknown): string {
  const { instancePath, keyword, params, message = 'must be valid' } = error;
  const keys = toKeys(instancePath);
  if (keyword === 'required') return `${toField([...keys, params.missingProperty])} is required.`;
  const field = toField(keys) || 'The body';
  if (keyword !== 'type') return `${field} ${message}.`;
  const value = keys.reduce<unknown>((node, key) => (node as Record<string, unknown>)[key], body);
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return `${field} must be ${withArticle(String(params.type))}, got ${withArticle(kind)}.`;
}

/** `['fileList', '0', 'fileID']` → `fileList[0].fileID`. */
function toField(keys: readonly string[]): string {
  return keys
    .map((key) => (/^\d+$/.test(key) ? `[${key}]` : `.${key}`))
    .join('')
    .replace(/^\./, '');
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

/** Returns all errors in a path parameter that the router rejected at the first violation. */
function explainParameter(
  { path, parameters }: Operation,
  rawPath: string,
  first: Violation,
): Explanation {
  const name = first.pointer.slice(1);
  const parameter = parameters.find((one) => one.in === first.in && one.name === name);
  const place = path.split('/').indexOf(`{${name}}`);
  const value = rawPath.split('/')[place];
  if (parameter === undefined || value === undefined) return { violations: [first] };
  const validate = compileSchema(parameter.schema);
  if (validate(decodeURIComponent(value)) || !validate.errors) return { violations: [first] };
  return {
    violations: validate.errors.map(({ keyword, message = 'is not valid' }) => ({
      in: first.in,
      pointer: first.pointer,
      keyword,
      message: `${first.in}.${name} ${message}.`,
    })),
  };
}

function explainPath(path: string, templates: readonly string[]): string {
  const shown = path.length > 100 ? `${path.slice(0, 100)}…` : path;
  const near = nearPaths(path, templates);
  const hint = near.length > 0 ? ` Similar paths: ${near.join(', ')}.` : '';
  return `${shown} is not a path of this API.${hint}`;
}

/** Maximum fraction of a path that may differ from a similar one. */
const MOST_OFF = 0.4;

/** Templates with this many more edits than the closest one are not listed. */
const MOST_BEHIND = 2;

/**
 * Returns the templates that are similar to a path, best first. The parameters of a template are replaced
 * with the segments of the path, and the result is compared by edit distance. A double slash counts as one.
 *
 * @example
 * nearPaths('/v1/cloudruns/hello', ['/v1/cloudrun/{name}', '/']); // ['/v1/cloudrun/{name}']
 */
function nearPaths(path: string, templates: readonly string[]): string[] {
  // A longer path has no similar ones, and computing its edit distance would be slow.
  if (path.length > 300) return [];
  const clean = path.replace(/\/{2,}/g, '/');
  const segments = clean.split('/');
  const candidates = templates
    .map((template) => ({ template, off: distance(clean, fill(template, segments)) }))
    .filter(({ off }) => off <= clean.length * MOST_OFF)
    .sort((a, b) => a.off - b.off);
  const nearest = candidates[0]?.off ?? 0;
  return candidates
    .filter(({ off }) => off <= nearest + MOST_BEHIND)
    .map(({ template }) => template);
}

function fill(template: string, segments: string[]): string {
  return template
    .split('/')
    .map((part, index) => (part.startsWith('{') ? (segments[index] ?? part) : part))
    .join('/');
}

const require = createRequire(import.meta.url);
const validators = new WeakMap<object, ValidateFunction>();

/** Compiles a schema to a function that reports every violation. Ajv is loaded on first use. */
function compileSchema(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const options = {
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
  } as const;
  const validate = new Ajv2020(options).compile(schema);
  validators.set(schema, validate);
  return validate;
}
