import { join } from 'node:path';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { writeGenerated } from '../../../spec/scripts/codegen.ts';
import { toTypes } from '../../../spec/scripts/to-types.ts';
import { toContractModule } from './to-contract-module.ts';
import { toMswModule } from './to-msw-module.ts';

const GENERATOR = 'packages/client/scripts/generate.ts';

/** Generates everything that is derived from the contract: types and constants. */
await Promise.all([
  write('gateway.v1', await toTypes(gateway)),
  write('storage.v2', await toTypes(storage)),
  write('contract', toContractModule()),
  write('msw', toMswModule()),
]);

function write(name: string, text: string): Promise<void> {
  const file = join(import.meta.dirname, `../src/generated/${name}.gen.ts`);
  return writeGenerated(file, text, GENERATOR);
}
