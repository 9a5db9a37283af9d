import typescript from '@berth/runtimes/typescript';
import Ajv from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parseAllDocuments } from 'yaml';
import type { Block, Outcome } from '../page/block.ts';
import { findSchema } from './find-schema.ts';

export const DATA = ['yaml', 'json', 'jsonc'];

/**
 * Parses a block of data, and validates it where it is a configuration that has a schema.
 *
 * @throws Error that says what is wrong
 */
export function checkData(block: Block): Outcome {
  for (const value of parse(block)) {
    const schema = findSchema(block, value);
    if (schema === undefined)
      return { block, class: 'parsed', why: 'no configuration with a schema' };
    const ajv = formats.default(new Ajv.default({ strict: false, allErrors: true }));
    if (!ajv.validate(schema, value)) throw new Error(ajv.errorsText(ajv.errors, { dataVar: '' }));
  }
  return { block, class: 'validated' };
}

function parse({ lang, code }: Block): unknown[] {
  if (lang === 'json') return [JSON.parse(code)];
  if (lang === 'yaml') {
    return parseAllDocuments(code).map((document) => {
      if (document.errors[0]) throw document.errors[0];
      return document.toJS();
    });
  }
  const { config, error } = typescript.parseConfigFileTextToJson('block.jsonc', code);
  if (error) throw new Error(typescript.flattenDiagnosticMessageText(error.messageText, '\n'));
  return [config];
}
