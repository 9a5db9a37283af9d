import type { Scope } from './tc3.ts';

/** Creates the error for a signature that is rejected. The message never quotes what was sent. */
export type Refuse = (message: string) => Error;

/** The fields of a TC3 signature. */
export interface ParsedSignature extends Scope {
  readonly id: string;
  /** Lowercase names, sorted. */
  readonly signedHeaders: readonly string[];
  /** HMAC-SHA256. */
  readonly signature: Buffer;
  /** Signing time in seconds since the epoch; `NaN` if the signature has none. */
  readonly timestamp: number;
  /** Session token; empty for permanent credentials. */
  readonly token: string;
}

/** Form of each field, and its description. A header name is a token (RFC 9110, section 5.6.2). */
const FORMS = {
  Credential: [
    /^[!-.0-~]{1,256}\/\d{4}-\d\d-\d\d\/[^/]+\/tc3_request$/,
    '<id>/<date as YYYY-MM-DD>/<service>/tc3_request',
  ],
  // Some signers sign every header that they send, but never this many.
  SignedHeaders: [
    /^[!#$%&'*+.^_`|~\da-z-]+(?:;[!#$%&'*+.^_`|~\da-z-]+){0,99}$/i,
    'at most 100 header names, separated by semicolons',
  ],
  Signature: [/^[\da-f]{64}$/, '64 lowercase hexadecimal digits'],
  Timestamp: [/^\d{1,12}$/, 'a time in whole seconds since 1970'],
  // The comma, which ends the field, has already been cut off.
  Token: [/^[!-~]*$/, 'visible ASCII characters'],
} as const;

type Field = keyof typeof FORMS;

const FIELDS = Object.keys(FORMS) as Field[];

/** Far longer than any real signature. Node.js limits all headers together to 16 KiB. */
const MAX_LENGTH = 8192;

/** Parses comma-separated fields: all that are `required`, and no others but `optional` ones. */
export function parseSignature(
  text: string,
  required: readonly Field[],
  optional: readonly Field[],
  refuse: Refuse,
): ParsedSignature {
  const fields = parseFields(text, refuse);
  for (const name of required) {
    if (!fields.get(name)) throw refuse(`The signature must contain ${name}=….`);
  }
  for (const [name, value] of fields) {
    if (!required.includes(name) && !optional.includes(name)) {
      throw refuse(`The signature must not contain ${name}=… here.`);
    }
    const [pattern, form] = FORMS[name];
    if (!pattern.test(value)) throw refuse(`The ${name} field must be ${form}.`);
  }
  const [id = '', date = '', service = ''] = fields.get('Credential')?.split('/') ?? [];
  // D16: names are lower-cased and sorted, however they were sent.
  const signedHeaders = fields.get('SignedHeaders')?.toLowerCase().split(';').sort() ?? [];
  if (new Set(signedHeaders).size < signedHeaders.length) {
    throw refuse('The SignedHeaders field contains a name twice.');
  }
  return {
    id,
    date,
    service,
    signedHeaders,
    signature: Buffer.from(fields.get('Signature') ?? '', 'hex'),
    timestamp: Number(fields.get('Timestamp') ?? Number.NaN),
    token: fields.get('Token') ?? '',
  };
}

/**
 * D16: a missing space after a comma is accepted. A duplicate field is rejected, because two parsers could
 * choose different ones.
 */
function parseFields(text: string, refuse: Refuse): ReadonlyMap<Field, string> {
  if (text.length > MAX_LENGTH) {
    throw refuse(`The signature is longer than ${MAX_LENGTH} characters.`);
  }
  const fields = new Map<Field, string>();
  for (const part of text.split(',')) {
    const [start = '', ...rest] = part.split('=');
    const name = FIELDS.find((field) => field === start.trim());
    if (name === undefined || rest.length === 0) {
      throw refuse(
        `The signature must be a comma-separated list of fields such as Credential=…. Known fields: ${FIELDS.join(', ')}.`,
      );
    }
    if (fields.has(name)) throw refuse(`The signature contains ${name}=… twice.`);
    fields.set(name, rest.join('=').trim());
  }
  return fields;
}
