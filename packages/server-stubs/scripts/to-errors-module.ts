import { constant, type ErrorRow, toErrorTable } from '@berth/codegen';

/** The error tables of `spec/defaults`. */
export interface ErrorTables {
  gatewayErrors: readonly ErrorRow[];
  storageErrors: readonly (ErrorRow & { readonly level: string })[];
  uploadErrors: readonly ErrorRow[];
}

/** Source of `errors.gen.ts`: one constant for each of the three surfaces, its rows keyed by code. */
export function toErrorsModule({
  gatewayErrors,
  storageErrors,
  uploadErrors,
}: ErrorTables): string {
  const ofLevel = (level: string) =>
    toErrorTable(storageErrors.filter((row) => row.level === level));
  return [
    constant('GATEWAY_ERRORS', 'Errors of the gateway (D6).', toErrorTable(gatewayErrors)),
    constant('STORAGE_ERRORS', 'Errors of a whole storage call (D26).', ofLevel('call')),
    constant('STORAGE_ITEM_ERRORS', 'Errors of one entry of a result list (D26).', ofLevel('item')),
    constant('UPLOAD_ERRORS', 'Errors of the upload target (D27).', toErrorTable(uploadErrors)),
  ].join('\n\n');
}
