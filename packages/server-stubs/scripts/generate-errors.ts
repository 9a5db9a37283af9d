import { join } from 'node:path';
import { writeGenerated } from '@berth/codegen';
import contract from '@berth/spec/contract.json' with { type: 'json' };
import defaults from '@berth/spec/defaults.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import profileSchema from '@berth/spec/wire-profile.schema.json' with { type: 'json' };
import profile from '@berth/spec/wire-profiles/default.json' with { type: 'json' };
import { toContractModule } from './to-contract-module.ts';
import { toErrorsModule } from './to-errors-module.ts';

/** Writes the error tables and the other contract constants that the routers use. */
export async function generateErrors(): Promise<void> {
  const copyPathPattern = storage.components.schemas.FilePath['x-berth-item-pattern'];
  await Promise.all([
    write('errors', toErrorsModule(defaults)),
    write(
      'contract',
      toContractModule({ contract, defaults, profile, profileSchema, copyPathPattern }),
    ),
  ]);
}

function write(name: string, text: string): Promise<void> {
  const file = join(import.meta.dirname, `../src/generated/${name}.gen.ts`);
  return writeGenerated(file, text, 'packages/server-stubs/scripts/generate-errors.ts');
}
