import { z } from 'zod';
import { configSchema } from './config-schema.ts';

/**
 * The JSON Schema (draft 2020-12) of what a configuration file may hold. A text that refers to an environment
 * variable (`${NAME}`) has the length of its value only when it is read, so it is good here.
 */
export function toJsonSchema(): object {
  return z.toJSONSchema(configSchema, {
    io: 'input',
    override({ jsonSchema }) {
      const { minLength = 0 } = jsonSchema;
      if (minLength < 2) return;
      delete jsonSchema.minLength;
      jsonSchema.pattern = `\\$\\{\\w+\\}|[\\s\\S]{${minLength}}`;
    },
  });
}
