import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import list from '@berth/spec/downloads.json' with { type: 'json' };
import sampleList from '@berth/spec/samples.json' with { type: 'json' };

const samplesOf: Record<string, object[]> = sampleList.samples;

const require = createRequire(import.meta.url);

const CLI = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js');

const HOSTED_LOGO = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g;

const LOGO = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="44" height="12"><text y="10" font-family="sans-serif" font-size="10" fill="#46566a">Redocly</text></svg>',
)}`;

const ICON = '<link rel="icon" href="../icon.svg">';

/** The head of an API page: links to the site and to the document in its formats. */
function toHead(name: string): string {
  const own = list.downloads.filter(({ path }) => path.startsWith(`${name}/`));
  const links = own.map(({ path }) => `<a href="${path}" download>${basename(path)}</a>`);
  const rest = '<a href="../reference/downloads.html">more</a>';
  return `<p style="margin: 0; padding: 8px 20px; font: 14px sans-serif"><a href="../index.html">Berth docs</a> · Download: ${[...links, rest].join(', ')}</p>`;
}

/** The API reference of both documents: one self-contained page each. */
export async function buildApiPages(folder: string): Promise<void> {
  for (const name of ['gateway.v1', 'storage.v2']) {
    const document = join(folder, `${name}.json`);
    await mkdir(folder, { recursive: true });
    await writeFile(document, await readWithSamples(name));
    const page = join(folder, `${name}.html`);
    await promisify(execFile)(
      process.execPath,
      [CLI, 'build-docs', document, '--inlineBundle', '--output', page],
      {
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    await rm(document);
    const html = await readFile(page, 'utf8');
    const local = html
      .replaceAll(HOSTED_LOGO, LOGO)
      .replace('</head>', `${ICON}\n</head>`)
      .replace('<body>', `<body>\n  ${toHead(name)}`);
    await writeFile(page, local);
  }
}

/** A document whose operations have samples, in the extension that Redoc shows, and a link to the playground. */
async function readWithSamples(name: string): Promise<string> {
  const text = await readFile(require.resolve(`@berth/spec/${name}.json`), 'utf8');
  return JSON.stringify(JSON.parse(text), (_, value) => {
    const samples = value && samplesOf[value.operationId];
    if (!samples) return value;
    const link = `[Try it in the playground](../playground/index.html#${value.operationId})`;
    const description = `${value.description ?? ''}\n\n${link}`;
    return { ...value, description, 'x-codeSamples': samples };
  });
}
