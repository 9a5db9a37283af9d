import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS: Readonly<Record<string, string>> = {
  '@berth/spec': 'spec',
  '@berth/client': 'packages/client',
  '@berth/conformance': 'packages/conformance',
  '@berth/mock': 'packages/mock',
  '@berth/server': 'packages/server',
};
const guide = readFileSync(join(ROOT, 'docs/reference/editors.md'), 'utf8');
const pages = [
  'docs/reference/editors.md',
  'docs/start/server.md',
  ...Object.values(FOLDERS).map((each) => `${each}/README.md`),
];
const examples = pages.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const named = text.matchAll(
    /\$schema(?:=|": "|: )(?:\S+node_modules|https:\/\/unpkg\.com)\/(?<path>[^"\s]+)/g,
  );
  return [...named].map((match) => ({ page, path: match.groups?.path ?? '' }));
});
const schemas = [...guide.matchAll(/`(?<name>@berth\/\w+)\/(?<entry>\S+\.schema\.json)`/g)].map(
  (match) => match.groups as { name: string; entry: string },
);

/** The published file of a package, with `dist` replaced by `src`. */
function toFile(name: string, entry: string): string {
  const folder = join(ROOT, FOLDERS[name] ?? '');
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const target = exports[`./${entry}`];
  return join(folder, typeof target === 'string' ? target : target['berth-source']);
}

function toSource(path: string): string {
  const [scope, name, ...rest] = path.split('/');
  const folder = FOLDERS[`${scope}/${name}`] ?? '';
  return join(ROOT, folder, rest.join('/').replace(/^dist\//, 'src/'));
}

describe('the schema of a configuration file', () => {
  it('is published for six kinds of files', () => {
    expect(schemas).toHaveLength(6);
  });

  it.each(schemas)(
    '$name/$entry is a JSON Schema that describes its settings',
    ({ name, entry }) => {
      const schema = JSON.parse(readFileSync(toFile(name, entry), 'utf8'));
      expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
      expect(schema.properties ?? schema.additionalProperties).toBeTypeOf('object');
    },
  );

  it.each(schemas)('$name/$entry is used in an example', ({ name, entry }) => {
    const named = examples.map(({ path }) => toSource(path));
    expect(named).toContain(toFile(name, entry));
  });

  it.each(examples)('$path, named in $page, exists', ({ path }) => {
    expect(existsSync(toSource(path))).toBe(true);
  });

  it.each(schemas)('$name/$entry is on the site', ({ name, entry }) => {
    const folder = FOLDERS[name]?.replace(/^.*\//, '') ?? '';
    const file = join(ROOT, 'docs/dist/site/schemas', folder, entry);
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(toFile(name, entry), 'utf8'));
  });
});

describe('the development container', () => {
  const folder = join(ROOT, '.devcontainer');
  const container = JSON.parse(readFileSync(join(folder, 'devcontainer.json'), 'utf8'));
  const { scripts, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

  it('has the Node version of the repository', () => {
    const workspace = readFileSync(join(dirname(folder), 'pnpm-workspace.yaml'), 'utf8');
    const major = /^ {2}node: (\d+)\./m.exec(workspace)?.[1];
    expect(devDependencies.node).toBe('catalog:');
    expect(container.image).toContain(`javascript-node:${major}-`);
  });

  it('runs an existing command', () => {
    const [npm, run, script] = container.postCreateCommand.split(' ');
    expect([npm, run]).toEqual(['npm', 'run']);
    expect(scripts).toHaveProperty(script);
  });
});
