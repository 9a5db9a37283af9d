import { dropUnusedSchemas } from './drop-unused-schemas.ts';

/** What a module of validators is made of. */
export interface Parts {
  /** Standalone code of Ajv, ESM, one export for each name. */
  readonly code: string;
  /** The same for forms, CommonJS; its variables may have the same names. */
  readonly formCode: string;
  readonly names: readonly string[];
  readonly formNames: readonly string[];
  readonly runtime: string;
}

/** What Ajv asks for at run time, and where the runtime has it. */
const HELPERS: Readonly<Record<string, string>> = {
  'require("ajv/dist/runtime/equal").default': 'ajvHelpers.equal',
  'require("ajv/dist/runtime/ucs2length").default': 'ajvHelpers.ucs2length',
  'require("ajv-formats/dist/formats").fullFormats': 'ajvHelpers.formats',
};

/** Joins and cleans the standalone code of Ajv into one module. */
export function toModuleCode({ code, formCode, names, formNames, runtime }: Parts): string {
  const parts = [clean(code)];
  if (formNames.length > 0) {
    const exported = formNames.map((name) => `export const ${name}: Validator = forms.${name};`);
    parts.push(
      `const forms = (() => {\nconst exports = {};\n${clean(formCode)}\nreturn exports;\n})();`,
      exported.join('\n'),
    );
  }
  const body = parts.join('\n');
  const imports = body.includes('ajvHelpers.')
    ? `import { ajvHelpers, type Validator } from '${runtime}';`
    : `import type { Validator } from '${runtime}';`;
  return names.length + formNames.length === 0
    ? '// No schema to hold anything to.\nexport {};'
    : `// @ts-nocheck\n${imports}\n\n${body}`;
}

function clean(code: string): string {
  const lines = dropUnusedSchemas(code)
    .replace('"use strict";', '')
    .replace(/^export const (\w+) = /gm, 'export const $1: Validator = ')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map(withoutRequire).join('\n');
}

function withoutRequire(line: string): string {
  if (!/^const \w+ = require\(/.test(line)) return line;
  for (const [call, helper] of Object.entries(HELPERS)) {
    if (line.includes(call)) return line.replace(call, helper);
  }
  throw new Error(`Ajv asks for a helper that the runtime does not have: ${line}`);
}
