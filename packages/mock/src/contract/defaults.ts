import defaults from '@berth/spec/defaults.json' with { type: 'json' };

/** One row of an error table: what a code means, and with which status it is answered. */
interface ErrorRow {
  code: string;
  status: number;
  message: string;
  retryAfter?: number;
}

type Limits = typeof defaults.limits;

/** The value of a limit, in the unit that its row states. */
export function limit(name: keyof Limits): number {
  return defaults.limits[name].value;
}

export interface ErrorTable {
  /** The row of a code. One that is not in the table is a mistake of the mock, so it throws. */
  get(code: string): ErrorRow;
  find(code: unknown): ErrorRow | undefined;
  /** The first row of an error status. */
  findStatus(status: number): ErrorRow | undefined;
}

function createErrorTable(rows: readonly ErrorRow[]): ErrorTable {
  const find = (code: unknown) => rows.find((row) => row.code === code);
  return {
    find,
    findStatus: (status) => rows.find((row) => row.status === status && status >= 400),
    get(code) {
      const row = find(code);
      if (row === undefined) throw new TypeError(`${code} is in no error table of the contract.`);
      return row;
    },
  };
}

export const gatewayErrors = createErrorTable(defaults.gatewayErrors);
export const storageErrors = createErrorTable(defaults.storageErrors);
export const uploadErrors = createErrorTable(defaults.uploadErrors);
export const { signature } = defaults;
