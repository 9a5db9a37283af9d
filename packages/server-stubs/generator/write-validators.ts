import type { ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import standalone from 'ajv/dist/standalone/index.js';
import { toNames } from '../src/runtime/json-pointer.ts';
import { join, type OpenApiDocument } from './document.ts';
import type { SchemaSet } from './schema-set.ts';

/** What Ajv requires at run time, and where the runtime has it. */
const HELPERS: Readonly<Record<string, string>> = {
  'require("ajv/dist/runtime/equal").default': 'ajvHelpers.equal',
  'require("ajv/dist/runtime/ucs2length").default': 'ajvHelpers.ucs2length',
  'require("ajv-formats/dist/formats").fullFormats': 'ajvHelpers.formats',
};

/** Writes a module of Ajv's standalone code, which runs without Ajv. Its exports are the IDs of the roots. */
export function writeValidators(
  schemas: SchemaSet,
  runtime: string,
  document: OpenApiDocument,
): string {
  if (schemas.roots.size === 0) return '// No schema to validate.\nexport {};';
  const draft = new Ajv2020({ logger: false });
  for (const { schema, pointer } of schemas.schemas.values()) {
    if (draft.validateSchema(schema)) continue;
    const [{ instancePath, message }] = draft.errors as [ErrorObject];
    const at = join(pointer, ...toNames(`#${instancePath}`));
    document.error(at, `This is not a valid JSON Schema of draft 2020-12: ${message}.`);
  }
  if (document.errors.length > 0) return '';
  const ajv = schemas.createAjv({ source: true });
  const functions = new Map<string, string>();
  for (const id of schemas.compileOrder) {
    const source = ajv.getSchema(id)?.source;
    if (source !== undefined) functions.set(source.validateName.str, source.validateCode);
  }
  const exported = Object.fromEntries([...schemas.roots].map((id) => [id, id]));
  const code = dropRepeated(standalone.default(ajv, exported), functions);
  return `// @ts-nocheck
import { ajvHelpers, type Validator } from '${runtime}';

${withoutRequire(code)}`;
}

const FUNCTION = /^function (validate\d+)\(/gm;

/** Ajv may write a function twice if schemas refer to each other. */
function dropRepeated(code: string, functions: ReadonlyMap<string, string>): string {
  const written = new Set<string>();
  let rest = code;
  for (const [, name = ''] of code.matchAll(FUNCTION)) {
    const text = written.has(name) ? functions.get(name) : undefined;
    written.add(name);
    if (text === undefined) continue;
    const end = rest.indexOf(text) + text.length;
    rest = rest.slice(0, end) + rest.slice(end).replace(text, () => '');
  }
  if (rest.match(FUNCTION)?.length === written.size) return rest;
  throw new Error('Ajv defines a function twice.');
}

function withoutRequire(code: string): string {
  const changed = Object.entries(HELPERS)
    .reduce((text, [call, helper]) => text.replaceAll(call, helper), code)
    .replace('"use strict";', '')
    .replace(/^export const (\w+) = /gm, 'export const $1: Validator = ')
    .replace(/\n{2,}/g, '\n');
  const missing = /^const \w+ = (require\(.*)/m.exec(changed);
  if (missing === null) return changed;
  throw new Error(`Ajv needs a helper that the runtime does not have: ${missing[1]}`);
}
