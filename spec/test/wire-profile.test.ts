import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { DOCUMENTS } from '../scripts/generate/bundle.ts';
import { readProfile, rename, toNames } from '../scripts/generate/wire-profile.ts';
import { redocly } from '../scripts/redocly.ts';

const SPEC = join(import.meta.dirname, '..');
const neutral = await readProfile('default');
const acme = await readProfile('acme');
const names = toNames(neutral, acme);

describe.each(['default', 'acme'])('the wire profile %s', (name) => {
  it('fits its schema', async () => {
    const schema = JSON.parse(
      readFileSync(join(SPEC, 'overlays/wire-profile.schema.json'), 'utf8'),
    );
    const validate = new Ajv2020().compile(schema);
    validate(await readProfile(name));
    expect(validate.errors).toBeNull();
  });
});

describe.each(DOCUMENTS)('the overlay acme on %s', (name) => {
  const overlay = `generated/overlays/acme.${name}.gen.yaml`;

  async function apply(): Promise<string> {
    const output = join(mkdtempSync(join(tmpdir(), 'berth-overlay-')), 'out.json');
    const source = `generated/${name}.gen.json`;
    const run = await redocly('bundle', source, '--overlay', overlay, '--output', output);
    expect(run.exitCode, run.stderr).toBe(0);
    return readFileSync(output, 'utf8');
  }

  it('replaces every name and changes nothing else', async () => {
    const source = JSON.parse(readFileSync(join(SPEC, `generated/${name}.gen.json`), 'utf8'));
    const text = await apply();
    expect(JSON.parse(text)).toEqual(rename(source, names));
    for (const [before] of names) expect(text).not.toContain(before);
  });
});

it('finds every neutral name in a document', () => {
  const texts = DOCUMENTS.map((name) =>
    readFileSync(join(SPEC, `generated/${name}.gen.json`), 'utf8'),
  );
  for (const [before] of names) expect(texts.join()).toContain(before);
  expect(names.size).toBe(7);
});
