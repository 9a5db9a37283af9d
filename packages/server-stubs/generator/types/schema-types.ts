import { type Names, toKey, toLiteral } from '../names.ts';
import { isObject, type Pointer, toText } from '../old/document.ts';
import { readDiscriminator } from '../schema/lower-discriminator.ts';
import {
  membersOf,
  propertiesOf,
  requiredOf,
  type Schema,
  type SchemaObject,
  typesOf,
  visitSubschemas,
} from '../schema/schema.ts';
import {
  type Direction,
  hiddenProperties,
  type SchemaNames,
  type SchemaStore,
} from '../schema/schema-store.ts';

interface TypeContext {
  readonly store: SchemaStore;
  readonly direction: Direction;
  readonly toName: (pointer: Pointer) => string;
}

const UNKNOWN = 'unknown';

/**
 * An object with named properties is closed, so that a misspelled one is a compile error, unless
 * `additionalProperties` is a schema. What TypeScript cannot express is left to the validators.
 */
function toType(schema: Schema, context: TypeContext): string {
  if (schema === true) return UNKNOWN;
  if (schema === false) return 'never';
  const parts = [
    ...(schema.$ref === undefined ? [] : [context.toName(schema.$ref)]),
    ...ownType(schema, context),
    ...membersOf(schema, 'allOf').map((each) => toType(each, context)),
    ...(['oneOf', 'anyOf'] as const).flatMap((keyword) => toChoices(schema, keyword, context)),
  ];
  const known = [...new Set(parts)].filter((part) => part !== UNKNOWN);
  if (known.length === 0) return UNKNOWN;
  return known.length === 1 ? (known[0] ?? UNKNOWN) : known.map(inParentheses).join(' & ');
}

function toUnion(types: readonly string[]): string {
  const members = [...new Set(types)];
  if (members.includes(UNKNOWN)) return UNKNOWN;
  const possible = members.filter((member) => member !== 'never');
  return possible.length === 0 ? 'never' : possible.join(' | ');
}

function ownType(schema: SchemaObject, context: TypeContext): string[] {
  if ('const' in schema) return [toValueType(schema.const)];
  const values = schema.enum;
  if (Array.isArray(values)) return [toUnion(values.map(toValueType))];
  const types = typesOf(schema);
  if (types.length > 0) return [toUnion(types.map((type) => toTypeOf(type, schema, context)))];
  if ('properties' in schema || isObject(schema.additionalProperties)) {
    return [toObject(schema, context)];
  }
  if ('items' in schema || 'prefixItems' in schema) return [toArray(schema, context)];
  const required = requiredOf(schema);
  return required.length > 0 ? [toObject(schema, context)] : [];
}

function toTypeOf(type: string, schema: SchemaObject, context: TypeContext): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return toArray(schema, context);
    case 'object':
      return toObject(schema, context);
    default:
      return type;
  }
}

function toArray(schema: SchemaObject, context: TypeContext): string {
  const prefix = membersOf(schema, 'prefixItems').map((each) => toType(each, context));
  const { items } = schema;
  const rest = typeof items === 'boolean' || isObject(items) ? toType(items, context) : UNKNOWN;
  if (prefix.length === 0) return `${inParentheses(rest)}[]`;
  const minimum = schema.minItems;
  return toTuple(
    prefix,
    items === false ? undefined : inParentheses(rest),
    typeof minimum === 'number' ? minimum : 0,
  );
}

function toObject(schema: SchemaObject, context: TypeContext): string {
  const { store, direction } = context;
  const hidden = hiddenProperties(schema, direction, store);
  const required = new Set(requiredOf(schema));
  const properties = propertiesOf(schema).filter(([name]) => !hidden.has(name));
  const lines = properties.map(
    ([name, property]) =>
      `${toComment(property)}${toKey(name)}${required.has(name) ? '' : '?'}: ${toType(property, context)};`,
  );
  const own = new Set(propertiesOf(schema).map(([name]) => name));
  for (const name of required) {
    // Declared elsewhere, in an `allOf` or next to a `$ref`; `unknown` only makes it required.
    if (!own.has(name) && !hidden.has(name)) lines.push(`${toKey(name)}: unknown;`);
  }
  const index = toIndex(schema, lines.length > 0, context);
  if (index !== undefined) lines.push(`[name: string]: ${index};`);
  return lines.length === 0 ? '{ [name: string]: never }' : `{\n${lines.join('\n')}\n}`;
}

function toIndex(
  schema: SchemaObject,
  hasNamed: boolean,
  context: TypeContext,
): string | undefined {
  const { additionalProperties: additional, patternProperties } = schema;
  if (isObject(additional)) return hasNamed ? UNKNOWN : toType(additional, context);
  if (patternProperties !== undefined) return UNKNOWN;
  if ('properties' in schema || additional === false) return undefined;
  // A `required` without `properties` refers to properties declared elsewhere.
  return hasNamed && schema.type === undefined ? undefined : UNKNOWN;
}

function toChoices(
  schema: SchemaObject,
  keyword: 'oneOf' | 'anyOf',
  context: TypeContext,
): string[] {
  const choices = membersOf(schema, keyword);
  if (choices.length === 0) return [];
  const discriminator = readDiscriminator(schema);
  return [
    toUnion(
      choices.map((choice) => {
        const type = toType(choice, context);
        const target = isObject(choice) ? choice.$ref : undefined;
        const tags = (discriminator?.mapped ?? []).filter((tag) => tag.target === target);
        if (discriminator === undefined || tags.length === 0) return type;
        const values = toUnion(tags.map(({ value }) => toLiteral(value)));
        return `(${type} & { ${toKey(discriminator.property)}: ${values} })`;
      }),
    ),
  ];
}

function toValueType(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toValueType).join(', ')}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(
      ([key, each]) => `${toKey(key)}: ${toValueType(each)}`,
    );
    return `{ ${members.join('; ')} }`;
  }
  return toLiteral(value);
}

function inParentheses(type: string): string {
  return /[|&]/.test(type) ? `(${type})` : type;
}

function toComment(schema: Schema): string {
  if (!isObject(schema)) return '';
  const initial = schema.default;
  return toJsDoc([
    toText(schema.description) ?? toText(schema.title) ?? '',
    initial === undefined ? '' : `@default ${JSON.stringify(initial)}`,
    schema.deprecated === true ? '@deprecated' : '',
  ]);
}

export function toJsDoc(paragraphs: readonly string[]): string {
  const lines = paragraphs
    .filter(Boolean)
    .join('\n\n')
    .replaceAll('*/', '*\\/')
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => line.trimEnd());
  while (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) return '';
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => (line === '' ? ' *' : ` * ${line}`)).join('\n')}\n */\n`;
}

/** @example toTuple(['string', 'number'], 'boolean', 1); // '[string, number?, ...boolean[]]' */
function toTuple(prefix: readonly string[], rest: string | undefined, minimum: number): string {
  const items = prefix.map((type, index) => (index < minimum ? type : `(${type})?`));
  return `[${[...items, ...(rest === undefined ? [] : [`...${rest}[]`])].join(', ')}]`;
}

/** Indents lines by their open braces and brackets, except for those in comments and strings. */
export function indent(text: string): string {
  let depth = 0;
  let inComment = false;
  return text
    .split('\n')
    .map((raw) => {
      const line = inComment ? ` ${raw.trim()}` : raw.trim();
      const wasComment = inComment || line.startsWith('/**');
      if (line.startsWith('/**')) inComment = true;
      if (line.endsWith('*/')) inComment = false;
      if (wasComment) return `${'  '.repeat(depth)}${line}`.trimEnd();
      const bare = line.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, '');
      const closing = /^[}\])]*/.exec(bare)?.[0].length ?? 0;
      const here = depth - closing;
      depth += (bare.match(/[{[(]/g)?.length ?? 0) - (bare.match(/[}\])]/g)?.length ?? 0);
      return line === '' ? '' : `${'  '.repeat(Math.max(0, here))}${line}`;
    })
    .join('\n');
}

/** Targets of `$ref`s get named types on demand, in two variants if requests and responses differ. */
export class SchemaTypes {
  readonly #store: SchemaStore;
  readonly #names: SchemaNames;
  readonly #free: Names;
  readonly #declarations = new Map<string, string>();
  readonly #requestNames = new Map<Pointer, string>();
  readonly #differs = new Map<Pointer, boolean>();

  constructor(store: SchemaStore, names: SchemaNames, free: Names) {
    this.#store = store;
    this.#names = names;
    this.#free = free;
  }

  get declarations(): ReadonlyMap<string, string> {
    return this.#declarations;
  }

  toType(schema: Schema, direction: Direction): string {
    const toName = (pointer: Pointer) => this.#declare(pointer, direction);
    return toType(schema, { store: this.#store, direction, toName });
  }

  #declare(pointer: Pointer, direction: Direction): string {
    const name = this.#nameOf(pointer, direction);
    if (!this.#declarations.has(name)) {
      this.#declarations.set(name, '');
      const schema = this.#store.get(pointer);
      const text = `${toComment(schema)}export type ${name} = ${this.toType(schema, direction)};`;
      this.#declarations.set(name, text);
    }
    return name;
  }

  #nameOf(pointer: Pointer, direction: Direction): string {
    const name = this.#names.of(pointer);
    if (direction === 'response' || !this.#hasVariants(pointer)) return name;
    const known = this.#requestNames.get(pointer) ?? this.#free.take(`${name}Request`);
    this.#requestNames.set(pointer, known);
    return known;
  }

  #hasVariants(pointer: Pointer): boolean {
    const known = this.#differs.get(pointer);
    if (known !== undefined) return known;
    const reached = new Set<Pointer>();
    const hides = this.#hides(this.#store.get(pointer), reached);
    this.#differs.set(pointer, hides);
    return hides;
  }

  #hides(schema: Schema, reached: Set<Pointer>): boolean {
    if (!isObject(schema)) return false;
    for (const direction of ['request', 'response'] as const) {
      if (hiddenProperties(schema, direction, this.#store).size > 0) return true;
    }
    let hides = false;
    if (schema.$ref !== undefined && !reached.has(schema.$ref)) {
      reached.add(schema.$ref);
      hides = this.#hides(this.#store.get(schema.$ref), reached);
    }
    visitSubschemas(schema, '#', (each) => {
      hides ||= this.#hides(each, reached);
    });
    return hides;
  }
}
