import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Block, ROOT } from '../page.ts';
import { isScript, toGivenFiles, toModule } from './to-module.ts';

const CONFIG = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'esnext',
    lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
    module: 'nodenext',
    moduleDetection: 'force',
    jsx: 'react-jsx',
    types: ['node'],
    allowJs: true,
    checkJs: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
    resolveJsonModule: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
  },
};

/**
 * Type-checks the scripts on all pages against the built packages, in one program with a module per script.
 *
 * @param folder - a folder inside one that has the `node_modules` for the examples
 * @returns errors in the form `README.md:30: TS2304: Cannot find name 'a'.`
 */
export async function checkTypes(folder: string, pages: Block[][]): Promise<string[]> {
  if (!pages.flat().some(isScript)) return [];
  for (const blocks of pages) {
    for (const block of blocks) {
      for (const { file, text } of toGivenFiles(block)) await put(block.page, file, text);
      if (!isScript(block)) continue;
      const { file, text } = toModule(blocks, block);
      await put(block.page, file, text);
    }
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
  const said = await compile(folder);
  const found = said.matchAll(/^(.+?)\((\d+),\d+\): error (TS\d+: .+(?:\n .+)*)/gm);
  const faults = [...found].map(
    ([, file = '', line, text]) => `${file.split('.md/')[0]}.md:${line}: ${text}`,
  );
  if (said !== '' && faults.length === 0) faults.push(said);
  return [...new Set(faults)];

  async function put(page: string, file: string, text: string): Promise<void> {
    const path = join(folder, page, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

function compile(folder: string): Promise<string> {
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '--pretty', 'false'], { cwd: folder }, (_, out, err) =>
      resolve(`${out}${err}`.trim()),
    );
  });
}
