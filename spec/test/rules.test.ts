import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { DOCUMENTS, type DocumentName } from '../scripts/generate/bundle.ts';
import { readRules } from '../scripts/generate/rules.ts';

const published = await readRules();

function readPublished(name: DocumentName) {
  const file = join(import.meta.dirname, `../generated/${name}.gen.json`);
  return JSON.parse(readFileSync(file, 'utf8'));
}

describe('the rule set', () => {
  it('covers every line of the outline and every decision', () => {
    const decided = new Set(published.rules.flatMap((rule) => rule.decisions));
    expect([...decided].sort()).toEqual(Object.keys(published.decisions).sort());
    expect(published.outline.length).toBeGreaterThan(100);
  });

  it('has a place in the contract or a decision for every rule', () => {
    const homeless = published.rules.filter(
      (rule) => rule.places.length + rule.decisions.length === 0,
    );
    expect(homeless).toEqual([]);
  });

  it('names the versions of the documents', () => {
    const versions = DOCUMENTS.map((name) => [name, readPublished(name).info.version]);
    expect(published.documents).toEqual(Object.fromEntries(versions));
  });

  it('keeps the rules for clients apart', () => {
    const isOfClients = ({ id }: { id: string }) => id.startsWith('CL-');
    expect(published.rules.filter(isOfClients)).toEqual([]);
    expect(published.clientRules.filter((rule) => !isOfClients(rule))).toEqual([]);
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
    const index = { version: '1.0.0', documents: {}, files: ['sample.yaml'] };
    writeFileSync(join(folder, 'index.yaml'), stringify(index));
    writeFileSync(join(folder, 'outline.yaml'), stringify(outline));
    writeFileSync(join(folder, 'sample.yaml'), stringify(rules));
    if (extra) writeFileSync(join(folder, extra), '[]');
    return readRules(undefined, folder);
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
    [
      'an ID occurs twice',
      [rule, rule],
      undefined,
      'sample.yaml: GW-SAMPLE: has the ID of another rule',
    ],
    [
      'a checked rule has no operation or place',
      [{ ...rule, operations: [], places: [] }],
      undefined,
      /needs operations\n.*needs a place/,
    ],
    [
      'no rule states a line of the outline',
      [rule],
      { Chapter: ['Line', 'Forgotten'] },
      'Chapter › Forgotten: no rule states it',
    ],
  ])('is rejected if %s', async (_, rules, outline, problem) => {
    await expect(read(rules, outline)).rejects.toThrow(problem);
  });

  it('is rejected if the index does not name it', async () => {
    const reading = read([rule], undefined, 'stray.yaml');
    await expect(reading).rejects.toThrow('stray.yaml: not listed in index.yaml');
  });
});
