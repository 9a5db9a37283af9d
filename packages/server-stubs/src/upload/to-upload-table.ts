import type { RouteTable } from '../runtime/index.ts';
import { UPLOAD_OPERATION } from '../storage/to-storage-table.ts';

/**
 * The route of the upload target alone. Its fields and its XML are judged by the router itself, under
 * the names of the wire profile.
 */
export function toUploadTable(table: RouteTable): RouteTable {
  const routes = table.routes
    .filter(({ operationId }) => operationId === UPLOAD_OPERATION)
    .map((route) => ({
      ...route,
      ...(route.body && { body: { ...route.body, content: route.body.content.map(unjudged) } }),
      responses: route.responses.map((response) => ({
        ...response,
        content: response.content.map(unjudged),
      })),
    }));
  return { ...table, securitySchemes: {}, routes };
}

function unjudged<Judged extends { validate?: unknown }>({ validate: _, ...content }: Judged) {
  return content;
}
