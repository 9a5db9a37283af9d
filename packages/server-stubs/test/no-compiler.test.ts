import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');
const modules = globSync('**/*.gen.ts', { cwd: SOURCE }).filter((file) => !file.includes('errors'));

describe('generated modules', () => {
  it('exist', () => {
    expect(modules).toContain('generated/storage.v2/request-validators.gen.ts');
    expect(modules).toContain('runtime/generated/ajv-helpers.gen.ts');
  });

  it.each(modules)('%s compiles nothing and needs no Ajv', (file) => {
    const text = readFileSync(join(SOURCE, file), 'utf8');
    expect(text).not.toMatch(/\brequire\(["']/);
    expect(text).not.toMatch(/new Function|\beval\(/);
    expect(text).not.toMatch(/(?:from|import)\s*\(?["']ajv/);
  });

  it('run without code generation from strings', async () => {
    const script = `
      const { routes } = await import(${JSON.stringify(join(SOURCE, 'generated/storage.v2/routes.gen.ts'))});
      const { validate } = routes.routes[0].body.content[0];
      if (!validate({ path: 'a' }) || validate({ path: 1 })) throw new Error('wrong verdict');
      const loaded = Object.keys(process.moduleLoadList ?? {}).join();
      if (/ajv\\/dist/.test(loaded)) throw new Error('Ajv was loaded');
    `;
    const flags = ['--disallow-code-generation-from-strings', '--conditions=berth-source'];
    const args = [...flags, '--input-type=module', '--eval', script];
    await promisify(execFile)(process.execPath, args);
  });
});
