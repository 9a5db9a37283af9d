import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { ENGINES, findProgram, skipReason } from '../../scripts/engines.mjs';

const CACHE = join(import.meta.dirname, 'node_modules/.cache');

/** Fonts of the package, wherever it is unpacked: its own file names folders of AWS Lambda. */
const FONTS = `<?xml version="1.0"?>
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fonts-cache</cachedir>
</fontconfig>
`;

/** Ends a test that hangs; a busy machine may need minutes. */
const timeout = 300_000;

/**
 * Opens Chromium, for pages of tests.
 *
 * @param ports ports to use in place of those in URLs of 127.0.0.1
 */
export async function openBrowser(
  ports: ReadonlyMap<number, number> = new Map(),
): Promise<Browser> {
  const rules = [...ports].map(([from, to]) => `MAP 127.0.0.1:${from} 127.0.0.1:${to}`);
  const args = rules.length > 0 ? [`--host-resolver-rules=${rules.join(',')}`] : [];
  const browser = await chromium.launch({ ...(await findBrowser()), args });
  browser.on('context', (context) => context.setDefaultTimeout(timeout));
  return browser;
}

/** How Playwright launches the Chromium of the machine (Chrome is one) or, without it, npm's. */
export async function findBrowser(): Promise<LaunchOptions> {
  // Root, as whom containers run, has no sandbox. Nothing but our own pages is opened.
  const options = { chromiumSandbox: false, timeout };
  const executablePath = findProgram(ENGINES.chromium.programs.flat());
  if (executablePath) return { ...options, executablePath };
  const reason = skipReason('chromium');
  if (reason) throw new Error(reason);
  const folder = await unpackChromium();
  const env = {
    ...process.env,
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
    XDG_CACHE_HOME: folder,
  };
  return { ...options, executablePath: join(folder, 'chromium'), env };
}

/** Unpacks npm's Chromium once, and gives its folder. Processes that do it at the same time share the result. */
async function unpackChromium(): Promise<string> {
  const manifest = join(import.meta.dirname, 'node_modules/@sparticuz/chromium/package.json');
  const { version } = JSON.parse(await readFile(manifest, 'utf8'));
  const folder = join(CACHE, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const unpacked = await mkdtemp(`${folder}-`);
  try {
    await unpackTo(unpacked);
    await writeFile(join(unpacked, 'fonts.conf'), FONTS);
    // Another user may use this checkout too: root, then an ordinary user.
    for (const name of ['.', 'chromium']) await chmod(join(unpacked, name), 0o755);
    await rename(unpacked, folder).catch((error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
  return folder;
}

/**
 * The package unpacks itself to the temporary folder of its process; its libraries (NSS, Expat) too,
 * if that process runs on AWS Lambda.
 */
async function unpackTo(folder: string): Promise<void> {
  const program = "await (await import('@sparticuz/chromium')).default.executablePath()";
  const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    env,
  });
}
