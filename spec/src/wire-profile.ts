import { DEFAULT_WIRE_PROFILE, type WireProfile } from './generated/wire-profile.gen.ts';

export type { WireProfile } from './generated/wire-profile.gen.ts';

/** A value from an imported JSON file, whose texts have the type `string`. They are checked at run time. */
type Input<Value> = Value extends string
  ? Value | (string & {})
  : { readonly [Field in keyof Value]?: Input<Value[Field]> | undefined };

/**
 * A wire profile in which every field is optional, such as an imported JSON file. A missing field has the
 * contract's default.
 *
 * @example
 * const profile: WireProfileInput = { storeFileID: 'acmeFileID', envelope: 'flat' };
 */
export type WireProfileInput = Input<WireProfile> & {
  /** URL of the JSON Schema, for editors. */
  readonly $schema?: string | undefined;
};

/** The contract's neutral names and default forms. */
export const defaultWireProfile: WireProfile = DEFAULT_WIRE_PROFILE;

/** Thrown if a wire profile is invalid. The message is one sentence that names the field. */
export class WireProfileError extends TypeError {
  override readonly name = 'WireProfileError';
  readonly code = 'INVALID_WIRE_PROFILE';
  /** The invalid field, such as `storageHeaders.timestamp`; empty if the profile is not an object. */
  readonly field: string;
  /** What is wrong with the field, such as `must be an object`. */
  readonly problem: string;

  /** @param file name of the file that contains the profile; by default, an option named `wireProfile` */
  constructor(field: string, problem: string, file?: string) {
    const option = field === '' ? 'wireProfile' : `wireProfile.${field}`;
    const place = file === undefined ? option : `${file} is not a wire profile: ${field || 'it'}`;
    super(`${place} ${problem}.`);
    this.field = field;
    this.problem = problem;
  }
}

/**
 * Completes a wire profile: checks its fields, and adds the default of each missing one. A complete profile
 * is returned as an equal one.
 *
 * @throws WireProfileError that names the first invalid or unknown field
 *
 * @example
 * toWireProfile({ envelope: 'flat' }).storeFileID; // 'storeFileID'
 */
export function toWireProfile(input: WireProfileInput = {}): WireProfile {
  const { $schema: _, ...fields } = toObject(input, '');
  return complete(fields, DEFAULT_WIRE_PROFILE, '') as unknown as WireProfile;
}

/**
 * Parses a file with a wire profile in JSON, and completes the profile.
 *
 * @param text content of the file
 * @param file name of the file, for messages
 * @throws WireProfileError that names the file and the first invalid or unknown field
 */
export function parseWireProfile(text: string, file: string): WireProfile {
  try {
    return toWireProfile(JSON.parse(text));
  } catch (error) {
    if (error instanceof WireProfileError) {
      throw new WireProfileError(error.field, error.problem, file);
    }
    // V8's message would quote the file, which may be one with credentials.
    throw new WireProfileError('', 'is not valid JSON', file);
  }
}

type Fields = { readonly [name: string]: unknown };

/** What the value of a field must be. RFC 9110, section 5.6.2, defines the names of headers. */
const NAME = [/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'the name of a header or form field'] as const;
const TEXT = [/./s, 'a string that is not empty'] as const;
const FORMS: Readonly<Record<string, readonly [pattern: RegExp, form: string]>> = {
  name: TEXT,
  storeFileID: TEXT,
  envelope: [/^(wrapped|flat)$/, 'wrapped or flat'],
  copyPaths: [/^(absolute|relative)$/, 'absolute or relative'],
};

function complete(fields: Fields, defaults: Fields, parent: string): Fields {
  const names = Object.keys(defaults);
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw new WireProfileError(
      parent + unknown,
      `is unknown. Known fields: ${names.map((name) => parent + name).join(', ')}`,
    );
  }
  const entries = names.map((name) => [name, toValue(fields[name], defaults[name], parent + name)]);
  return Object.fromEntries(entries);
}

function toValue(value: unknown, fallback: unknown, field: string): unknown {
  if (value === undefined) return fallback;
  if (typeof fallback === 'object') {
    return complete(toObject(value, field), fallback as Fields, `${field}.`);
  }
  const [pattern, form] = FORMS[field] ?? NAME;
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw new WireProfileError(field, `must be ${form}`);
}

function toObject(value: unknown, field: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new WireProfileError(field, 'must be an object');
}
