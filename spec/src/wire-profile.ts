import { DEFAULT_WIRE_PROFILE } from './generated/wire-profile.gen.ts';

/**
 * The names and forms in which deployments differ (D1). The names of headers and form fields are
 * case-insensitive. The name of the JSON field `storeFileID` is case-sensitive.
 */
export interface WireProfile {
  /** Name of the profile, as shown in reports. */
  readonly name?: string;
  /** Names of the three headers that authenticate a storage call. */
  readonly storageHeaders: {
    /** Header that contains the signature. */
    readonly authorization: string;
    /** Header that contains the session token. */
    readonly sessionToken: string;
    /** Header that contains the time, in seconds since the epoch. */
    readonly timestamp: string;
  };
  /** Names of the two upload form fields that contain a vendor's name in real deployments. */
  readonly uploadFields: {
    /** Field that contains the token of the upload grant. */
    readonly securityToken: string;
    /** Field that contains the ID of the file in the object store. */
    readonly metaFileId: string;
  };
  /** Name of the property in the upload metadata that contains the ID of the file in the object store. */
  readonly storeFileID: string;
  /** Names of the headers that the gateway adds to responses. */
  readonly gatewayHeaders: {
    /** Header that contains the status of the hosted service's response. */
    readonly upstreamStatus: string;
  };
  /**
   * Form of storage responses: `wrapped` is `{ statusCode, body: { requestId, … } }`, and `flat` is
   * `{ requestId, … }` with the HTTP status (D20).
   */
  readonly envelope: 'wrapped' | 'flat';
  /** How clients spell the paths of a copy: with a leading `/` or without (D24). */
  readonly copyPaths: 'absolute' | 'relative';
}

/** The type of text in an imported JSON file. The value is checked at run time. */
type Text = string & {};

/**
 * A wire profile in which every field is optional, such as an imported JSON file. A missing field has the
 * contract's default.
 *
 * @example
 * const profile: WireProfileInput = { storeFileID: 'acmeFileID', envelope: 'flat' };
 */
export type WireProfileInput = {
  readonly [Field in Exclude<keyof WireProfile, 'envelope' | 'copyPaths'>]?:
    | (WireProfile[Field] extends string | undefined
        ? string
        : { readonly [Name in keyof WireProfile[Field]]?: string | undefined })
    | undefined;
} & {
  /** URL of the JSON Schema, for editors. */
  readonly $schema?: string | undefined;
  readonly envelope?: WireProfile['envelope'] | Text | undefined;
  readonly copyPaths?: WireProfile['copyPaths'] | Text | undefined;
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
  return complete({ ...fields }, DEFAULT_WIRE_PROFILE, '') as unknown as WireProfile;
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

/** The fields that have one of a few values. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  envelope: ['wrapped', 'flat'],
  copyPaths: ['absolute', 'relative'],
};

/** The fields whose value is not the name of a header or form field. */
const TEXTS = ['name', 'storeFileID'];

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

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
  const choices = CHOICES[field];
  if (choices !== undefined) {
    if (choices.includes(value as string)) return value;
    throw new WireProfileError(field, `must be ${choices.join(' or ')}`);
  }
  if (TEXTS.includes(field)) {
    if (typeof value === 'string' && value !== '') return value;
    throw new WireProfileError(field, 'must be a string that is not empty');
  }
  if (typeof value === 'string' && TOKEN.test(value)) return value;
  throw new WireProfileError(field, 'must be the name of a header or form field');
}

function toObject(value: unknown, field: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new WireProfileError(field, 'must be an object');
}
