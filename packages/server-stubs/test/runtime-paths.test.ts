import { createTableRouter, type Parameter } from '@berth/server-stubs/runtime';
import { describe, expect, it } from 'vitest';
import { send } from './support/send.ts';
import { serve } from './support/serve.ts';
import { toTable } from './support/to-table.ts';

/** Finds the template of a path, and the values of its parameters. */
function finder(...templates: readonly string[]) {
  const rest = { name: 'rest', in: 'path', greedy: true } as Parameter;
  const routes = templates.map((path) => ({ path, operationId: path, parameters: [rest] }));
  const { find } = createTableRouter(toTable(routes), {});
  return (url: string) => {
    const found = find({ url });
    return found && [found.operationId, ...Object.values(found.path)];
  };
}

it('prefers a literal to a mixed segment to a parameter, and tries the next if the rest does not match', () => {
  const find = finder('/', '/pets/mine', '/pets/{id}', '/pets/{id}.json', '/{kind}/mine/all');
  expect(find('/')).toEqual(['/']);
  expect(find('/pets/mine')).toEqual(['/pets/mine']);
  expect(find('/pets/min')).toEqual(['/pets/{id}', 'min']);
  expect(find('/pets/7.json?a=1')).toEqual(['/pets/{id}.json', '7']);
  expect(find('http://a/pets/a%2Fb')).toEqual(['/pets/{id}', 'a%2Fb']);
  expect(find('/pets/mine/all')).toEqual(['/{kind}/mine/all', 'pets']);
  for (const path of ['/pet', '/pets/', '/pets/7/', '//pets', '/Pets', '*']) {
    expect(find(path), path).toBeUndefined();
  }
});

it('treats percent-encoded unreserved characters like their plain form in literal text', () => {
  const find = finder(
    '/reports.json',
    '/storages:delete',
    '/{a}.é',
    '/v{n}/x',
    '/no {n}',
    '/a%20é',
  );
  expect(find('/reports%2Ejson')).toEqual(['/reports.json']);
  expect(find('/%72eports.json')).toEqual(['/reports.json']);
  expect(find('/storages%3Adelete')).toEqual(['/storages:delete']);
  expect(find('/x%2e%C3%a9')).toEqual(['/{a}.é', 'x']);
  expect(find('/%761/x')).toEqual(['/v{n}/x', '1']);
  expect(find('/no%207')).toEqual(['/no {n}', '7']);
  expect(find('/a%20%C3%A9')).toEqual(['/a%20é']);
});

it('splits mixed segments, in linear time', () => {
  const find = finder(
    '/{a}.{b}',
    '/compare/{base}...{head}',
    '/v{n}',
    '/{id}:publish',
    '/-{a}-{b}!',
    '/v1{more}',
  );
  // More literal text, and then fewer parameters, make a template more concrete.
  expect(find('/v1.x')).toEqual(['/v1{more}', '.x']);
  expect(find('/v2.x')).toEqual(['/v{n}', '2.x']);
  expect(find('/x.y.z')).toEqual(['/{a}.{b}', 'x', 'y.z']);
  expect(find('/compare/main...next')).toEqual(['/compare/{base}...{head}', 'main', 'next']);
  expect(find('/v1')).toEqual(['/v{n}', '1']);
  expect(find('/7:publish')).toEqual(['/{id}:publish', '7']);
  for (const path of ['/x.', '/x', '/v', '/:publish', '/7:publishX', '/compare/main..next']) {
    expect(find(path), path).toBeUndefined();
  }
  expect(find(`/-${'-'.repeat(100_000)}`)).toBeUndefined();
});

it('passes the rest of a path raw', () => {
  const find = finder('/run/{name}', '/run/{name}/{rest}');
  expect(find('/run/x/a/b%2F//c/%zz')).toEqual(['/run/{name}/{rest}', 'x', 'a/b%2F//c/%zz']);
  expect(find('/run/x')).toEqual(['/run/{name}', 'x']);
  expect(find('/run/x/')).toEqual(['/run/{name}', 'x']);
  expect(find('/run//a')).toBeUndefined();
});

describe('a request without an operation', () => {
  it('gets the methods of the concrete path, even if a template has the method', async () => {
    const table = toTable([
      { path: '/pets/mine', operationId: 'get' },
      { path: '/pets/mine', operationId: 'put', method: 'PUT' },
      { path: '/pets/{id}', operationId: 'delete', method: 'DELETE' },
    ]);
    const respondToOptions = () => ({ status: 204 });
    const base = await serve(createTableRouter(table, {}, { respondToOptions }));
    const received = await send(base, '/pets/mine', { method: 'DELETE' });
    expect([received.status, received.headers.allow]).toEqual([405, 'GET, PUT, HEAD, OPTIONS']);
    expect((await send(base, '/pets/7', { method: 'DELETE' })).status).toBe(501);
  });

  it('names the base path in the 404', async () => {
    const table = toTable([{ path: '/v1/pets' }], { basePath: '/v1' });
    const base = await serve(createTableRouter(table, {}));
    const detail = async (path: string) => JSON.parse((await send(base, path)).text).detail;
    expect(await detail('/pets')).toBe('The path /pets does not exist. This API is served at /v1.');
    expect(await detail('/v1/pet')).toBe('The path /v1/pet does not exist.');
  });
});
