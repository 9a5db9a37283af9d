import { MalformedSignature } from './malformed-signature.ts';
import { type Field, parseFields } from './parse-fields.ts';
import { parseSignedHeaders } from './parse-signed-headers.ts';

/** Last part of a credential scope. */
export const TERMINATOR = 'tc3_request';

const ID = /^[!-~]{1,256}$/;
const HEX = /^[\da-f]{64}$/;
const DATE = /^\d{4}-\d\d-\d\d$/;
const SECONDS = /^\d{1,12}$/;
/** What a header can carry, save the comma that ends the field. */
const TOKEN = /^[!-~]*$/;

/** What a signature of version 3 says. */
export interface Tc3Signature {
  readonly id: string;
  /** UTC date of the credential scope, `2023-11-14`. */
  readonly date: string;
  readonly service: string;
  /** In lower case and sorted. */
  readonly signedHeaders: readonly string[];
  /** SHA-256 in hex, lower case. */
  readonly signature: string;
  /** Seconds since the epoch; undefined where the signature does not say. */
  readonly timestamp: number | undefined;
  /** Empty with permanent credentials. */
  readonly token: string;
}

/**
 * Reads what follows `TC3-HMAC-SHA256 `.
 *
 * @param allowed the fields that may stand there beside `Credential`, `SignedHeaders` and `Signature`
 * @throws MalformedSignature
 */
export function parseSignature(text: string, allowed: readonly Field[]): Tc3Signature {
  const fields = parseFields(text);
  const { id, date, service } = parseCredential(take(fields, 'Credential', true));
  const signature = take(fields, 'Signature', true);
  assertForm('Signature', HEX, signature, '64 hexadecimal digits in lower case');
  const time = take(fields, 'Timestamp', allowed.includes('Timestamp'));
  if (time !== '') assertForm('Timestamp', SECONDS, time, 'a time in whole seconds since 1970');
  const token = allowed.includes('Token')
    ? (fields.get('Token') ?? '')
    : take(fields, 'Token', false);
  assertForm('Token', TOKEN, token, 'visible ASCII characters');
  return {
    id,
    date,
    service,
    signedHeaders: parseSignedHeaders(take(fields, 'SignedHeaders', true)),
    signature,
    timestamp: time === '' ? undefined : Number(time),
    token,
  };
}

function parseCredential(text: string): { id: string; date: string; service: string } {
  const [id = '', date = '', service = '', terminator, ...more] = text.split('/');
  if (more.length > 0 || terminator !== TERMINATOR || !ID.test(id) || !DATE.test(date)) {
    throw new MalformedSignature(
      `The field Credential must be <id>/<date as YYYY-MM-DD>/<service>/${TERMINATOR}.`,
    );
  }
  return { id, date, service };
}

/** Empty where it is not there and need not be. */
function take(fields: ReadonlyMap<Field, string>, name: Field, isWanted: boolean): string {
  const value = fields.get(name);
  if (isWanted && (value === undefined || value === '')) {
    throw new MalformedSignature(`The signature has no ${name}=….`);
  }
  if (!isWanted && value !== undefined) {
    throw new MalformedSignature(`The signature must not have ${name}=… here.`);
  }
  return value ?? '';
}

function assertForm(name: Field, pattern: RegExp, value: string, form: string): void {
  if (!pattern.test(value)) throw new MalformedSignature(`The field ${name} must be ${form}.`);
}
