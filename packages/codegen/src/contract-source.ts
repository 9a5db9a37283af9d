export function constant(name: string, text: string, value: unknown): string {
  return `/** ${text} */\nexport const ${name} = ${JSON.stringify(value, null, 2)} as const;`;
}

export interface ErrorRow {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  /** In whole seconds. */
  readonly retryAfter?: number;
}

/** Omits the fields that are not needed at run time. */
export function toErrorTable(rows: readonly ErrorRow[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    rows.map(({ code, status, message, retryAfter }) => [code, { status, message, retryAfter }]),
  );
}

export interface ObjectSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
}

/** Supports objects and strings. Omits the `$schema` property. */
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
