import { describe, expect, it } from 'vitest';
import { toParameter } from '../../../test/support/to-table.ts';
import { parseQuery } from '../decoding.ts';
import type { Parameter } from '../route-table.ts';
import { readQuery } from './create-parameter-reader.ts';
import { toValue, Unreadable } from './to-value.ts';

const plain = (value: unknown): unknown =>
  value instanceof Unreadable ? value.keyword : structuredClone(value);

describe('one text', () => {
  const path = { name: 'id', in: 'path' } as const;
  const array = { shape: 'array', types: ['integer', 'string'] } as const;
  const object = { shape: 'object', properties: { R: ['integer'] } } as const;

  it.each<[Partial<Parameter>, string, unknown]>([
    [{}, 'a%20b', 'a b'],
    [{}, '%E4%B8%AD', '中'],
    [{}, '\u00e4\u00b8\u00ad', '中'],
    [{}, '%E4', 'encoding'],
    [{}, '%', 'encoding'],
    [{ types: ['integer'] }, '-9007199254740993', 'integer'],
    [{ types: ['integer'] }, '1e2', 100],
    [{ types: ['integer'] }, '1.5', '1.5'],
    [{ types: ['number'] }, '1e999', '1e999'],
    [{ types: ['number'] }, '0x1', '0x1'],
    [{ types: ['boolean', 'string'] }, 'false', false],
    [{ types: ['null', 'integer'] }, '', null],
    [{ types: ['null', 'string'] }, '', ''],
    [{ ...array, types: ['integer'] }, '1,9007199254740993', 'integer'],
    [{ ...object, additional: ['number'] }, 'G,9007199254740993', 'integer'],
    [array, '1,a%2Cb', [1, 'a,b']],
    [object, 'R,100,G,200', { R: 100, G: '200' }],
    [object, 'R,100,G', 'style'],
    [{ ...object, explode: true }, 'R=100,G=200', { R: 100, G: '200' }],
    [{ ...object, explode: true }, 'R=1,R=2', 'duplicate'],
    [{ style: 'label' }, '.5', '5'],
    [{ style: 'label' }, '5', 'style'],
    [{ style: 'label', ...array }, '.1,2', [1, 2]],
    [{ style: 'label', ...array, explode: true }, '.1.2', [1, 2]],
    [{ style: 'label', ...object }, '.R,1', { R: 1 }],
    [{ style: 'label', ...object, explode: true }, '.R=1.G=2', { R: 1, G: '2' }],
    [{ style: 'matrix' }, ';id=5', '5'],
    [{ style: 'matrix' }, ';no=5', 'style'],
    [{ style: 'matrix', ...array }, ';id=1,2', [1, 2]],
    [{ style: 'matrix', ...array, explode: true }, ';id=1;id=2', [1, 2]],
    [{ style: 'matrix', ...array, explode: true }, ';id=1;no=2', 'style'],
    [{ style: 'matrix', ...object }, ';id=R,1', { R: 1 }],
    [{ style: 'matrix', ...object, explode: true }, ';R=1;G=2', { R: 1, G: '2' }],
    [{ shape: 'json' }, '%7B%22a%22%3A1%7D', { a: 1 }],
    [{ shape: 'json' }, '%7B', 'syntax'],
  ])('%j reads %s', (given, raw, expected) => {
    expect(plain(toValue(toParameter({ ...path, ...given }), raw))).toEqual(expected);
  });
});

describe('a query', () => {
  const read = (given: Partial<Parameter>, query: string, others: string[] = []) =>
    plain(
      readQuery(
        toParameter({ name: 'q', in: 'query', ...given }),
        parseQuery(query),
        new Set(others),
      ),
    );
  const array = { shape: 'array', types: ['integer', 'string'] } as const;
  const object = { shape: 'object', properties: { R: ['integer'] } } as const;

  it.each<[Partial<Parameter>, string, unknown]>([
    [{}, 'q=a+b%2B', 'a b+'],
    [{}, 'q', ''],
    [{}, 'x=1', undefined],
    [{}, '%71=1', '1'],
    [{}, 'q=1&q=2', 'duplicate'],
    [{}, 'q=%ff', 'encoding'],
    [array, 'q=1&q=a%2Cb', [1, 'a,b']],
    [array, 'q=1', [1]],
    [{ ...array, explode: false }, 'q=1,a%2Cb', [1, 'a,b']],
    [{ ...array, explode: false }, 'q=', []],
    [{ ...array, explode: false, style: 'spaceDelimited' }, 'q=1%202+3', [1, 2, 3]],
    [{ ...array, explode: false, style: 'pipeDelimited' }, 'q=1|2%7C3', [1, 2, 3]],
    [{ ...object, style: 'deepObject' }, 'q[R]=1&q%5BG%5D=2', { R: 1, G: '2' }],
    [{ ...object, style: 'deepObject' }, 'q[R]=1&q[R]=2', 'duplicate'],
    [{ ...object, style: 'deepObject' }, 'q[R][x]=1', 'style'],
    [{ ...object, explode: true }, 'R=1&S=2', { R: 1 }],
    [{ ...object, explode: false }, 'q=R,1', { R: 1 }],
  ])('%j reads %s', (given, query, expected) => {
    expect(read(given, query)).toEqual(expected);
  });

  it('an exploded object with unknown properties gets all unclaimed parameters', () => {
    const free = { name: 'q', in: 'query', shape: 'object', additional: ['string'] } as const;
    expect(read(free, 'a=1&limit=2', ['q', 'limit'])).toEqual({ a: '1' });
  });

  it('keeps dangerous names away from prototypes', () => {
    const parameter = toParameter({ name: 'q', in: 'query', style: 'deepObject', shape: 'object' });
    const query = parseQuery('q[__proto__]=1&q[constructor]=2&q[toString]=3');
    const value = readQuery(parameter, query, new Set()) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect('hasOwnProperty' in value).toBe(false);
  });
});
