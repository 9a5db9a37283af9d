import { typeTag } from './checks.ts';
import { type CallInfo, contractError, optionsError, type SchemaIssue } from './errors.ts';
import { assertUnread, isStream } from './streams.ts';
import { isPage } from './urls.ts';

/**
 * Returns what a POST sends: strings, bytes, blobs, forms and streams as is, everything else as JSON, with its media
 * type. Types are recognized by name, because `instanceof` fails for values of another realm or package.
 */
export function toBody(value: unknown): { body?: RequestInit['body']; headers?: object } {
  if (value === undefined) return {};
  if (typeof value === 'string') return { body: value };
  const tag = typeTag(value);
  const unsendable = `This ${tag} cannot be sent: pass JSON, text or bytes.`;
  if (ArrayBuffer.isView(value) || tag === 'ArrayBuffer') return { body: value as ArrayBuffer };
  if (isStream(value) || /^(Blob|File|FormData|URLSearchParams)$/.test(tag)) {
    const body = value as ReadableStream | Blob;
    assertUnread(body);
    // Outside of pages, every iterable can be sent, and a `Response` would start to read it.
    if (Symbol.asyncIterator in body && !isPage()) return { body };
    const type = new Response(body).headers.get('Content-Type');
    // A body that the platform does not know, such as another package's `Blob`, would be sent as `[object …]`.
    if (type !== 'text/plain;charset=UTF-8') return { body };
    throw optionsError(unsendable);
  }
  let body: string | undefined;
  try {
    body = JSON.stringify(value);
  } catch (cause) {
    throw optionsError('A body cannot be sent as JSON', cause);
  }
  const isUnknown = body === undefined || (body === '{}' && tag !== 'Object');
  if (isUnknown) throw optionsError(unsendable);
  return { body, headers: { 'content-type': 'application/json' } };
}

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
  | { readonly issues: readonly SchemaIssue[] };

/** Reads a payload by its media type: JSON is parsed, an empty body becomes `undefined`, anything else stays text. */
export async function toPayload<Payload>(
  response: Response,
  text: string | undefined,
  info: CallInfo,
  schema: StandardSchema<Payload> | undefined,
): Promise<Payload> {
  const type = response.headers.get('Content-Type') ?? '';
  let payload: unknown = text || undefined;
  if (text && /^application\/(\S+\+)?json\s*(;|$)/i.test(type)) {
    payload = parseJson(text);
    if (payload === undefined) throw contractError(response, info, 'invalid JSON');
  }
  const result = await schema?.['~standard'].validate(payload);
  if (!result) return payload as Payload;
  if (!result.issues) return result.value;
  const [first] = result.issues;
  const steps = first?.path?.map((step) => String(typeof step === 'object' ? step.key : step));
  const reason = [steps?.join('.'), first?.message].filter(Boolean).join(': ');
  throw contractError(response, info, reason, result.issues);
}

/** Decodes text by the charset of its media type; UTF-8 if there is none, or an unknown one. */
function createDecoder({ headers }: Response) {
  const charset = headers.get('Content-Type')?.match(/;\s*charset="?([^\s";]+)/i)?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** Parses JSON. Returns the fallback if it is invalid: the parser's error would quote it. */
export function parseJson(text: string, fallback?: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return fallback;
  }
}

/** Reads a body as text. Stops reading after `maxBytes`. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  const decoder = createDecoder(response);
  const reader = response.body?.getReader();
  let text = '';
  for (let size = 0; size <= maxBytes; ) {
    const { value } = (await reader?.read()) ?? {};
    if (!value) return text + decoder.decode();
    size += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  reader?.cancel().catch(() => {});
  return text;
}
