/** What the tables of the contract say of one error code. */
export interface ErrorRow {
  readonly status: number;
  readonly message: string;
  /** Whole seconds. */
  readonly retryAfter?: number;
}

/** For a code that is in no table: the deployment's own. */
const UNKNOWN: ErrorRow = { status: 500, message: 'The call failed.' };

/** The row of a code; a status of 500 where the table has none. */
export function errorRow(table: Readonly<Record<string, ErrorRow>>, code: string): ErrorRow {
  return Object.hasOwn(table, code) ? (table[code] as ErrorRow) : UNKNOWN;
}
