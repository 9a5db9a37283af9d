import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

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

it.each(schemas)(
  'the schema $name/$entry is used in an example, and on the site',
  ({ name, entry }) => {
    expect(schemas).toHaveLength(6);
    const file = toFile(name, entry);
    const schema = JSON.parse(readFileSync(file, 'utf8'));
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema.properties ?? schema.additionalProperties).toBeTypeOf('object');
    expect(examples.map(({ path }) => toSource(path))).toContain(file);
    const folder = FOLDERS[name]?.replace(/^.*\//, '') ?? '';
    const onSite = join(ROOT, 'docs/dist/site/schemas', folder, entry);
    expect(JSON.parse(readFileSync(onSite, 'utf8'))).toEqual(schema);
  },
);

it.each(examples)('the schema $path, named in $page, exists', ({ path }) => {
  expect(existsSync(toSource(path))).toBe(true);
});

it('the development container has the Node version of the repository, and runs an existing command', () => {
  const container = JSON.parse(readFileSync(join(ROOT, '.devcontainer/devcontainer.json'), 'utf8'));
  const workspace = readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8');
  const major = /^ {2}node: (\d+)\./m.exec(workspace)?.[1];
  expect(container.image).toContain(`javascript-node:${major}-`);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const [npm, run, script] = container.postCreateCommand.split(' ');
  expect([npm, run]).toEqual(['npm', 'run']);
  expect(scripts).toHaveProperty(script);
});
