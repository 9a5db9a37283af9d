import { describe, expect, it } from 'vitest';
import { Code, toSource } from './write-routes.ts';

describe('toSource', () => {
  it('is on one line if it fits', () => {
    const value = { name: 'id', list: [1, null], code: new Code('a.b'), gone: undefined, none: {} };
    expect(toSource(value)).toBe("{ name: 'id', list: [1, null], code: a.b, none: {} }");
  });

  it('is split and indented if it does not', () => {
    expect(toSource({ first: 'x'.repeat(60), second: ['y'.repeat(60)] })).toBe(
      `{\n  first: '${'x'.repeat(60)}',\n  second: ['${'y'.repeat(60)}'],\n}`,
    );
  });

  it('keeps __proto__ an ordinary property', () => {
    const value = JSON.parse('{ "__proto__": { "a": 1 } }');
    expect(toSource(value)).toBe("{ ['__proto__']: { a: 1 } }");
  });
});
