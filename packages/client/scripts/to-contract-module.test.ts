import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import contract from '@berth/spec/contract.json' with { type: 'json' };
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import profileSchema from '@berth/spec/wire-profile.schema.json' with { type: 'json' };
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { expect, it } from 'vitest';
import { greedyParameters } from './greedy-parameters.ts';
import { toContractModule } from './to-contract-module.ts';

const parts = { contract, defaults, gateway, storage, profile, profileSchema };

it('generates exactly the committed file', async () => {
  const text = toContractModule(parts);
  const file = join(import.meta.dirname, '../src/generated/contract.gen.ts');
  expect(await readFile(file, 'utf8')).toContain(text);
  expect(toContractModule(structuredClone(parts))).toBe(text);
});

it('contains the hash of the contract', () => {
  expect(toContractModule(parts)).toContain(contract.sha256);
});

it('finds the greedy path parameters everywhere', () => {
  expect(greedyParameters(gateway)).toEqual(['anyPath']);
  const mark = { in: 'path', 'x-berth-greedy': true };
  expect(
    greedyParameters([
      { ...mark, name: 'b' },
      { a: { ...mark, name: 'a' } },
      { ...mark, name: 'b' },
      { ...mark, name: 'c', in: 'query' },
      { name: 'd', in: 'path', 'x-berth-greedy': false },
    ]),
  ).toEqual(['a', 'b']);
});
