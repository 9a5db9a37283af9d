import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '@berth/runtimes/free-port';
import type { OpenPage } from './open-page.ts';
import { startProgram } from './start-program.ts';

const SCREEN = ['-displayfd', '1', '-screen', '0', '800x600x24', '-nolisten', 'tcp'];

/**
 * Opens MiniBrowser, which uses WebKitGTK (Safari's engine on Linux) and needs a screen. It accepts the
 * certificate as a file, which can only be set in a WebDriver session.
 */
export const openWebKit: OpenPage = async (url, { profile, trusted, deployment, onGone }) => {
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
