import { describe, expect, it } from 'vitest';
import { Names, toKey, toLiteral, toTypeName, toVariableName } from './names.ts';

describe('names', () => {
  it('are unique, regardless of case', () => {
    const names = new Names([]);
    expect([names.take('Pet'), names.take('Pet'), names.take('PET')]).toEqual([
      'Pet',
      'Pet2',
      'PET3',
    ]);
  });

  it('do not clash with those that generated modules need', () => {
    expect(new Names().take('Promise')).toBe('Promise2');
  });

  it.each([
    ['full-repository', 'FullRepository'],
    ['repos/list for.user', 'ReposListForUser'],
    ['3d', 'T3d'],
    ['宠物', '宠物'],
  ])('%s is the type %s', (text, name) => {
    expect(toTypeName(text)).toBe(name);
  });

  it('are generated if a text has no valid characters', () => {
    expect(toTypeName('+1')).toBe('T1');
    expect(toTypeName('+')).toMatch(/^Schema[0-9a-f]{6}$/);
    expect(toTypeName('-')).not.toBe(toTypeName('+'));
  });

  it('of variables start with a lowercase letter', () => {
    expect(toVariableName('GET /pets/{id}')).toBe('gETPetsId');
  });
});

describe('source text', () => {
  it.each([
    ['name', 'name'],
    ['two words', "'two words'"],
    ["it's", "'it\\'s'"],
    ['a"b\\c\n', `'a"b\\\\c\\n'`],
    ['\u2028', "'\\u2028'"],
  ])('of the property %j is %s', (name, key) => {
    expect(toKey(name)).toBe(key);
    expect(JSON.stringify(Object.keys(new Function(`return { ${key}: 1 }`)()))).toBe(
      JSON.stringify([name]),
    );
  });

  it('of other values is JSON', () => {
    expect([1.5, true, null].map(toLiteral)).toEqual(['1.5', 'true', 'null']);
  });
});
