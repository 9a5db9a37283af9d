import { join } from 'node:path';
import { z } from 'zod';
import type { Any } from '../../../spec/generate/read.ts';
import { writeGenerated } from '../../../spec/generate/write.ts';
import { configSchema } from '../src/config/schema.ts';

/** A reference to an environment variable, whose value is only known when the file is loaded. */
const REFERENCE = { type: 'string', pattern: '\\$\\{\\w+\\}' };

/** Writes the JSON Schema (draft 2020-12) of the configuration file, which editors use for completion and validation. */
const text = JSON.stringify(z.toJSONSchema(configSchema, { io: 'input' }));
await writeGenerated(
  join(import.meta.dirname, '../generated/config.schema.gen.json'),
  // Names are not replaced.
  JSON.parse(text, (key, schema) => (key === 'propertyNames' ? schema : allowReference(schema))),
  'packages/server/scripts/generate.ts',
);

/** Wherever a setting restricts what it accepts, a reference is also valid. */
function allowReference(schema: Any): Any {
  const { description, default: preset, ...value } = Object(schema);
  const isNoText = ['boolean', 'integer', 'number'].includes(value.type);
  const isRestricted = value.enum ?? value.const ?? value.format ?? value.pattern;
  if (!isNoText && isRestricted === undefined && !(value.minLength > 1)) return schema;
  return { description, default: preset, anyOf: [value, REFERENCE] };
}
