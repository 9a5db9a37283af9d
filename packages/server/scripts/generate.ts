import { join } from 'node:path';
import { z } from 'zod';
import { writeGenerated } from '../../../spec/generate/write.ts';
import { configSchema } from '../src/config/schema.ts';

/**
 * Writes the JSON Schema (draft 2020-12) of the configuration file, which editors use for completion and validation.
 * It accepts any string that refers to an environment variable (`${NAME}`), whose length is only known when the file
 * is loaded.
 */
const schema = z.toJSONSchema(configSchema, {
  io: 'input',
  override({ jsonSchema }) {
    const { minLength = 0 } = jsonSchema;
    if (minLength < 2) return;
    delete jsonSchema.minLength;
    jsonSchema.pattern = `\\$\\{\\w+\\}|[\\s\\S]{${minLength}}`;
  },
});

await writeGenerated(
  join(import.meta.dirname, '../generated/config.schema.gen.json'),
  schema,
  'packages/server/scripts/generate.ts',
);
