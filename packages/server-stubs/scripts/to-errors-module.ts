import { constant, type ErrorRow, toErrorTable } from '@berth/codegen';

/** The error tables in `spec/defaults`. */
export interface ErrorTables {
  gatewayErrors: readonly ErrorRow[];
  storageErrors: readonly (ErrorRow & { readonly level: string })[];
  uploadErrors: readonly ErrorRow[];
}

/** Renders `errors.gen.ts`: one constant for each of the three surfaces, with rows keyed by code. */
export function toErrorsModule({
  gatewayErrors,
  storageErrors,
  uploadErrors,
}: ErrorTables): string {
  const ofLevel = (level: string) =>
    toErrorTable(storageErrors.filter((row) => row.level === level));
  return [
    constant('GATEWAY_ERRORS', 'Gateway errors (D6).', toErrorTable(gatewayErrors)),
    constant('STORAGE_ERRORS', 'Errors for an entire storage call (D26).', ofLevel('call')),
    constant(
      'STORAGE_ITEM_ERRORS',
      'Errors for one entry in a result list (D26).',
      ofLevel('item'),
    ),
    constant('UPLOAD_ERRORS', 'Upload target errors (D27).', toErrorTable(uploadErrors)),
  ].join('\n\n');
}
