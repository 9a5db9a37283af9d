import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import gateway from '../generated/gateway.v1.gen.json' with { type: 'json' };
import storage from '../generated/storage.v2.gen.json' with { type: 'json' };
import { readRules } from '../scripts/generate/rules.ts';

const documents = { 'gateway.v1': gateway, 'storage.v2': storage };
const published = await readRules(documents);

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
    const index = { files: ['sample.yaml'] };
    writeFileSync(join(folder, 'index.yaml'), stringify(index));
    writeFileSync(join(folder, 'outline.yaml'), stringify(outline));
    writeFileSync(join(folder, 'sample.yaml'), stringify(rules));
    if (extra) writeFileSync(join(folder, extra), '[]');
    return readRules(documents, folder);
  }

  it('is read if it is valid', async () => {
    expect((await read([rule])).rules).toEqual([rule]);
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
    ['a file', { places: ['defaults/none.yaml'] }, 'place defaults/none.yaml does not exist'],
    ['a level', { level: 'MAY' }, '/level must be equal to one of the allowed values'],
    ['an id', { id: 'Rule 7' }, '/id must match pattern'],
    ['a property', { color: 'red' }, 'must NOT have additional properties'],
  ])('is rejected if %s is unknown', async (_, change, problem) => {
    const id = 'id' in change ? change.id : rule.id;
    await expect(read([{ ...rule, ...change }])).rejects.toThrow(`sample.yaml: ${id}: ${problem}`);
  });

  it.each([
    ['an ID occurs twice', [rule, rule], 'sample.yaml: GW-SAMPLE: has the ID of another rule'],
    [
      'a rule has no operation or place',
      [{ ...rule, operations: [], places: [] }],
      /needs operations\n.*needs a place/,
    ],
    [
      'a rule has neither a source nor a decision',
      [{ ...rule, source: [], decisions: [] }],
      /neither a source nor a decision/,
    ],
  ])('is rejected if %s', async (_, rules, problem) => {
    await expect(read(rules)).rejects.toThrow(problem);
  });

  it('is rejected if no rule states a line of the outline', async () => {
    const reading = read([rule], { Chapter: ['Line', 'Forgotten'] });
    await expect(reading).rejects.toThrow('Chapter › Forgotten: no rule states it');
  });

  it('is rejected if the index does not name it', async () => {
    const reading = read([rule], undefined, 'stray.yaml');
    await expect(reading).rejects.toThrow('stray.yaml: not listed in index.yaml');
  });
});
