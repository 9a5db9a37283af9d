import { BerthError, type CallInfo, type SchemaIssue } from './errors.ts';

/** A validator that implements Standard Schema (https://standardschema.dev), such as one of Zod, Valibot or ArkType. */
export interface StandardSchema<Output = unknown> {
  /** The properties of Standard Schema, version 1. */
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
  };
}

type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Reads a payload by its media type: JSON is parsed, no bytes become `undefined`, and the rest is text. */
export async function toPayload<Payload>(
  response: Response,
  bytes: ArrayBuffer | undefined,
  call: CallInfo,
  schema: StandardSchema<Payload> | undefined,
): Promise<Payload> {
  const type = response.headers.get('Content-Type') ?? '';
  const text = decode(bytes, type);
  let payload: unknown = text || undefined;
  if (text && /^application\/(\S+\+)?json\b/i.test(type)) {
    payload = parseJson(text);
    if (payload === undefined) throw contractError(response, call, 'invalid JSON');
  }
  return schema ? validate(payload, schema, response, call) : (payload as Payload);
}

/** Decodes text by the charset of its media type; UTF-8 if there is none, or an unknown one. */
function decode(bytes: ArrayBuffer | undefined, type: string): string {
  const [, charset = 'utf-8'] = /;\s*charset="?([^\s";]+)/i.exec(type) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

/**
 * Returns a value as the schema returns it.
 *
 * @throws BerthError of the kind `contract`
 */
export async function validate<Output>(
  value: unknown,
  schema: StandardSchema<Output>,
  response: Response,
  call: CallInfo,
): Promise<Output> {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return result.value;
  const issues = result.issues.map(({ message, path = [] }) => ({
    message,
    path: path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.'),
  }));
  const [first] = issues;
  const reason = first?.path ? `${first.path}: ${first.message}` : first?.message;
  throw contractError(response, call, reason ?? 'the payload is invalid', issues);
}

/** Creates the error for a successful response of an unexpected form. */
export function contractError(
  { status, headers }: Response,
  { method = 'GET', url }: CallInfo,
  reason: string,
  issues: readonly SchemaIssue[] = [],
): BerthError {
  const requestId = headers.get('X-Request-Id') ?? undefined;
  return new BerthError('contract', 'Unexpected response', {
    method,
    url,
    status,
    requestId,
    reason,
    issues,
  });
}

/** Parses JSON. Returns `undefined` if it is invalid: the parser's error would quote it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Maximum size of an error response that is read, in bytes. */
const ERROR_BYTES = 65_536;

/** Reads the start of an error response as text. */
export async function readErrorText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  for (let size = 0; reader && size < ERROR_BYTES; ) {
    const { value } = await reader.read();
    if (!value) return text;
    size += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  reader?.cancel().catch(() => {});
  return text;
}
