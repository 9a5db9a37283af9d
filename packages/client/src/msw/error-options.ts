/**
 * What an error answer has beside its code.
 *
 * @example
 * service.get('busy', () => gatewayError('EXCEED_RATELIMIT', { headers: { 'Retry-After': '1' } }));
 */
export interface ErrorOptions {
  /** HTTP status. Default: the one that the contract's table has for the code. */
  readonly status?: number | undefined;
  /** Error text. Default: the one of the table. */
  readonly message?: string | undefined;
  /** Further headers; `Retry-After` is there where the table has one. */
  readonly headers?: RequestInit['headers'] | undefined;
}

/** An error that the table has; or another one, whose status you tell. */
export type ErrorArguments<Table> =
  | [code: keyof Table & string, options?: ErrorOptions]
  | [code: string, options: ErrorOptions & { readonly status: number }];

interface Row {
  readonly status: number;
  readonly message: string;
  readonly retryAfter?: number;
}

/** The parts of an error answer: what is given, else what the table says. */
export function toError(
  table: Readonly<Record<string, Row>>,
  code: string,
  { status, message, headers: given }: ErrorOptions = {},
) {
  const row = Object.hasOwn(table, code) ? table[code] : undefined;
  const requestId = crypto.randomUUID();
  const headers = new Headers(given);
  headers.set('X-Request-Id', requestId);
  if (row?.retryAfter !== undefined && !headers.has('Retry-After')) {
    headers.set('Retry-After', String(row.retryAfter));
  }
  return {
    status: status ?? row?.status ?? 500,
    message: message ?? row?.message ?? code,
    requestId,
    headers,
  };
}
