import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { readContract } from '../generate/read.ts';
import { readRules } from '../generate/read-rules.ts';

const contract = readContract();

it('keeps the rules for clients apart, and states no fact twice', () => {
  const { rules, clientRules } = contract.rules;
  expect(rules.filter(({ checkedBy }) => checkedBy)).toEqual([]);
  expect(clientRules.filter(({ checkedBy }) => checkedBy !== 'client')).toEqual([]);
  expect(clientRules.length).toBeGreaterThan(50);
  const statements = [...rules, ...clientRules].map(({ statement }) => statement);
  expect(new Set(statements).size).toBe(statements.length);
});

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

function read(rules: object[], outline = { Chapter: ['Line'] }) {
  const folder = mkdtempSync(join(tmpdir(), 'berth-rules-'));
  writeFileSync(join(folder, 'outline.yaml'), stringify(outline));
  for (const surface of ['auth', 'storage', 'upload', 'clients']) {
    writeFileSync(join(folder, `${surface}.yaml`), '');
  }
  writeFileSync(join(folder, 'gateway.yaml'), stringify(rules));
  return readRules(contract, folder);
}

it('reads a rules file', () => {
  expect(read([rule]).rules).toEqual([rule]);
});

it.each([
  [{ operations: ['cloudrun-put'] }, '/operations/0 must be equal to one of'],
  [{ decisions: ['D99'] }, '/decisions/0 must be equal to one of'],
  [{ source: ['Chapter › Other'] }, '/source/0 must be equal to one of'],
  [{ places: ['gateway.v1#/info/no'] }, '"place": gateway.v1#/info/no'],
  [{ places: ['workflows/none.yaml'] }, '"place": workflows/none.yaml'],
  [{ level: 'MAY' }, '/level must be equal to one of the allowed values: MAY'],
  [{ documents: 'both' }, 'documents: only a rule for clients can be about both'],
  [{ color: 'red' }, 'must NOT have additional properties'],
  [{ operations: [] }, '/operations must NOT have fewer than 1 items'],
  [{ source: [], decisions: [] }, 'names neither a source nor a decision'],
])('refuses a rule with %j', (change, problem) => {
  const refused = () => read([{ ...rule, ...change }]);
  expect(refused).toThrow(`gateway.yaml: ${rule.id}: `);
  expect(refused).toThrow(problem);
});

it('refuses a second rule with an ID, and a line of the outline without a rule', () => {
  expect(() => read([rule, rule])).toThrow('GW-SAMPLE: has the ID of another rule');
  const outline = { Chapter: ['Line', 'Forgotten'] };
  expect(() => read([rule], outline)).toThrow('Chapter › Forgotten: no rule states it');
});
