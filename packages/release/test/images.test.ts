import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listPublished, ROOT } from '../src/list-published.ts';
import { readImage } from '../src/read-image.ts';

/** What the images may be made with: anything else is a typing error, or has to be understood here. */
const INSTRUCTIONS =
  'FROM ARG WORKDIR RUN ENV COPY USER VOLUME EXPOSE STOPSIGNAL HEALTHCHECK ENTRYPOINT CMD'.split(
    ' ',
  );

/** Options of `docker build` and `docker run` that the headers use. */
const DOCKER_OPTIONS = '--build-arg -f -t --rm -p -v --env-file --user --stop-timeout'.split(' ');

const images = listPublished().filter(({ folder }) => existsSync(join(ROOT, folder, 'Dockerfile')));

test('mock, server and suite have an image', () => {
  const files = globSync('packages/*/Dockerfile', { cwd: ROOT });
  expect(files.map(dirname).sort()).toEqual([
    'packages/conformance',
    'packages/mock',
    'packages/server',
  ]);
  expect(images).toHaveLength(files.length);
});

describe.each(images)('the image of $folder', ({ folder, manifest }) => {
  const { name, bin = {}, engines = {}, peerDependencies = {} } = manifest;
  const image = readImage(join(ROOT, folder));
  const { header, commands, stages } = image;
  const [install = [], final = []] = stages;
  const [command = '', file = ''] = Object.entries(bin)[0] ?? [];
  const help = execFileSync(process.execPath, [join(ROOT, folder, file), '--help'], {
    encoding: 'utf8',
  }).replaceAll(/\s+/g, ' ');
  const flags: string[] = help.match(/--[a-z][a-z-]*/g) ?? [];
  const portOf = (flag: string) =>
    new RegExp(`${flag} <number>[^-]*?\\(default: (\\d+)\\)`).exec(help)?.[1];
  const words = [...image.words('ENTRYPOINT'), ...image.words('CMD')];
  const texts = (stage: typeof install, keyword: string) =>
    stage.filter((instruction) => instruction.keyword === keyword).map(({ text }) => text);

  test('has two stages, with only valid instructions', () => {
    expect(stages).toHaveLength(2);
    const keywords = stages.flat().map(({ keyword }) => keyword);
    expect(keywords.filter((keyword) => !INSTRUCTIONS.includes(keyword))).toEqual([]);
  });

  test('installs the package from npm or from tarballs, on a Node that it runs on', () => {
    const [, wanted] = /^>=(\d+)/.exec(engines.node ?? '') ?? [];
    const [from = '', ...others] = stages.map((stage) => texts(stage, 'FROM')[0]);
    expect(others).toEqual([from.replace(/ AS install$/, '')]);
    expect(Number(/^node:(\d+)-slim AS install$/.exec(from)?.[1])).toBeGreaterThanOrEqual(
      Number(wanted),
    );
    // An image runs all engines of the suite.
    const { dredd } = peerDependencies;
    expect(texts(install, 'ARG')).toEqual([
      'VERSION=latest',
      `PACKAGES="${name}@\${VERSION}${dredd ? ` dredd@${dredd}` : ''}"`,
    ]);
    expect(texts(install, 'WORKDIR')).toEqual(['/app']);
    // `--engine-strict`: the line of Node is right, a base image that was pulled long ago may not be.
    expect(install.filter(({ keyword }) => keyword === 'RUN')).toEqual([
      {
        keyword: 'RUN',
        flags: ['--mount=type=bind,target=/context'],
        text: 'npm install --no-audit --no-fund --ignore-scripts --omit=dev --engine-strict $PACKAGES',
      },
    ]);
    expect(final.filter(({ keyword }) => keyword === 'COPY')).toEqual([
      { keyword: 'COPY', flags: ['--from=install', '--chown=root:root'], text: '/app /app' },
    ]);
  });

  test(`starts ${command} as an ordinary user, with options that it has`, () => {
    expect(words.slice(0, 2)).toEqual(['node', `/app/node_modules/${name}/${file.slice(2)}`]);
    expect(words.filter((word) => word.startsWith('--') && !flags.includes(word))).toEqual([]);
    expect(image.get('USER')).toBe('node');
    const keywords = final.map(({ keyword }) => keyword);
    expect(keywords.indexOf('USER')).toBeGreaterThan(keywords.lastIndexOf('RUN'));
    expect(image.get('STOPSIGNAL')).toMatch(/^SIG(?:INT|TERM)$/);
  });

  test('exposes the default port, and asks the right one for its health', () => {
    const port = portOf('--port');
    expect(image.get('EXPOSE')).toBe(port);
    // A server that listens on loopback is not reached from outside of its container.
    const heard = /(?:--|listen\.)host 0\.0\.0\.0/.test([...words, header].join(' '));
    expect(heard).toBe(port !== undefined);
    const health = image.words('HEALTHCHECK');
    expect(health.length > 0).toBe(port !== undefined);
    const asked = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(health.join(' '))?.[1];
    expect(asked).toBe(portOf('--admin-port') ?? port);
  });

  test('is built as its header says', () => {
    const builds = commands.filter(({ verb }) => verb === 'build');
    expect(builds.map(({ target }) => target)).toEqual([folder, 'FOLDER']);
    expect(header).toContain(`\`npm run pack -- FOLDER ${name}\``);
    for (const { options, args } of builds) {
      expect(args).toEqual([]);
      const given = Object.fromEntries(options);
      expect(given['-f'] ?? `${folder}/Dockerfile`).toBe(`${folder}/Dockerfile`);
      expect(given['-t']).toBe(command);
      const [arg = ''] = given['--build-arg']?.split('=') ?? [];
      expect(['VERSION', 'PACKAGES']).toContain(arg);
    }
  });

  test('is run as its header says', () => {
    const runs = commands.filter(({ verb }) => verb === 'run');
    expect(runs.length).toBeGreaterThan(0);
    const places = [...texts(final, 'VOLUME'), ...texts(final, 'WORKDIR'), ...texts(final, 'RUN')]
      .flatMap((text) => text.match(/\/[\w/]+/g) ?? [])
      .concat(words.filter((word) => word.startsWith('/')).map(dirname));
    for (const { options, target, args } of runs) {
      expect(target).toBe(command);
      expect(args.filter((arg) => arg.startsWith('--') && !flags.includes(arg))).toEqual([]);
      for (const [option, value] of options) {
        const [inside = ''] = value.replace(/:ro$/, '').split(':').slice(-1);
        if (option === '-p') expect(inside).toBe(image.get('EXPOSE'));
        if (option !== '-v') continue;
        const isNamed = args.some((arg) => arg.includes(inside));
        const isBelow = places.some((place) => !relative(place, inside).startsWith('..'));
        expect([value, isNamed || isBelow]).toEqual([value, true]);
      }
    }
  });

  test('has a header that refers only to what exists', () => {
    const named: string[] =
      header.replaceAll(/\$\(.*?\)/g, '').match(/(?<![\w-])--?[a-z][a-z-]*/g) ?? [];
    const known = [...DOCKER_OPTIONS, ...flags];
    expect(named.filter((option) => !known.includes(option))).toEqual([]);
    const variables: string[] = header.match(/\bBERTH_[A-Z_]+/g) ?? [];
    const toFlag = (name: string) =>
      name.replace('BERTH_', '--').replaceAll('_', '-').toLowerCase();
    expect(variables.filter((variable) => !flags.includes(toFlag(variable)))).toEqual([]);
    const settings: string[] = header.match(/\b(?:listen|store|admin)\.[a-zA-Z]+/g) ?? [];
    const schema = join(ROOT, folder, 'generated/config.schema.gen.json');
    const { properties = {} } = existsSync(schema) ? JSON.parse(readFileSync(schema, 'utf8')) : {};
    const isKnown = (setting: string) => {
      const [section = '', key] = setting.split('.');
      return JSON.stringify(properties[section] ?? {}).includes(`"${key}":{`);
    };
    expect(settings.filter((setting) => !isKnown(setting))).toEqual([]);
  });
});
