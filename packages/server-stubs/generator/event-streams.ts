type Fields = Readonly<Record<string, unknown>>;

/**
 * Describes an event stream by the schema of its events' data, for tools that do not know OpenAPI 3.2. There,
 * `itemSchema` describes an event as an object whose `data` is text with the `contentSchema` of its JSON.
 */
export function toDataSchema(mediaType: Fields): Fields {
  const { itemSchema, ...rest } = mediaType;
  if (!isFields(itemSchema)) return mediaType;
  const data = isFields(itemSchema.properties) ? itemSchema.properties.data : undefined;
  return { ...rest, schema: isFields(data) ? (data.contentSchema ?? data) : itemSchema };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
