import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  'spec',
  ...['client', 'conformance', 'mock', 'server', 'server-stubs'].map((name) => `packages/${name}`),
];

describe.each(PAGES)('the page of %s', (folder) => {
  const text = readFileSync(join(ROOT, folder, 'README.md'), 'utf8');
  const { name, bin, engines } = readManifest(folder);
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

  it.runIf(bin)('names the oldest Node that the package supports', () => {
    expect(listNodes(text)[0]).toBe(engines.node.replace('>=', ''));
  });

  it(`shows ${Object.keys(parts).join(', ')}, in this order`, () => {
    const places = Object.values(parts);
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });
});

describe('the oldest Node', () => {
  const floors = PAGES.map((folder) => readManifest(folder).engines.node.replace('>=', ''));
  /** A project of `berth-stubs init` runs its TypeScript directly. */
  const known = [...floors, '22.18'];

  it.each(['client', 'mock', 'server', 'conformance'])('of %s is in the README', (name) => {
    const { engines } = readManifest(`packages/${name}`);
    const uses = readFileSync(join(ROOT, 'README.md'), 'utf8').split(/^### /m);
    const use = uses.find((part) =>
      new RegExp(`^(npm install|npx) @berth/${name}\\b`, 'm').test(part),
    );
    expect(listNodes(use ?? '')).toEqual([engines.node.replace('>=', '')]);
  });

  it.each(globSync('docs/{start,guides}/*.md', { cwd: ROOT }))(
    'in %s is that of a package',
    (page) => {
      const nodes = listNodes(readFileSync(join(ROOT, page), 'utf8'));
      expect(nodes.filter((node) => !known.includes(node))).toEqual([]);
    },
  );
});

/** Node versions that a page requires, in order. */
function listNodes(text: string): string[] {
  return [...text.matchAll(/\bNode\s+([\d.]+) or (?:later|newer)/g)].map(([, node = '']) => node);
}

function readManifest(folder: string) {
  return JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
}
