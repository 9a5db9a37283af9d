import defaults from '@berth/spec/defaults.json' with { type: 'json' };

/** One row of an error table: code, meaning and status. */
interface ErrorRow {
  code: string;
  status: number;
  message: string;
  retryAfter?: number;
}

type Limits = typeof defaults.limits;

/** Returns a limit from the table, in the unit that its row specifies. */
export function limit(name: keyof Limits): number {
  return defaults.limits[name].value;
}

export interface ErrorTable {
  /** Returns the row of a code. Throws for an unknown code, which is a bug in the mock. */
  get(code: string): ErrorRow;
  find(code: unknown): ErrorRow | undefined;
  /** Returns the first row with this error status. */
  findStatus(status: number): ErrorRow | undefined;
  /** All statuses. */
  readonly statuses: readonly number[];
}

function createErrorTable(rows: readonly ErrorRow[]): ErrorTable {
  const find = (code: unknown) => rows.find((row) => row.code === code);
  const statuses = new Set(rows.map(({ status }) => status));
  return {
    find,
    statuses: [...statuses],
    findStatus: (status) => rows.find((row) => row.status === status && status >= 400),
    get(code) {
      const row = find(code);
      if (row === undefined)
        throw new TypeError(`${code} is not in any error table of the contract.`);
      return row;
    },
  };
}

export const gatewayErrors = createErrorTable(defaults.gatewayErrors);
export const storageErrors = createErrorTable(defaults.storageErrors);
export const uploadErrors = createErrorTable(defaults.uploadErrors);
export const { signature } = defaults;
