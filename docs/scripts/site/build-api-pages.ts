import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const CLI = join(dirname(require.resolve('@redocly/cli/package.json')), 'bin/cli.js');

const HOSTED_LOGO = /https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g;
const LOGO = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="44" height="12"><text y="10" font-family="sans-serif" font-size="10" fill="#46566a">Redocly</text></svg>',
)}`;
const ICON = '<link rel="icon" href="../icon.svg">';
const HOME =
  '<p style="margin: 0; padding: 8px 20px; font: 14px sans-serif"><a href="../index.html">Berth docs</a></p>';

/** The API reference of both documents: one page each, which holds its script and asks no other host. */
export async function buildApiPages(folder: string): Promise<void> {
  for (const name of ['gateway.v1', 'storage.v2']) {
    const document = require.resolve(`@berth/spec/${name}.json`);
    const page = join(folder, `${name}.html`);
    await promisify(execFile)(
      process.execPath,
      [CLI, 'build-docs', document, '--inlineBundle', '--output', page],
      {
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      },
    );
    const html = await readFile(page, 'utf8');
    const local = html
      .replaceAll(HOSTED_LOGO, LOGO)
      .replace('</head>', `${ICON}\n</head>`)
      .replace('<body>', `<body>\n  ${HOME}`);
    await writeFile(page, local);
  }
}
