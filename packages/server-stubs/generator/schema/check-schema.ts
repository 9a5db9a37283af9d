import { Ajv2020 } from 'ajv/dist/2020.js';
import { join, type Pointer, toNames } from '../document/pointer.ts';
import type { Problems } from '../document/problems.ts';
import type { Schema } from './schema.ts';

const ajv = new Ajv2020({ strict: false, logger: false });

/** Refuses what is no schema by the meta-schema of draft 2020-12. */
export function checkSchema(schema: Schema, pointer: Pointer, problems: Problems): void {
  if (ajv.validateSchema(schema) === true) return;
  const [error] = ajv.errors ?? [];
  const names = toNames(`#${error?.instancePath ?? ''}`);
  problems.refuse(
    join(pointer, ...names),
    `This is no JSON Schema: it ${error?.message ?? 'is malformed'}. Correct it.`,
  );
}
