import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject, type JsonObject, type Pointer, valueAt } from '../../generator/document.ts';

type Oracle = (schema: Pointer, value: unknown) => boolean;

/**
 * Ajv as used at run time: the entire document is one schema resource, to which the schemas refer.
 * Shares no code with the generator except for reading pointers.
 *
 * @param direction `readOnly` properties are not required in requests, `writeOnly` ones not in responses
 */
export function createOracle(document: JsonObject, direction: 'request' | 'response'): Oracle {
  const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    validateSchema: false,
    unicodeRegExp: false,
  });
  addFormats.default(ajv);
  ajv.addKeyword({ keyword: 'discriminator', validate: holdsToTag });
  const resource = convert(document, document, mark) as JsonObject;
  ajv.addSchema({ ...resource, $id: 'doc:/' });
  const compiled = new Map<Pointer, ValidateFunction>();
  return judge;

  function judge(schema: Pointer, value: unknown): boolean {
    const known = compiled.get(schema);
    if (known !== undefined) return known(value) as boolean;
    const validate = ajv.compile(convert(valueAt(document, schema), document, mark) as JsonObject);
    compiled.set(schema, validate);
    return validate(value) as boolean;
  }

  /** A tag in the mapping, or the name of a choice, selects the schema that must be valid. */
  function holdsToTag(discriminator: JsonObject, value: unknown, parent?: JsonObject): boolean {
    const choices = parent?.oneOf ?? parent?.anyOf;
    const property = String(discriminator.propertyName);
    if (!isObject(value) || !Array.isArray(choices) || typeof value[property] !== 'string') {
      return true;
    }
    const tag = value[property];
    const mapping = isObject(discriminator.mapping) ? discriminator.mapping : {};
    const mapped = Object.hasOwn(mapping, tag) ? String(mapping[tag]) : undefined;
    const refs = choices.flatMap((choice) =>
      isObject(choice) ? [String(choice.$ref).replace('doc:/', '')] : [],
    );
    const free = refs.filter((ref) => !Object.values(mapping).map(toRef).includes(ref));
    const target =
      mapped === undefined ? free.find((ref) => ref.endsWith(`/${tag}`)) : toRef(mapped);
    return target === undefined || judge(decodeURI(target), value);
  }
}

function toRef(name: unknown): string {
  return String(name).startsWith('#') ? String(name) : `#/components/schemas/${name}`;
}

const PAYLOADS = ['example', 'examples', 'default', 'enum', 'const'];

function convert(node: unknown, root: JsonObject, mark: string, isMap = false): unknown {
  if (Array.isArray(node)) return node.map((each) => convert(each, root, mark));
  if (!isObject(node)) return node;
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(node)) {
    if (!isMap && PAYLOADS.includes(key)) copy[key] = value;
    else
      copy[key] = convert(
        value,
        root,
        mark,
        !isMap && /^(properties|patternProperties)$/.test(key),
      );
  }
  if (isMap) return copy;
  if (typeof copy.$ref === 'string') copy.$ref = `doc:/${copy.$ref}`;
  // OpenAPI 3.0: keywords next to a `$ref` are ignored.
  if (String(root.openapi).startsWith('3.0') && '$ref' in copy) return { $ref: copy.$ref };
  delete copy.example;
  delete copy.examples;
  if (Array.isArray(copy.required)) copy.required = relax(node, copy.required, root, mark);
  return toNullable(toNumericLimits(copy));
}

function relax(node: JsonObject, required: unknown[], root: JsonObject, mark: string): unknown[] {
  const properties = isObject(node.properties) ? node.properties : {};
  return required.filter((name) => {
    const property = properties[String(name)];
    const target =
      isObject(property) && typeof property.$ref === 'string'
        ? valueAt(root, property.$ref)
        : property;
    return !(isObject(target) && target[mark] === true);
  });
}

/** Ajv supports `nullable`, but only next to a `type`. */
function toNullable({ nullable, ...schema }: JsonObject): JsonObject {
  if (nullable !== true || '$ref' in schema) return schema;
  return 'type' in schema ? { ...schema, nullable } : { anyOf: [schema, { type: 'null' }] };
}

function toNumericLimits(schema: JsonObject): JsonObject {
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[flag] !== 'boolean') continue;
    const isExclusive = schema[flag];
    delete schema[flag];
    if (!isExclusive) continue;
    schema[flag] = schema[limit];
    delete schema[limit];
  }
  return schema;
}
