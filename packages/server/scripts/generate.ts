import { join } from 'node:path';
import { writeGenerated } from '@berth/codegen';
import { toJsonSchema } from '../src/config/config-schema.ts';

/** Writes the JSON Schema of the configuration, which editors use to complete and check YAML files. */
await writeGenerated(
  join(import.meta.dirname, '../generated/config.schema.gen.json'),
  toJsonSchema(),
  'packages/server/scripts/generate.ts',
);
