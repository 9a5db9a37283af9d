import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readContract } from '../generate/read.ts';
import { readRules } from '../generate/read-rules.ts';

const contract = readContract();
const published = contract.rules;

describe('the rule set', () => {
  it('keeps the rules for clients apart', () => {
    expect(published.rules.filter(({ checkedBy }) => checkedBy)).toEqual([]);
    expect(published.clientRules.filter(({ checkedBy }) => checkedBy !== 'client')).toEqual([]);
    expect(published.clientRules.length).toBeGreaterThan(50);
  });

  it('has no duplicate statement', () => {
    const all = [...published.rules, ...published.clientRules];
    const statements = all.map((rule) => rule.statement);
    expect(new Set(statements).size).toBe(statements.length);
  });
});

describe('an invalid rules file', () => {
  const rule = {
    id: 'GW-SAMPLE',
    level: 'MUST',
    statement: 'A statement about the gateway.',
    source: ['Chapter › Line'],
    decisions: ['D8'],
    operations: ['cloudrun-get'],
    documents: 'gateway.v1',
    places: ['gateway.v1#/info/version'],
  };

  function read(rules: object[], outline = { Chapter: ['Line'] }, extra?: string) {
    const folder = mkdtempSync(join(tmpdir(), 'berth-rules-'));
    writeFileSync(join(folder, 'outline.yaml'), stringify(outline));
    for (const surface of ['auth', 'storage', 'upload', 'clients']) {
      writeFileSync(join(folder, `${surface}.yaml`), '');
    }
    writeFileSync(join(folder, 'gateway.yaml'), stringify(rules));
    if (extra) writeFileSync(join(folder, extra), '[]');
    return readRules(contract, folder);
  }

  it('is read if it is valid', () => {
    expect(read([rule]).rules).toEqual([rule]);
  });

  it.each([
    ['an operation', { operations: ['cloudrun-put'] }, 'operation cloudrun-put does not exist'],
    ['a decision', { decisions: ['D99'] }, 'decision D99 does not exist'],
    ['a source', { source: ['Chapter › Other'] }, 'source Chapter › Other does not exist'],
    [
      'a pointer',
      { places: ['gateway.v1#/info/none'] },
      'place gateway.v1#/info/none does not exist',
    ],
    ['a file', { places: ['workflows/none.yaml'] }, 'place workflows/none.yaml does not exist'],
    ['a level', { level: 'MAY' }, '/level must be equal to one of the allowed values'],
    ['an id', { id: 'Rule 7' }, '/id must match pattern'],
    ['a property', { color: 'red' }, 'must NOT have additional properties'],
  ])('is rejected if %s is unknown', (_, change, problem) => {
    const id = 'id' in change ? change.id : rule.id;
    expect(() => read([{ ...rule, ...change }])).toThrow(`gateway.yaml: ${id}: ${problem}`);
  });

  it.each([
    ['an ID occurs twice', [rule, rule], 'gateway.yaml: GW-SAMPLE: has the ID of another rule'],
    [
      'a rule has no operation or place',
      [{ ...rule, operations: [], places: [] }],
      /operations must NOT have fewer than 1 items\n.*places must NOT/,
    ],
    [
      'a rule has neither a source nor a decision',
      [{ ...rule, source: [], decisions: [] }],
      /neither a source nor a decision/,
    ],
  ])('is rejected if %s', (_, rules, problem) => {
    expect(() => read(rules)).toThrow(problem);
  });

  it('is rejected if no rule states a line of the outline', () => {
    const reading = () => read([rule], { Chapter: ['Line', 'Forgotten'] });
    expect(reading).toThrow('Chapter › Forgotten: no rule states it');
  });

  it('is rejected if it is not the file of a surface', () => {
    expect(() => read([rule], undefined, 'stray.yaml')).toThrow('stray.yaml: not one of outline.');
  });
});
