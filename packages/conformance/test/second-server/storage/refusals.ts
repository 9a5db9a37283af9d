/**
 * How a storage call is refused. The contract knows no code of a failure; it wants 4xx, or status 200
 * with a `code` and no `data`. `ok` marks those that are 200 where only some are.
 */
export const refusals = {
  NO_KEY: { status: 400, ok: false, message: 'All three headers are needed.' },
  BAD_KEY: { status: 409, ok: true, message: 'This key opens nothing here.' },
  BAD_CLOCK: { status: 409, ok: false, message: 'The time is no time, or hours off.' },
  OTHER_ENV: { status: 410, ok: true, message: 'Your key is not for this environment.' },
  NO_OPERATION: { status: 400, ok: false, message: 'There is no such operation.' },
  NOT_POST: { status: 422, ok: false, message: 'Operations are called with POST.' },
  NOT_JSON: { status: 422, ok: false, message: 'The body is no JSON.' },
  TOO_LONG: { status: 422, ok: true, message: 'The body is too long.' },
  BAD_FIELD: { status: 422, ok: true, message: 'A field is missing or has a wrong type.' },
  ODD_FIELD: { status: 422, ok: true, message: 'A field is not known.' },
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
