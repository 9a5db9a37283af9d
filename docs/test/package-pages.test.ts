import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'spec',
  ...['client', 'conformance', 'mock', 'server', 'server-stubs'].map((name) => `packages/${name}`),
];

describe.each(PAGES)('the page of %s', (folder) => {
  const text = readFileSync(join(ROOT, folder, 'README.md'), 'utf8');
  const { name } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
  const parts = {
    'what it is': text.search(/^[A-Z]/m),
    'how it is installed': text.search(new RegExp(`^(npm install .*|npx )${name}\\b`, 'm')),
    'the smallest example': text.search(/^(import .*|npx (@berth\/|berth-).*)$/m),
    options: text.search(/^\| (Option|Setting|Import) +\|/m),
    errors: text.search(/^## (Errors|Outcomes and exit codes)$/m),
  };

  it('begins with the name', () => {
    expect(text.startsWith(`# ${name}\n`)).toBe(true);
  });

  it(`says ${Object.keys(parts).join(', ')}, in this order`, () => {
    const places = Object.values(parts);
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});
