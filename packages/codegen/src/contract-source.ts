/** Renders the source of an exported constant. */
export function constant(name: string, text: string, value: unknown): string {
  return `/** ${text} */\nexport const ${name} = ${JSON.stringify(value, null, 2)} as const;`;
}

/** A row of an error table in `spec/defaults`. */
export interface ErrorRow {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  /** In whole seconds. */
  readonly retryAfter?: number;
}

/**
 * Converts an error table to an object whose keys are the codes. Omits the fields that are not needed at run
 * time.
 */
export function toErrorTable(rows: readonly ErrorRow[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    rows.map(({ code, status, message, retryAfter }) => [code, { status, message, retryAfter }]),
  );
}

/** The part of JSON Schema that `toReadonlyType` supports. */
export interface ObjectSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
}

/**
 * Renders a readonly TypeScript type for a schema of objects and strings. Omits the `$schema` property.
 *
 * @example
 * toReadonlyType({ properties: { name: {} } }); // '{ readonly name?: string; }'
 */
export function toReadonlyType({ properties, required = [] }: ObjectSchema): string {
  if (properties === undefined) return 'string';
  const lines = Object.entries(properties).flatMap(([name, schema]) => {
    if (name === '$schema') return [];
    const { description } = schema;
    const mark = required.includes(name) ? '' : '?';
    return [
      ...(description === undefined ? [] : [`/** ${description} */`]),
      `readonly ${name}${mark}: ${toReadonlyType(schema)};`,
    ];
  });
  return `{\n${lines.join('\n').replace(/^/gm, '  ')}\n}`;
}
