import { z } from 'zod';
import { configSchema } from './config-schema.ts';

/** The JSON Schema (draft 2020-12) of what a configuration file may hold. */
export function toJsonSchema(): object {
  return z.toJSONSchema(configSchema, { io: 'input' });
}
