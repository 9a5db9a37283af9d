import { beforeAll, describe, expect, it } from 'vitest';
import type { Route } from '../src/runtime/index.ts';
import { features } from './corpus/documents.ts';
import { loadGenerated } from './corpus/generated.ts';

describe('routes of a document with all features', () => {
  let routes: ReadonlyMap<string, Route>;
  beforeAll(async () => {
    const { table } = await loadGenerated(features);
    routes = new Map(table.routes.map((route) => [route.operationId, route]));
  });
  const parameter = (operationId: string, name: string) =>
    routes.get(operationId)?.parameters.find((each) => each.name === name);

  it('are below the path of their server', () => {
    expect([...routes.values()].map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/v1/pets',
      'POST /api/v1/pets',
      'PUT /files/pets/{id}/files/{path}',
      'POST /api/v1/forms',
      'POST /api/v1/wrapped',
      'POST /api/v1/proxy/{rest}',
      'POST /api/v1/schemas',
    ]);
  });

  it('let an operation override a parameter of its path, and ignore those of HTTP itself', () => {
    const headers = routes.get('listPets')?.parameters.filter((each) => each.in === 'header');
    expect(headers?.map(({ name, types }) => ({ name, types }))).toEqual([
      { name: 'X-Trace', types: ['integer'] },
    ]);
    expect(parameter('create pet', 'X-Trace')?.types).toEqual(['string']);
  });

  it('have the security of the document, or their own', () => {
    expect(routes.get('listPets')?.security).toEqual([['bearer']]);
    expect(routes.get('create pet')?.security).toEqual([['bearer', 'key'], ['bearer'], []]);
    expect(routes.get('putFile')).toMatchObject({ security: [] });
  });
});
