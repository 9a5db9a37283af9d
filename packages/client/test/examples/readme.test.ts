import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const read = (path: string) => readFile(new URL(path, import.meta.url), 'utf8');

it.each(['profile.tsx', 'publish-report.ts', 'publish-report.test.ts'])(
  'is shown in the README as it is tested: %s',
  async (file) => {
    const language = file.slice(file.lastIndexOf('.') + 1);
    const block = `\`\`\`${language}\n${await read(file)}\`\`\``;
    // The README names the file in the first line of a block.
    const readme = (await read('../../README.md')).replace(/^\/\/ [\w.-]+\.tsx?\n/gm, '');
    expect(readme).toContain(block);
  },
);
