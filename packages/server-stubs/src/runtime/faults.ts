import type { SchemaError } from './route-table.ts';

const ARTICLES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'a boolean',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

/** The reason why the router responds instead of a handler. */
export type FaultKind =
  | 'not-found'
  | 'method-not-allowed'
  | 'bad-path'
  | 'invalid-request'
  | 'malformed-body'
  | 'unsupported-media-type'
  | 'too-large'
  | 'unauthorized'
  | 'not-implemented'
  | 'invalid-response'
  | 'handler-failed';

/** A fault that has not yet been formatted as a response. It contains no stack traces and no secrets. */
export interface Fault {
  readonly kind: FaultKind;
  /** 400, 401, 404, 405, 413, 414, 415, 431, 500 or 501. */
  readonly status: number;
  /** A sentence for the caller, which names the field and the fix. */
  readonly message: string;
  /** What is wrong with the request. Absent if the server is at fault. */
  readonly violations?: readonly Violation[];
  /** Absent if no operation was found. */
  readonly operationId?: string;
  /**
   * Headers that HTTP requires in the response: `Allow` (405), `WWW-Authenticate` (401), `Accept` (415).
   * The router adds them to the result of `toResponse`.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** The underlying error, for the log. Never sent. */
  readonly cause?: unknown;
}

/** A violation of the document by a request or response. */
export interface Violation {
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body' | 'response';
  /** JSON Pointer to the value, within the part that `in` names, such as `/fileList/0/fileID`. */
  readonly pointer: string;
  /** The JSON Schema keyword that failed, or one of the runtime's own, such as `syntax`. */
  readonly keyword: string;
  /** A sentence that says what is wrong with which field, such as `body.fileList is missing.` */
  readonly message: string;
  /** Path of the keyword in the schema. Empty if no schema was involved. */
  readonly schemaPath: string;
}

/**
 * An error that contains a fault. The multipart stream throws it if a form is malformed or too large.
 * Handlers need not catch it, because the router converts it to a response.
 */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly fault: Fault;

  constructor(fault: Fault) {
    super(fault.message, { cause: fault.cause });
    this.fault = fault;
  }
}

export function toSimpleViolation(
  place: Violation['in'],
  pointer: string,
  keyword: string,
  message: string,
): Violation {
  return { in: place, pointer, keyword, message, schemaPath: '' };
}

export function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Converts a validator's first error to a violation. */
export function toViolation(
  errors: readonly SchemaError[] | null | undefined,
  place: Violation['in'],
  root: string,
  prefix = '',
): Violation {
  const error = errors?.[0];
  if (error === undefined) {
    return toSimpleViolation(place, prefix, 'schema', `${root} does not match the schema.`);
  }
  const { keyword, schemaPath } = error;
  const pointer = prefix + error.instancePath + missingOf(error);
  return {
    in: place,
    pointer,
    keyword,
    message: toMessage(error, `${root}${toPath(pointer)}`),
    schemaPath,
  };
}

/** Ajv reports a missing property with the path of its parent. */
function missingOf({ keyword, params }: SchemaError): string {
  const name = keyword === 'required' ? params.missingProperty : undefined;
  return typeof name === 'string' ? `/${escapeName(name)}` : '';
}

function toMessage(
  { keyword, params, message = 'is not valid' }: SchemaError,
  field: string,
): string {
  switch (keyword) {
    case 'required':
      return `${field} is missing.`;
    case 'type':
      return `${field} must be ${toTypes(params.type)}.`;
    case 'enum':
      return `${field} must be one of ${toList(params.allowedValues)}.`;
    case 'const':
      return `${field} must be ${JSON.stringify(params.allowedValue)}.`;
    case 'additionalProperties':
      return `${field} must not contain the property ${String(params.additionalProperty)}.`;
    case 'unevaluatedProperties':
      return `${field} must not contain the property ${String(params.unevaluatedProperty)}.`;
    case 'format':
      return `${field} must be a valid ${String(params.format)}.`;
    default:
      return `${field} ${message.replace('must NOT', 'must not')}.`;
  }
}

/** Turns `/fileList/0/fileID` into `.fileList[0].fileID`. */
function toPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('');
}

function toTypes(type: unknown): string {
  const types = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return types.map((name) => ARTICLES[name] ?? name).join(' or ');
}

function toList(values: unknown): string {
  return Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(', ')
    : 'its values';
}

export function notFound(path: string): Fault {
  return { kind: 'not-found', status: 404, message: `The path ${path} does not exist.` };
}

export function notAllowed(method: string, methods: readonly string[]): Fault {
  const allow = methods.join(', ');
  const message = `${method} is not allowed here: use ${allow}.`;
  // RFC 9110, section 15.5.6: "The origin server MUST generate an Allow header field".
  return { kind: 'method-not-allowed', status: 405, message, headers: { allow } };
}

export function invalidRequest(violations: readonly Violation[]): Fault {
  return {
    kind: 'invalid-request',
    status: 400,
    message: violations.map(({ message }) => message).join(' '),
    violations,
  };
}

export function missingBody(): Fault {
  const message = 'The request body is missing.';
  return invalidRequest([toSimpleViolation('body', '', 'required', message)]);
}

export function malformed(message: string, cause?: unknown): Fault {
  const violations = [toSimpleViolation('body', '', 'syntax', message)];
  return { kind: 'malformed-body', status: 400, message, violations, cause };
}

export function tooLarge(message: string, status = 413): Fault {
  return { kind: 'too-large', status, message };
}

/** @param name the path parameter that cannot be decoded */
export function badPath(name: string): Fault {
  const message = `path.${name} has invalid percent-encoding.`;
  const violations = [toSimpleViolation('path', `/${name}`, 'encoding', message)];
  return { kind: 'bad-path', status: 400, message, violations };
}

export function bodyTooLarge(maxBytes: number): Fault {
  return tooLarge(`The request body is larger than ${maxBytes} bytes.`);
}

export function tooMany(what: string, most: number): Fault {
  return tooLarge(`The form has more than ${most} ${what}.`);
}

/** @param accepted for the `Accept` header (RFC 9110, section 15.5.16) */
export function unsupported(message: string, accepted: string): Fault {
  return {
    kind: 'unsupported-media-type',
    status: 415,
    message,
    headers: accepted === '' ? {} : { accept: accepted },
  };
}
