import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type { TxtNode } from '@textlint/ast-node-types';
import { TextlintKernel } from '@textlint/kernel';
import type { TextlintRuleModule } from '@textlint/types';
import { parse } from 'yaml';
import { toPlugin } from './plugins.ts';

/** CommonJS, whose default export Node and Vitest import differently. */
const require = createRequire(import.meta.url);
const { default: markdown } = require('@textlint/textlint-plugin-markdown');

type Word = { avoid: string; use: string };

const WORDS: Word[] = parse(readFileSync(new URL('words.yaml', import.meta.url), 'utf8'));

const PATTERNS = WORDS.map(({ avoid, use }) => ({
  pattern: new RegExp(avoid.replaceAll(' ', '\\s+'), 'giu'),
  use,
}));

/**
 * Anything that is not prose: code, link targets, HTML, URLs, and the markers at the start of comment
 * lines.
 */
const NO_PROSE = /`[^`]*`|\]\([^)\s]*\)|<[^>]*>|\bhttps?:\S+|(?<=\n)[ \t]*(?:\*|\/\/|#)/g;

const avoidWords: TextlintRuleModule = ({ Syntax, RuleError, report, getSource, locator }) => {
  const check = (node: TxtNode) => {
    // Masked text keeps its length, so that the positions of findings stay correct.
    const text = getSource(node).replace(NO_PROSE, (code) => code.replace(/\S/g, '_'));
    for (const { pattern, use } of PATTERNS) {
      for (const { 0: found, index } of text.matchAll(pattern)) {
        const message = `"${found.trim().replace(/\s+/g, ' ')}": write ${use}`;
        const padding = locator.range([index, index + found.length]);
        report(node, new RuleError(message, { padding }));
      }
    }
  };
  return { [Syntax.Paragraph]: check, [Syntax.Header]: check, [Syntax.TableCell]: check };
};

export type Finding = { line: number; column: number; message: string };

/**
 * Finds words that prose should avoid in a Markdown, YAML or TypeScript file.
 *
 * @param file - file name, whose extension selects the parser
 */
export async function lintText(text: string, file: string): Promise<Finding[]> {
  const { messages } = await new TextlintKernel().lintText(text, {
    ext: extname(file),
    filePath: file,
    plugins: [
      { pluginId: 'markdown', plugin: markdown },
      { pluginId: 'berth', plugin: toPlugin() },
    ],
    rules: [{ ruleId: 'avoid-words', rule: avoidWords }],
  });
  return messages.map(({ loc, message }) => ({ ...loc.start, message }));
}
