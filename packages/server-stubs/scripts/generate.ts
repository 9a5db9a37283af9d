import { join } from 'node:path';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { writeGenerated } from '../../../spec/generate/write.ts';
import { generate } from '../generator/generate.ts';
import { loadDocument } from '../generator/load.ts';

// Generates the stubs of the two documents. `spec/generate.ts` writes the contract's constants and error tables.
await Promise.all([writeStubs('gateway.v1', gateway), writeStubs('storage.v2', storage)]);

async function writeStubs(name: 'gateway.v1' | 'storage.v2', document: object): Promise<void> {
  const loaded = await loadDocument(JSON.parse(JSON.stringify(document, toClosed)));
  // Validators are also used in pages, which have no Node.js modules.
  const validators = '../../runtime/portable/validation.ts';
  const { files } = generate(loaded, '../../runtime/index.ts', validators);
  for (const [file, text] of files) {
    const path = join(import.meta.dirname, '../src/generated', name, file);
    await writeGenerated(path, text, 'packages/server-stubs/scripts/generate.ts');
  }
}

/** Only callers may send more fields: for a handler, a field that is not documented is a mistake. */
function toClosed(key: string, value: unknown): unknown {
  return key === 'additionalProperties' && value === true ? undefined : value;
}
