import { join } from 'node:path';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { writeGenerated } from '../../../spec/scripts/codegen.ts';
import { generate } from '../generator/generate.ts';
import { bundleAjvHelpers } from './bundle-ajv-helpers.ts';
import { toContractModule, toErrorsModule } from './to-contract-module.ts';

await Promise.all([
  write('runtime/generated/ajv-helpers.gen.ts', await bundleAjvHelpers()),
  writeStubs('gateway.v1', gateway),
  writeStubs('storage.v2', storage),
  write('generated/errors.gen.ts', toErrorsModule()),
  write('generated/contract.gen.ts', toContractModule()),
]);

async function writeStubs(name: 'gateway.v1' | 'storage.v2', document: object): Promise<void> {
  const { files } = generate(document, { runtime: '../../runtime/index.ts' });
  for (const [file, content] of files) await write(`generated/${name}/${file}`, content);
}

function write(file: string, content: unknown): Promise<void> {
  const path = join(import.meta.dirname, '../src', file);
  return writeGenerated(path, content, 'packages/server-stubs/scripts/generate.ts');
}
