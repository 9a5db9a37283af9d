import { join } from 'node:path';
import { writeGenerated } from '../../../spec/generate/write.ts';
import { toJsonSchema } from '../src/config/schema.ts';

/** Writes the JSON Schema of the configuration file, which editors use for completion and validation. */
await writeGenerated(
  join(import.meta.dirname, '../generated/config.schema.gen.json'),
  toJsonSchema(),
  'packages/server/scripts/generate.ts',
);
