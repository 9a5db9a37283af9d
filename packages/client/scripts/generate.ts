import { join } from 'node:path';
import { toTypes, writeGenerated } from '@berth/codegen';
import contract from '@berth/spec/contract.json' with { type: 'json' };
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { toContractModule } from './to-contract-module.ts';

/** Writes what the client knows of the contract: the types of both documents, and its constants. */
await Promise.all([
  write('gateway.v1', await toTypes(gateway)),
  write('storage.v2', await toTypes(storage)),
  write('contract', toContractModule({ contract, defaults, gateway, storage, profile })),
]);

function write(name: string, text: string): Promise<void> {
  const file = join(import.meta.dirname, `../src/generated/${name}.gen.ts`);
  return writeGenerated(file, text, 'packages/client/scripts/generate.ts');
}
