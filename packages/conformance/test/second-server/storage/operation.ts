import { type Choices, limits } from '../choices.ts';
import type { FileStore } from '../objects/file-store.ts';
import type { Grants, Links } from '../objects/grants.ts';

/** What the operations work with. */
export interface Tools {
  files: FileStore;
  grants: Grants;
  links: Links;
  /** URL of the third listener. */
  objectsUrl: string;
  choices: Choices;
}

/** An operation: the fields that it accepts, and how it creates `data` from them. */
export interface Operation {
  shape: Shape;
  run(fields: Record<string, unknown>, tools: Tools): object;
}

/** The items of a list: objects with this shape, or strings. Rejects the call if there are too many. */
export function readList(list: unknown, shape: Shape | 'string', { choices }: Tools): unknown[] {
  const items = list as unknown[];
  if (items.length > limits.batchItems) throw new Refusal('TOO_MANY');
  for (const item of items) {
    if (shape !== 'string') checkFields(item, shape, choices.should);
    else if (typeof item !== 'string') throw new Refusal('BAD_FIELD');
  }
  return items;
}

/** Field → its JSON type, with `?` if it is optional. */
export type Shape = Record<string, `${'string' | 'number' | 'boolean' | 'list'}${'' | '?'}`>;

/** Returns whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rejects the call if a field "is missing or has a wrong type". */
export function checkFields(value: unknown, shape: Shape, should: Choices['should']) {
  if (!isObject(value)) throw new Refusal('BAD_FIELD');
  for (const [name, type] of Object.entries(shape)) {
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const actual = Array.isArray(field) ? 'list' : typeof field;
    const optional = type.endsWith('?') && field === undefined;
    if (!optional && actual !== type.replace('?', '')) throw new Refusal('BAD_FIELD');
  }
  const odd = Object.keys(value).some((name) => !Object.hasOwn(shape, name));
  if (odd && should === 'dropped') throw new Refusal('ODD_FIELD');
  return value;
}

/**
 * How a storage call is rejected. The contract specifies no code for a failure; it requires 4xx, or status 200
 * with a `code` and no `data`. `ok` marks those that are 200 if only some are.
 */
export const refusals = {
  NO_KEY: { status: 400, ok: false, message: 'All three headers are needed.' },
  BAD_KEY: { status: 409, ok: true, message: 'This key opens nothing here.' },
  BAD_CLOCK: { status: 409, ok: false, message: 'The time is not a time, or hours off.' },
  OTHER_ENV: { status: 410, ok: true, message: 'Your key is not for this environment.' },
  NO_OPERATION: { status: 400, ok: false, message: 'There is no such operation.' },
  NOT_POST: { status: 422, ok: false, message: 'Operations are called with POST.' },
  NOT_JSON: { status: 422, ok: false, message: 'The body is not JSON.' },
  TOO_LONG: { status: 422, ok: true, message: 'The body is too long.' },
  BAD_FIELD: { status: 422, ok: true, message: 'A field is missing or has a wrong type.' },
  ODD_FIELD: { status: 422, ok: true, message: 'A field is unknown.' },
  BAD_PATH: { status: 422, ok: false, message: 'No file can have this path.' },
  TOO_MANY: { status: 422, ok: true, message: 'The list is too long.' },
} as const;

export type RefusalCode = keyof typeof refusals;

/** The end of a storage call that fails as a whole. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(refusals[code].message);
    this.code = code;
  }
}
