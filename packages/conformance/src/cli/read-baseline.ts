import { StartError } from '../start-error.ts';
import { assertRuleIds } from './assert-rule-names.ts';
import { readTextFile } from './read-file.ts';

/**
 * The ids that are known to fail: a JSON list, or text with one a line, where `#` begins a comment.
 *
 * @throws StartError where the file is none, or names a rule that there is not
 */
export async function readBaseline(file: string): Promise<string[]> {
  const text = await readTextFile(file, '--baseline');
  const ids = text.trimStart().startsWith('[') ? fromJson(file, text) : fromLines(text);
  assertRuleIds(`--baseline ${file}`, ids);
  return [...new Set(ids)];
}

function fromLines(text: string): string[] {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*$/, '').trim());
  return lines.filter((line) => line !== '');
}

function fromJson(file: string, text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every((id) => typeof id === 'string')) return list;
  } catch {}
  throw new StartError(`--baseline ${file} must be a JSON list of ids, or text with one a line.`);
}
