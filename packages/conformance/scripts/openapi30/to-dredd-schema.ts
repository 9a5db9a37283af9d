/** Schema keywords that Dredd's parser supports; all others cause a warning, or worse. */
const KEYWORDS = ['type', 'enum', 'title', 'description', 'default', 'example', 'nullable'];

type Schema = Record<string, unknown>;

/**
 * Reduces an OpenAPI 3.0 schema to what Dredd supports: no constraints, and only the first branch of `oneOf`.
 */
export function toDreddSchema(schema: Schema): Schema {
  if (typeof schema.$ref === 'string') return { $ref: schema.$ref };
  const branches = schema.oneOf as Schema[] | undefined;
  if (branches?.[0]) return toDreddSchema(branches[0]);
  const out: Schema = Object.fromEntries(
    KEYWORDS.filter((key) => key in schema).map((key) => [key, schema[key]]),
  );
  if (schema.required) out.required = schema.required;
  if (schema.properties) out.properties = toDreddSchemas(schema.properties as Schema);
  if (schema.items) out.items = toDreddSchema(schema.items as Schema);
  return out;
}

/** Does the same for each schema in a map. */
export function toDreddSchemas(schemas: Record<string, unknown>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, toDreddSchema(schema as Schema)]),
  );
}
