import { join } from 'node:path';
import gateway from '@berth/spec/gateway.v1.json' with { type: 'json' };
import storage from '@berth/spec/storage.v2.json' with { type: 'json' };
import { writeGenerated } from '../../../spec/scripts/codegen.ts';
import { toTypes } from '../../../spec/scripts/to-types.ts';
import { SETTINGS } from '../src/cli/settings.ts';
import { toContractModule } from './to-contract-module.ts';
import { toMswModule } from './to-msw-module.ts';

const GENERATOR = 'packages/client/scripts/generate.ts';
const CONFIG_SCHEMA = join(import.meta.dirname, '../generated/config.schema.gen.json');

/**
 * Generates everything that is derived from the contract: types, constants, and the
 * JSON Schema of the command line settings.
 */
await Promise.all([
  write('gateway.v1', await toTypes(gateway)),
  write('storage.v2', await toTypes(storage)),
  write('contract', toContractModule()),
  write('msw', toMswModule()),
  writeGenerated(CONFIG_SCHEMA, toConfigSchema(), GENERATOR),
]);

function write(name: string, text: string): Promise<void> {
  const file = join(import.meta.dirname, `../src/generated/${name}.gen.ts`);
  return writeGenerated(file, text, GENERATOR);
}

/** Creates the JSON Schema of the `berth --config` file, which editors use for completion and validation. */
function toConfigSchema(): object {
  const properties = Object.entries(SETTINGS).map(([name, [variable, meaning]]) => [
    name,
    { description: `${meaning} (${variable})`, type: 'string', minLength: 1 },
  ]);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Settings of the berth CLI',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
  };
}
