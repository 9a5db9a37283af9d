import { describe, expect, test } from 'vitest';
import { compareRoutes, matchRoute, parseRouteKey, toCalledPath } from './routes.ts';

const match = (key: string, target: string) => {
  const [path = '', query] = target.split('?');
  return matchRoute(parseRouteKey(key), toCalledPath(path, query));
};

describe('a key', () => {
  test.each([
    ['GET orders', 'must be a method and a path'],
    ['PUT /orders', 'must begin with GET, POST or WS'],
    ['get /orders', 'did you mean GET?'],
    ['HEAD /orders', 'is not needed'],
    ['GET /a/{id}.json', 'a parameter must be a complete segment'],
    ['GET /*/a', '* must be the last one'],
    ['GET /{id}/{id}', 'has {id} twice'],
  ])('rejects %j with a message', (key, words) => {
    expect(() => parseRouteKey(key)).toThrow(words);
  });
});

describe('a route', () => {
  test.each<[string, string, object | undefined]>([
    ['GET /', '/', {}],
    ['GET /orders', '/orders/', undefined],
    ['GET /orders', '/orders?x=1', {}],
    ['GET /orders/{id}', '/orders/a%2Fb%20c', { id: 'a/b c' }],
    ['GET /orders/{id}', '/orders/%zz', { id: '%zz' }],
    ['GET /orders/{id}', '/orders/1/2', undefined],
    ['GET /a//b', '/a/b', undefined],
    ['GET /中', '/%E4%B8%AD', {}],
    ['GET /*', '/', { '*': '' }],
    ['GET /files/*', '/files/a%2F//b', { '*': 'a%2F//b' }],
    ['GET /files/*', '/files', undefined],
    ['GET /orders?status=open', '/orders?x=1&status=open', {}],
    ['GET /orders?status=open', '/orders?status=closed', undefined],
  ])('%s of %s matches %j', (key, target, params) => {
    expect(match(key, target)).toEqual(params);
  });

  test('the more specific route comes first', () => {
    const keys = [
      'GET /*',
      'GET /a/*',
      'GET /{x}',
      'GET /a',
      'GET /a?b=1',
      'GET /{x}/b',
      'GET /a/{y}',
    ];
    const sorted = keys.sort((a, b) => compareRoutes(parseRouteKey(a), parseRouteKey(b)));
    for (const [before, after] of [
      ['GET /a?b=1', 'GET /a'],
      ['GET /a', 'GET /{x}'],
      ['GET /{x}', 'GET /*'],
      ['GET /a/{y}', 'GET /a/*'],
      ['GET /a/*', 'GET /{x}/b'],
    ] as const) {
      expect(sorted.indexOf(before), `${before} before ${after}`).toBeLessThan(
        sorted.indexOf(after),
      );
    }
  });
});
