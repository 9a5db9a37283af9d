import type { Content, Parameter, Route, RouteTable, Validator } from '@berth/server-stubs/runtime';

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

/** Creates a parameter with defaults. */
export function toParameter(given: Partial<Parameter> & Pick<Parameter, 'name' | 'in'>): Parameter {
  const isForm = given.in === 'query' || given.in === 'cookie';
  return {
    style: isForm ? 'form' : 'simple',
    explode: isForm,
    required: given.in === 'path',
    shape: 'scalar',
    types: ['string'],
    ...given,
  };
}

/** Creates a validator that requires one property of one type. */
export function wants(name: string, type: 'string' | 'number'): Validator {
  const validate: Validator = (data) => {
    const value = (data as Record<string, unknown> | null)?.[name];
    if (typeof value === type) return true;
    const isMissing = value === undefined;
    validate.errors = [
      {
        instancePath: isMissing ? '' : `/${name}`,
        keyword: isMissing ? 'required' : 'type',
        params: isMissing ? { missingProperty: name } : { type },
      },
    ];
    return false;
  };
  return validate;
}
