import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { findBrowser } from '@berth/runtimes/browser';
import { ENGINES, findProgram } from '@berth/runtimes/engines';
import { freePort } from '@berth/runtimes/free-port';
import { chromium } from 'playwright-core';
import type { Deployment } from '../platform-case.ts';
import type { BrowserId } from '../platforms.ts';
import type { CaseResult } from '../run-suite.ts';
import { servePage } from './serve-page.ts';

/** Options for starting a browser. */
interface BrowserOptions {
  /** An empty folder for the profile. */
  readonly profile: string;
  /** The only certificate to trust: its path and its `toPin`. */
  readonly trusted: { readonly file: string; readonly pin: string };
  /** The deployment that the page calls. */
  readonly deployment: Deployment;
  /** Called when the browser has exited, for whatever reason. */
  readonly onGone: (error: Error) => void;
}

/** Starts a browser to open a page, and returns a function that stops it. */
type OpenPage = (url: string, options: BrowserOptions) => Promise<() => Promise<void>>;

/** Runs the suite on a page in a real browser, from another origin than the deployment. */
export async function runBrowser(
  platform: BrowserId,
  script: string,
  deployment: Deployment,
  trusted: BrowserOptions['trusted'],
  tell: (result: CaseResult) => void,
): Promise<void> {
  const page = await servePage(platform, script, deployment, tell);
  const profile = await mkdtemp(join(tmpdir(), `berth-${platform}-`));
  try {
    const options = { profile, trusted, deployment, onGone: page.fail };
    const close = await OPEN[platform](page.url, options);
    await page.ended.finally(close);
  } finally {
    page.close();
    // A browser may still write there after it has exited.
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Opens Chromium, either installed or from npm. It trusts the certificate by its key's pin. */
const openChromium: OpenPage = async (url, { profile, trusted, onGone }) => {
  const context = await chromium.launchPersistentContext(profile, {
    ...(await findBrowser()),
    args: [`--ignore-certificate-errors-spki-list=${trusted.pin}`],
  });
  context.on('close', () => onGone(new Error('Chromium is gone.')));
  await (await context.newPage()).goto(url);
  return () => context.close();
};

/** SHA-256, by Firefox's name for it. */
const SHA_256 = 'OID.2.16.840.1.101.3.4.2.1';
/** Firefox only opens our own page. */
const PREFERENCES = `
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.update.enabled", false);
`;
const NAMES = ENGINES.firefox.programs.flat();

/** Opens the installed Firefox. It accepts the certificate like a user who accepts the risk. */
const openFirefox: OpenPage = async (url, { profile, trusted, deployment, onGone }) => {
  const { fingerprint256 } = new X509Certificate(await readFile(trusted.file));
  const exception = [`${new URL(deployment.secure.gateway).host}:`, SHA_256, fingerprint256, ''];
  await writeFile(join(profile, 'cert_override.txt'), `${exception.join('\t')}\n`);
  await writeFile(join(profile, 'user.js'), PREFERENCES);
  const args = ['--headless', '--no-remote', '--profile', profile, url];
  return startProgram(NAMES, args, { HOME: profile }, onGone).end;
};

const SCREEN = ['-displayfd', '1', '-screen', '0', '800x600x24', '-nolisten', 'tcp'];

/**
 * Opens MiniBrowser, which uses WebKitGTK (Safari's engine on Linux) and needs a screen. It accepts the
 * certificate as a file, which can only be set in a WebDriver session.
 */
const openWebKit: OpenPage = async (url, { profile, trusted, deployment, onGone }) => {
  const gone = new AbortController();
  const tell = (error: Error) => {
    gone.abort(error);
    onGone(error);
  };
  const display = startProgram(['Xvfb'], SCREEN, {}, tell);
  const [number] = await once(display.stdout, 'data', gone);
  const port = await freePort();
  const env = { HOME: profile, DISPLAY: `:${String(number).trim()}` };
  const program = startProgram(['WebKitWebDriver'], [`--port=${port}`], env, tell);
  const ask = async (method: string, path: string, body?: unknown) => {
    const init = { method, body: body ? JSON.stringify(body) : null };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const { value } = await response.json();
    if (!response.ok) throw new Error(`WebKitWebDriver: ${value.error}: ${value.message}`);
    return value;
  };
  const end = async () => {
    await program.end();
    // Whatever still runs on the screen ends with it.
    await display.end();
  };
  try {
    while (!(await ask('GET', '/status').catch(() => undefined))) {
      await setTimeout(20, undefined, gone);
    }
    const { hostname } = new URL(deployment.secure.gateway);
    const certificates = [{ host: hostname, certificateFile: trusted.file }];
    const { sessionId } = await ask('POST', '/session', {
      capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { certificates } } },
    });
    await ask('POST', `/session/${sessionId}/url`, { url });
    return async () => {
      await ask('DELETE', `/session/${sessionId}`).finally(end);
    };
  } catch (error) {
    await end();
    throw error;
  }
};

const OPEN: Readonly<Record<BrowserId, OpenPage>> = {
  chromium: openChromium,
  firefox: openFirefox,
  webkit: openWebKit,
};

/** Starts an installed program, without the environment variables of the tests. */
function startProgram(
  names: readonly string[],
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onGone: (error: Error) => void,
) {
  const command = findProgram(names);
  if (!command) throw new Error(`There is no ${names.join(' and no ')} on this machine.`);
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = `${said}${text}`.slice(-2_000);
  });
  child.on('error', onGone);
  const gone = once(child, 'close').then(
    ([code, signal]) => onGone(new Error(`${command} ended with ${code ?? signal}: ${said}`)),
    () => {},
  );
  return {
    stdout: child.stdout,
    async end() {
      child.kill();
      await gone;
    },
  };
}
