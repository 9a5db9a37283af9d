import { expect, it } from 'vitest';
import { createMatcher, toSegments } from './matcher.ts';

function matcherOf(templates: readonly string[], greedy: readonly string[] = []) {
  const matcher = createMatcher<{ template: string }>(() => ({ template: '' }));
  for (const template of templates) {
    matcher.leafOf(toSegments(template, new Set(greedy))).template = template;
  }
  return (path: string) => {
    const match = matcher.find(path);
    return match && [match.leaf.template, ...match.values];
  };
}

it('finds literals and parameters', () => {
  const find = matcherOf(['/', '/pets', '/pets/{id}', '/pets/{id}/toys/{toy}']);
  expect(find('/')).toEqual(['/']);
  expect(find('/pets')).toEqual(['/pets']);
  expect(find('/pets/7')).toEqual(['/pets/{id}', '7']);
  expect(find('/pets/7/toys/a%2Fb')).toEqual(['/pets/{id}/toys/{toy}', '7', 'a%2Fb']);
  for (const path of ['/pet', '/pets/', '/pets/7/', '/pets/7/toys', '//pets', '/Pets']) {
    expect(find(path), path).toBeUndefined();
  }
});

it('prefers a literal to a parameter, and tries the parameter if the literal does not match', () => {
  const find = matcherOf(['/pets/mine', '/pets/{id}', '/{kind}/mine/all']);
  expect(find('/pets/mine')).toEqual(['/pets/mine']);
  expect(find('/pets/min')).toEqual(['/pets/{id}', 'min']);
  expect(find('/pets/mine/all')).toEqual(['/{kind}/mine/all', 'pets']);
});

it('treats a colon as a literal', () => {
  const find = matcherOf(['/storages:batchDelete', '/storages:batchCopy']);
  expect(find('/storages:batchDelete')).toEqual(['/storages:batchDelete']);
  expect(find('/storages%3AbatchDelete')).toEqual(['/storages:batchDelete']);
  expect(find('/storages:batchDeleteXYZ')).toBeUndefined();
});

it('splits mixed segments', () => {
  const find = matcherOf(['/{a}.{b}', '/compare/{base}...{head}', '/v{n}', '/{id}:publish']);
  expect(find('/x.y')).toEqual(['/{a}.{b}', 'x', 'y']);
  expect(find('/x.y.z')).toEqual(['/{a}.{b}', 'x', 'y.z']);
  expect(find('/compare/main...next')).toEqual(['/compare/{base}...{head}', 'main', 'next']);
  expect(find('/v1')).toEqual(['/v{n}', '1']);
  expect(find('/7:publish')).toEqual(['/{id}:publish', '7']);
  for (const path of ['/x.', '/x', '/v', '/:publish', '/7:publishXYZ', '/compare/main..next']) {
    expect(find(path), path).toBeUndefined();
  }
});

it('matches a mixed segment in linear time', () => {
  const find = matcherOf(['/{a}.{b}.{c}.{d}!']);
  expect(find(`/${'.'.repeat(100_000)}`)).toBeUndefined();
});

it('does not decode a greedy tail', () => {
  const find = matcherOf(['/run/{name}', '/run/{name}/{rest}'], ['rest']);
  expect(find('/run/x/a/b%2F//c/')).toEqual(['/run/{name}/{rest}', 'x', 'a/b%2F//c/']);
  expect(find('/run/x')).toEqual(['/run/{name}', 'x']);
  expect(find('/run/x/')).toEqual(['/run/{name}', 'x']);
  expect(find('/run//a')).toBeUndefined();
});

it('finds templates that differ only in the names of their parameters', () => {
  const find = matcherOf(['/a/{x}/b', '/a/{y}/c']);
  expect(find('/a/1/b')).toEqual(['/a/{x}/b', '1']);
  expect(find('/a/1/c')).toEqual(['/a/{y}/c', '1']);
});
