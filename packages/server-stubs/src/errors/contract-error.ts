import { type ErrorRow, errorRow } from './error-row.ts';

/** What an error of the contract may say beyond its code. */
export interface ContractErrorOptions {
  /** Text for the caller: what is wrong and how to mend it. Default: the text of the code's row. */
  readonly message?: string;
  /** Status of the answer. Default: the one of the code's row; 500 for a code that has none. */
  readonly status?: number;
  /** Whole seconds that the caller should wait, sent as `Retry-After`. Default: those of the row. */
  readonly retryAfter?: number;
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What led to this error. It is never sent. */
  readonly cause?: unknown;
}

/** What the errors of the three surfaces have in common. */
export abstract class ContractError extends Error {
  readonly code: string;
  /** Status of the answer. */
  readonly status: number;
  /** Whole seconds; undefined where no wait helps. */
  readonly retryAfter: number | undefined;
  /** Headers of the answer that depend on nothing but this error. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    table: Readonly<Record<string, ErrorRow>>,
    code: string,
    { message, status, retryAfter, headers, cause }: ContractErrorOptions = {},
  ) {
    const row = errorRow(table, code);
    super(message ?? row.message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status ?? row.status;
    this.retryAfter = retryAfter ?? row.retryAfter;
    this.headers =
      this.retryAfter === undefined
        ? { ...headers }
        : { 'retry-after': String(this.retryAfter), ...headers };
  }
}
