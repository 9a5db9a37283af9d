import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stagePages } from './stage-pages.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('links to pages, and to copies of other files', async () => {
  const text =
    '# A\n\n[mock](../../packages/mock/README.md#faults) [spec](../../spec/redocly.yaml) [API](../../spec/generated/gateway.v1.gen.yaml) ![b](../images/upload.svg) [b](#b) [c](https://c.example/c)\n\n```md\n[d](d.md)\n```\n';
  const files = ['docs/guides/a.md', 'packages/mock/README.md', 'docs/guides/mock.md'];
  const others = new Map(files.slice(1).map((file) => [file, '# Other\n']));
  await stagePages(files, new Map([['docs/guides/a.md', text], ...others]), folder);

  expect(await readFile(join(folder, 'guides/a.md'), 'utf8')).toBe(
    '# A\n\n[mock](../packages/mock.md#faults) [spec](../source/spec/redocly.yaml) [API](../api/gateway.v1/openapi.yaml) ![b](./../images/upload.svg) [b](#b) [c](https://c.example/c)\n\n```md\n[d](d.md)\n```\n',
  );
  expect(await readFile(join(folder, 'images/upload.svg'), 'utf8')).toContain('<svg');
  const source = await readFile(join(folder, 'public/source/spec/redocly.yaml'), 'utf8');
  expect(source).toContain('extends:');
  const api = await readFile(join(folder, 'public/api/gateway.v1/openapi.yaml'), 'utf8');
  expect(api).toContain('openapi: 3.1.1');
});

it('names every broken link', async () => {
  const built = new Map([['docs/guides/a.md', '[b](b.md) [c](../c.md)']]);
  await expect(stagePages(['docs/guides/a.md'], built, folder)).rejects.toThrow(
    'Broken links:\n  docs/guides/a.md: b.md\n  docs/guides/a.md: ../c.md',
  );
});
