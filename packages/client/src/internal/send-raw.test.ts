import { describe, expect, it } from 'vitest';
import { toPath } from './send-raw.ts';

const any = (anyPath: unknown) => toPath('/v1/{name}/{anyPath}', { name: 'hello', anyPath });

describe('toPath', () => {
  it.each([
    'a/b',
    '',
    '/a//b/',
    'a%2Fb',
    '%252e%252e/x',
    '...',
    'a..b',
    '你好/é',
    "a b/(c)'d",
    '?x=1',
    'a?x=../..&y=%2e%2e/.\\',
  ])('does not change the greedy parameter %j', (anyPath) => {
    expect(any(anyPath)).toBe(`/v1/hello/${anyPath}`);
  });

  it('encodes an ordinary parameter', () => {
    expect(toPath('/v1/{name}', { name: 'a/b?c#d é' })).toBe('/v1/a%2Fb%3Fc%23d%20%C3%A9');
  });

  it.each([
    ['..', '..'],
    ['.', '.'],
    ['a/../b', '..'],
    ['a/%2e%2E/b', '%2e%2E'],
    ['a/.%2e', '.%2e'],
    ['%2E?x', '%2E'],
    ['a\\..\\b', 'a\\..\\b'],
  ])('refuses %j and names the segment', (anyPath, segment) => {
    expect(() => any(anyPath)).toThrow(TypeError);
    expect(() => any(anyPath)).toThrow(`"${segment}"`);
  });

  it.each([
    ['a#b', '%23'],
    ['a?x=#b', '%23'],
    ['a\tb', '%09'],
    ['.\n./b', '%0A'],
    ['a ', '%20'],
  ])('refuses %j, of which fetch would drop a part', (anyPath, instead) => {
    expect(() => any(anyPath)).toThrow(instead);
  });

  it.each(['..', '.'])('refuses the name %j', (name) => {
    expect(() => toPath('/v1/{name}/{anyPath}', { name, anyPath: 'a' })).toThrow(`"${name}"`);
  });

  it('names a parameter that is missing', () => {
    expect(() => any(undefined)).toThrow('"anyPath" is missing');
    expect(() => toPath('/v1/{name}', {})).toThrow('"name" is missing');
    expect(() => toPath('/v1/{name}', { name: '' })).toThrow('"name" is missing');
  });
});
