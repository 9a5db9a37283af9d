/** One row of an error table of `spec/defaults`, as far as a server needs it. */
export interface ErrorRow {
  code: string;
  status: number;
  message: string;
  retryAfter?: number;
  level?: string;
}

/** The error tables of `spec/defaults`. */
export interface ErrorTables {
  gatewayErrors: readonly ErrorRow[];
  storageErrors: readonly ErrorRow[];
  uploadErrors: readonly ErrorRow[];
}

/** Source of `errors.gen.ts`: one constant for each of the three surfaces, its rows keyed by code. */
export function toErrorsModule({
  gatewayErrors,
  storageErrors,
  uploadErrors,
}: ErrorTables): string {
  const calls = storageErrors.filter(({ level }) => level === 'call');
  const items = storageErrors.filter(({ level }) => level === 'item');
  return [
    table('GATEWAY_ERRORS', 'Errors of the gateway (D6).', gatewayErrors),
    table('STORAGE_ERRORS', 'Errors of a whole storage call (D26).', calls),
    table('STORAGE_ITEM_ERRORS', 'Errors of one entry of a result list (D26).', items),
    table('UPLOAD_ERRORS', 'Errors of the upload target (D27).', uploadErrors),
  ].join('\n\n');
}

function table(name: string, text: string, rows: readonly ErrorRow[]): string {
  const byCode = Object.fromEntries(
    rows.map(({ code, status, message, retryAfter }) => [
      code,
      { status, message, ...(retryAfter !== undefined && { retryAfter }) },
    ]),
  );
  return `/** ${text} */\nexport const ${name} = ${JSON.stringify(byCode, null, 2)} as const;`;
}
