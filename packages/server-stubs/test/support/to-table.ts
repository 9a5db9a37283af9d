import type { Content, Route, RouteTable } from '@berth/server-stubs/runtime';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** Creates a route table. Anything that is omitted is empty. */
export function toTable(
  routes: readonly (Partial<Route> & Pick<Route, 'path'>)[],
  rest: Partial<RouteTable> = {},
): RouteTable {
  return {
    title: 'Test',
    securitySchemes: {},
    routes: routes.map((route) => ({
      operationId: 'operation',
      method: 'GET',
      parameters: [],
      responses: [{ status: 'default', content: [ANY_JSON] }],
      security: [],
      ...route,
    })),
    ...rest,
  };
}

export const ANY_JSON: Content = { mediaType: 'application/json', kind: 'json' };

/** A JSON object with a name. */
export const NAMED: Content = {
  ...ANY_JSON,
  validate: new Ajv2020().compile({
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' } },
  }),
};
