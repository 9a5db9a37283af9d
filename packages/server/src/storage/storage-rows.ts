import defaults from '@berth/spec/defaults.json' with { type: 'json' };

/** What the contract's table of storage errors says of a code. */
export interface StorageRow {
  readonly code: string;
  readonly message: string;
  /** Whole seconds. */
  readonly retryAfter?: number;
}

/** The row of a code. One that is not in the table is a mistake of this server, so it throws. */
export function rowOf(code: string): StorageRow {
  const row = defaults.storageErrors.find((candidate) => candidate.code === code);
  if (row === undefined) throw new TypeError(`${code} is in no error table of the contract.`);
  return row;
}
