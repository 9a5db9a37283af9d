import type { RouteTable } from '../runtime/index.ts';
import { UPLOAD_OPERATION } from '../storage/to-storage-table.ts';

/** The route of the upload target alone. Its form carries the grant, so nobody else is asked. */
export function toUploadTable(table: RouteTable): RouteTable {
  return {
    ...table,
    securitySchemes: {},
    routes: table.routes.filter(({ operationId }) => operationId === UPLOAD_OPERATION),
  };
}
