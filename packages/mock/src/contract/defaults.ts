import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };

/** The names on the wire that differ between deployments (D1). */
export type WireProfile = typeof profile;

/** One row of an error table: what a code means, and with which status it is answered. */
export interface ErrorRow {
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

/** A table of errors by code. A code that is not in it is a mistake of the mock, so it throws. */
function createErrorTable(rows: readonly ErrorRow[]): (code: string) => ErrorRow {
  const byCode = new Map(rows.map((row) => [row.code, row]));
  return (code) => {
    const row = byCode.get(code);
    if (row === undefined) throw new TypeError(`${code} is in no error table of the contract.`);
    return row;
  };
}

export const gatewayErrors = createErrorTable(defaults.gatewayErrors);
export const storageErrors = createErrorTable(defaults.storageErrors);
export const uploadErrors = createErrorTable(defaults.uploadErrors);
export const { cors, signature } = defaults;
export { profile };
